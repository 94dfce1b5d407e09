package evidence

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
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

// gitCommand runs a command with a fixed identity and date, so that ids are the same in every run.
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

func (c clone) open(o Options) *Repository {
	c.t.Helper()
	r, err := Open(c.t.Context(), c.dir, o)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { require.NoError(c.t, r.Close()) })
	branch, err := r.HeadBranch(c.t.Context())
	require.NoError(c.t, err)
	r.Follow(branch)
	return r
}

func found(t *testing.T, r *Repository, e lifecycle.Evidence) lifecycle.Found {
	t.Helper()
	f, wrong := r.Look(t.Context(), e)
	require.Nil(t, wrong, "%+v", wrong)
	require.NotNil(t, f)
	return *f
}

func wrong(t *testing.T, r *Repository, e lifecycle.Evidence) fault.Field {
	t.Helper()
	f, wrong := r.Look(t.Context(), e)
	require.Nil(t, f)
	require.NotNil(t, wrong)
	require.NotEmpty(t, wrong.Detail)
	require.NotEmpty(t, wrong.Fix, "%+v", wrong)
	require.NotContains(t, wrong.Detail+wrong.Fix, r.Root(), "an answer shows a path of the machine")
	return *wrong
}

func file(path, lines string) lifecycle.Evidence {
	return lifecycle.Evidence{Kind: lifecycle.EvidenceFile, Path: path, Lines: lines}
}

func fileIn(commit, path, lines string) lifecycle.Evidence {
	return lifecycle.Evidence{Kind: lifecycle.EvidenceFile, Path: path, Lines: lines, Commit: commit}
}

func commit(id string) lifecycle.Evidence {
	return lifecycle.Evidence{Kind: lifecycle.EvidenceCommit, Commit: id}
}

func test(name, result, report string) lifecycle.Evidence {
	return lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: name, Result: result, Report: report}
}

// looked is e with what is found for it now.
func looked(t *testing.T, r *Repository, e lifecycle.Evidence) lifecycle.Evidence {
	t.Helper()
	f := found(t, r, e)
	e.Found = &f
	return e
}

func recheck(t *testing.T, r *Repository, e lifecycle.Evidence) Standing {
	t.Helper()
	return stands(t, r, Subject{Cited: []lifecycle.Evidence{e}})[0]
}

// stands returns how the citations of one subject stand.
func stands(t *testing.T, r *Repository, s Subject) []Standing {
	t.Helper()
	checked, err := r.Recheck(t.Context(), []Subject{s})
	all := checked.Standings
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Len(t, all[0], len(s.Cited))
	for _, one := range all[0] {
		require.Equal(t, one.Reason == "", one.Detail == "", "%+v", one)
		require.NotContains(t, one.Detail, r.Root(), "an answer shows a path of the machine")
	}
	return all[0]
}

// recheckAll checks citations that belong to no requirement.
func recheckAll(ctx context.Context, r *Repository, cited []lifecycle.Evidence) ([]Standing, error) {
	all, err := r.Recheck(ctx, []Subject{{Cited: cited}})
	return all.Standings[0], err
}

// within fails a call that does not return: the deadlines under test are far shorter.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("it hangs")
	}
}
