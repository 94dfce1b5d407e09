package localservice

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/background"
)

const holding = "LOCALSERVICE_HOLDS"

// TestHoldALock is another program, which holds a lock until its input ends.
func TestHoldALock(t *testing.T) {
	path := os.Getenv(holding)
	if path == "" {
		t.Skip("only as another program")
	}
	require.NoError(t, background.Hold(path))
	_, err := os.Stdout.WriteString("holds\n")
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// other starts a program that holds a lock on the file at path, with further arguments.
func other(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0],
		append([]string{"-test.run=^TestHoldALock$"}, args...)...)
	cmd.Env = append(os.Environ(), holding+"="+path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "holds\n", line)
	t.Cleanup(func() { // it ended well: nobody stopped it
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
	})
	return cmd
}

// refuses checks that nobody takes the holder of the lock for the service.
func refuses(t *testing.T, data datadir.Dir) {
	t.Helper()
	_, err := Down(t.Context(), data)
	require.ErrorIs(t, err, background.ErrStranger)
	require.Contains(t, fault.As(err).Fix, "rm -- ")
	_, err = Up(t.Context(), Options{Data: data, Patience: time.Second})
	require.ErrorIs(t, err, background.ErrStranger)
	id, err := Process(data)
	require.ErrorIs(t, err, background.ErrStranger)
	require.Zero(t, id)
}

func TestAnotherProgramIsNotTheService(t *testing.T) {
	for name, put := range map[string]func(from, to string) error{"linked": os.Link, "moved": os.Rename} {
		t.Run(name, func(t *testing.T) {
			data, lock := datadir.Dir(t.TempDir()), filepath.Join(t.TempDir(), "w.lock")
			other(t, lock)
			require.NoError(t, put(lock, lockFile(data)))
			refuses(t, data)
		})
	}
}

func TestTheServiceOfAnotherFolder(t *testing.T) {
	data, lock := datadir.Dir(t.TempDir()), filepath.Join(t.TempDir(), "w.lock")
	theirs := t.TempDir()
	cmd := other(t, lock, "serve", "--background", "--data", theirs)
	require.NoError(t, os.Rename(lock, lockFile(data)))
	refuses(t, data)

	require.NoError(t, checkProcess(datadir.Dir(theirs), cmd.Process.Pid))
	require.NoError(t, os.Remove(theirs))
	require.NoError(t, checkProcess(data, cmd.Process.Pid), "the folder was moved since")
}

// TestALockWithoutAProcess: the kernel knows no process for the lock of an open file.
func TestALockWithoutAProcess(t *testing.T) {
	const setLockOfFile = 37 // F_OFD_SETLK of Linux
	data := datadir.Dir(t.TempDir())
	file, err := os.Create(lockFile(data))
	require.NoError(t, err)
	defer file.Close()
	if err := syscall.FcntlFlock(file.Fd(), setLockOfFile, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		t.Skip("no such locks here")
	}
	refuses(t, data)
}
