package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// clone is a real repository in a folder of the test.
type clone struct {
	t   testing.TB
	dir string
}

func newClone(t testing.TB, options ...string) clone {
	t.Helper()
	c := clone{t, filepath.Join(t.TempDir(), "work")}
	require.NoError(t, os.Mkdir(c.dir, 0o755))
	c.git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	return c
}

// git runs a command with a fixed identity and date.
func (c clone) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (c clone) write(path, content string) {
	c.t.Helper()
	full := filepath.Join(c.dir, path)
	require.NoError(c.t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(c.t, os.WriteFile(full, []byte(content), 0o644))
}

// commit commits everything in the working tree.
func (c clone) commit(message string) string {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", message)
	return c.git("rev-parse", "HEAD")
}

func (c clone) open() *Repository {
	c.t.Helper()
	command, err := exec.LookPath("git")
	require.NoError(c.t, err)
	r, err := Open(c.t.Context(), command, c.dir, time.Minute)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { require.NoError(c.t, r.Close()) })
	return r
}

func TestAProcessThatWasKilledIsStartedAgain(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	r, blob := c.open(), c.git("rev-parse", "HEAD:a")
	for range 2 {
		content, err := r.Blob(t.Context(), blob, 10)
		require.NoError(t, err)
		require.Equal(t, "a\n", string(content))
		require.NoError(t, r.batch.open.cmd.Process.Kill())
	}
}

func TestAMissingObjectStartsNoProcessForEach(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	r, blob := c.open(), c.git("rev-parse", "HEAD:a")
	_, err := r.Blob(t.Context(), blob, 10)
	require.NoError(t, err)
	r.batch.open.began = time.Now().Add(-time.Hour)
	before, begun := r.Starts(), time.Now()
	for range 20 {
		_, err := r.Blob(t.Context(), strings.Repeat("1", 40), 10)
		require.ErrorIs(t, err, fault.NotFound)
	}
	content, err := r.Blob(t.Context(), blob, 10)
	require.NoError(t, err)
	require.Equal(t, "a\n", string(content))
	require.Greater(t, r.Starts(), before, "an old process is not believed")
	require.LessOrEqual(t, r.Starts(), before+1+int64(time.Since(begun)/newborn), "the next one is, for a moment")
}
