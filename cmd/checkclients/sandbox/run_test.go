package sandbox_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/checkclients/sandbox"
)

func TestRun(t *testing.T) {
	r, err := sandbox.Run(t.Context(), sandbox.Command{Dir: t.TempDir(), Limit: time.Minute,
		Args: []string{"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}})
	require.NoError(t, err)
	require.Equal(t, 3, r.Exit)
	require.False(t, r.Late)
	require.Equal(t, "out\nerr\n", string(r.Output))
	_, err = sandbox.Run(t.Context(), sandbox.Command{Dir: t.TempDir(), Args: []string{"/nowhere"}, Limit: time.Minute})
	require.ErrorContains(t, err, "/nowhere cannot be started")
}

func TestStart(t *testing.T) {
	dir := t.TempDir()
	stop, err := sandbox.Start(sandbox.Command{Dir: dir, Args: []string{"/bin/sh", "-c", "touch began; exec sleep 60"}})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "began"))
		return err == nil
	}, 5*time.Second, 10*time.Millisecond)
	stop()
	stop()
	_, err = sandbox.Start(sandbox.Command{Dir: dir, Args: []string{"/nowhere"}})
	require.ErrorContains(t, err, "cannot be started")
}

// What takes too long is ended, with what it started, even where that left its group.
func TestRunEndsWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	mark := "BED_MARK=" + dir
	r, err := sandbox.Run(t.Context(), sandbox.Command{
		Dir: dir, Env: []string{mark, "PATH=" + os.Getenv("PATH")}, Mark: mark, Limit: time.Second,
		Args: []string{"/bin/sh", "-c", "setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 60"}})
	require.NoError(t, err)
	require.True(t, r.Late)
	require.Less(t, r.Took, 30*time.Second)
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err != nil || strings.Contains(string(state), ") Z ")
	}, 5*time.Second, 10*time.Millisecond)
}
