package localservice

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func TestWhatTheLogSaysOfTheLastStart(t *testing.T) {
	const failed = "{\"level\":\"info\"}\norchestrator: cannot listen\n  cause: in use\n  fix: give another\n"
	data := datadir.Dir(t.TempDir())
	require.Empty(t, Failure(t.Context(), data), "there is no log")
	for text, want := range map[string]string{
		failed:                          "cannot listen",
		"orchestrator: once\n" + failed: "cannot listen",
		failed + "{\"level\":\"info\",\"message\":\"serving\"}\n":       "",
		failed + "1:00PM INF serving\n":                                 "",
		"{\"level\":\"info\"}\n":                                        "",
		strings.Repeat("x", 2*maxTail) + "\n" + failed:                  "cannot listen",
		"goroutine 1 [running]:\n  main.main()\n":                       "",
		"orchestrator: the documents are wrong\n  /1 twice\n    fix: a": "the documents are wrong",
	} {
		require.NoError(t, os.WriteFile(LogFile(data), []byte(text), 0o600))
		require.Equal(t, want, Failure(t.Context(), data), text)
	}
}

func TestAFailedStartIsToldAsTheProgramToldIt(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	before := "orchestrator: of an earlier start\n"
	text := before + "orchestrator: cannot listen\n  cause: in use\n  fix: give another\n"
	require.NoError(t, os.WriteFile(LogFile(data), []byte(text), 0o600))
	err := fault.As(failed(t.Context(), data, int64(len(before))))
	require.Equal(t, "the service did not start: cannot listen", err.Detail)
	require.Equal(t, "give another", err.Fix)
	require.EqualError(t, err.Cause(), "in use")

	require.NoError(t, os.WriteFile(LogFile(data), []byte("one\n2\n3\n4\n5\nkilled\n"), 0o600))
	err = fault.As(failed(t.Context(), data, 0))
	require.Equal(t, "the service ended before it was ready", err.Detail)
	require.EqualError(t, err.Cause(), "2; 3; 4; 5; killed")
}

func TestAnAddressThatAnotherProgramHas(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.Contains(t, fault.As(CheckAddress(addr, true)).Fix, "orchestrator config unset addr")
	require.Contains(t, fault.As(CheckAddress(addr, false)).Fix, "give another --addr")
	require.NoError(t, l.Close())
	require.NoError(t, CheckAddress(addr, true))
	require.NoError(t, CheckAddress("nonsense", true), "the service says what is wrong with it")
}

func TestProjectsGetPortsOfTheirOwn(t *testing.T) {
	one, two := freeAddress("/srv/one"), freeAddress("/srv/two")
	require.NotEqual(t, one, two)
	l, err := net.Listen("tcp", one)
	require.NoError(t, err)
	defer l.Close()
	require.NotEqual(t, one, freeAddress("/srv/one"), "it is taken")
}

// TestRootDoesNotStartTheServiceOfAUser, who could not replace what root writes.
func TestRootDoesNotStartTheServiceOfAUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	data := datadir.Dir(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, os.Mkdir(string(data), 0o700))
	require.NoError(t, os.Chown(string(data), 65534, 65534))
	_, err := Up(t.Context(), Options{Data: data, Patience: time.Minute})
	require.ErrorIs(t, err, fault.Unavailable)
	require.Contains(t, fault.As(err).Fix, "sudo -u '#65534' orchestrator up")
	entries, err := os.ReadDir(string(data))
	require.NoError(t, err)
	require.Empty(t, entries)
}

const asUser = "LOCALSERVICE_AS_USER"

// TestAnotherUser neither starts nor stops the service of a folder that is not theirs.
func TestAnotherUser(t *testing.T) {
	if data := datadir.Dir(os.Getenv(asUser)); data != "" {
		for _, try := range []func() error{
			func() error { _, err := Up(t.Context(), Options{Data: data, Patience: time.Second}); return err },
			func() error { _, err := Down(t.Context(), data); return err },
		} {
			err := fault.As(try())
			require.NotNil(t, err)
			require.Regexp(t, "as the user who", err.Fix)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	dir, err := os.MkdirTemp("", "up")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	program, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	self := filepath.Join(dir, "test")
	require.NoError(t, os.WriteFile(self, program, 0o755))
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestAnotherUser$", "-test.v")
	cmd.Dir, cmd.Env = "/", append(os.Environ(), asUser+"="+filepath.Join(dir, "data"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS: TestAnotherUser")
}

// TestOneStartAtATime: whoever waits for another start gives up in time, or with its caller, and leaves nothing.
func TestOneStartAtATime(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	file, err := os.Create(startFile(data))
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, syscall.Flock(int(file.Fd()), syscall.LOCK_EX))
	waited := 0
	_, err = Up(t.Context(), Options{Data: data, Patience: 200 * time.Millisecond, Waits: func() { waited++ }})
	require.ErrorIs(t, err, fault.Unavailable)
	require.Contains(t, fault.As(err).Detail, "another orchestrator up has been at it for 200ms")
	require.Greater(t, waited, 1)
}

func TestAProgramThatCannotBeStarted(t *testing.T) {
	data := datadir.Dir(filepath.Join(t.TempDir(), "data"))
	_, err := Up(t.Context(), Options{Data: data, Program: "/no/such/program", Patience: time.Minute})
	require.ErrorIs(t, err, fault.Unavailable)
	_, err = os.Stat(string(data))
	require.True(t, errors.Is(err, os.ErrNotExist), "a start that fails leaves nothing in a folder that it made")
}
