package httpapi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
)

// clone is a real git repository in a folder of the test. Identity and dates are fixed, so that ids are the same in
// every run.
type clone struct {
	t   *testing.T
	dir string
}

// inRepository has the service look evidence up in a repository with one commit, of these files. Without a git command
// the test is skipped.
func inRepository(t *testing.T, c *clone, files map[string]string) func(*options) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git command, which looking evidence up needs")
	}
	*c = clone{t, filepath.Join(t.TempDir(), "work")}
	require.NoError(t, os.Mkdir(c.dir, 0o755))
	c.git("init", "-q", "-b", "main")
	for path, content := range files {
		c.write(path, content, time.Now())
	}
	c.commit("first")
	repository, err := evidence.Open(t.Context(), c.dir, evidence.Options{Timeout: time.Minute})
	require.NoError(t, err)
	repository.Follow("main")
	t.Cleanup(func() { require.NoError(t, repository.Close()) })
	return func(o *options) { o.Evidence, o.Repository = projection.EvidenceVerified, repository }
}

func (c *clone) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// write writes a file of the working tree, as if it were written at a time.
func (c *clone) write(path, content string, at time.Time) {
	c.t.Helper()
	full := filepath.Join(c.dir, path)
	require.NoError(c.t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(c.t, os.WriteFile(full, []byte(content), 0o644))
	require.NoError(c.t, os.Chtimes(full, at, at))
}

// commit commits all of the working tree but its reports, and returns the id.
func (c *clone) commit(message string) string {
	c.t.Helper()
	c.git("add", "-A", "--", ".", ":!reports")
	c.git("commit", "-q", "--allow-empty", "-m", message)
	return c.git("rev-parse", "HEAD")
}
