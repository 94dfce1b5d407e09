package origin

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/reqdoc"
)

// tree is a git working tree that the test stands in.
type tree struct{ t *testing.T }

func newTree(t *testing.T, options ...string) tree {
	t.Helper()
	t.Chdir(t.TempDir())
	w := tree{t}
	w.git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	return w
}

func (w tree) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Bob", "GIT_COMMITTER_EMAIL=bob@example.org",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1760000000 +0200")
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%s", out)
}

func (w tree) write(path, content string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(content), 0o600))
}

func (w tree) commit(paths ...string) string {
	w.t.Helper()
	w.git(append([]string{"add", "--"}, paths...)...)
	w.git("commit", "-q", "-m", "write")
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	require.NoError(w.t, err)
	return strings.TrimSpace(string(out))
}

func (w tree) origins(paths ...string) map[string]account.Origin {
	w.t.Helper()
	var files []reqdoc.File
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(w.t, err)
		files = append(files, reqdoc.File{Path: path, Content: content})
	}
	return Of(w.t.Context(), files)
}

// Verifies: ORC-121
func TestTheLastCommitOfEachDocument(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			w := newTree(t, "--object-format="+format)
			w.write("R.md", "one\n")
			require.Equal(t, map[string]account.Origin{"R.md": {Uncommitted: true}}, w.origins("R.md"), "before the first commit")
			first := w.commit("R.md")
			w.write("docs/[a].md", "two\n")
			second := w.commit("docs/[a].md")
			at := time.Unix(1760000000, 0).UTC()
			byAda := func(commit string) account.Origin {
				return account.Origin{Commit: commit, Author: "Ada", Email: "ada@example.org", At: at}
			}
			require.Equal(t, map[string]account.Origin{"R.md": byAda(first), "docs/[a].md": byAda(second)},
				w.origins("R.md", "docs/[a].md"))

			w.write("R.md", "one, and more\n")
			w.write("new.md", "new\n")
			require.Equal(t, map[string]account.Origin{"R.md": {Uncommitted: true}, "new.md": {Uncommitted: true}},
				w.origins("R.md", "new.md"), "another content, and a file that git does not track")
			w.git("add", "R.md")
			require.True(t, w.origins("R.md")["R.md"].Uncommitted, "what is staged is not committed")

			require.NoError(t, os.Symlink("docs/[a].md", "link.md"))
			require.Equal(t, byAda(second), w.origins("link.md")["link.md"], "the file that was read")
			w.write("docs/[a].md", "two\r\n")
			require.Equal(t, byAda(second), w.origins("docs/[a].md")["docs/[a].md"], "lines ended otherwise")
		})
	}
}

func TestWhatIsNotFoundInTimeIsLeftOut(t *testing.T) {
	w := newTree(t)
	w.write("R.md", "one\n")
	w.commit("R.md")
	ended, end := context.WithCancel(t.Context())
	end()
	require.Empty(t, Of(ended, []reqdoc.File{{Path: "R.md", Content: []byte("one\n")}}))
	require.Empty(t, Of(t.Context(), []reqdoc.File{{Path: "gone.md"}, {Path: "gone/R.md"}}))
}

func TestNothingIsKnownWithoutGit(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("R.md", []byte("one\n"), 0o600))
	require.Empty(t, tree{t}.origins("R.md"), "in no working tree")
	w := newTree(t)
	w.write("R.md", "one\n")
	w.commit("R.md")
	t.Setenv("PATH", "")
	require.Empty(t, w.origins("R.md"), "there is no git command")
}

// What the repository says of itself starts no program, and what a commit says of its author is one short line.
//
// Verifies: ORC-121
func TestAHostileRepository(t *testing.T) {
	w := newTree(t)
	w.write("R.md", "one\n")
	key := "AK" + "IAIOSFODNN7EXAMPLE"
	name := "Eve \x1b[2J \u202e" + key + " " + strings.Repeat("x", 500)
	w.git("config", "core.fsmonitor", "touch ran-fsmonitor; true")
	w.git("config", "gpg.program", "touch ran-gpg; true")
	w.git("config", "log.showSignature", "true")
	w.git("config", "core.pager", "touch ran-pager; cat")
	w.git("config", "alias.rev-list", "!touch ran-alias")
	w.git("config", "filter.f.clean", "touch ran-filter; cat")
	w.git("config", "diff.d.textconv", "touch ran-textconv; cat")
	w.git("config", "diff.external", "touch ran-diff; true")
	w.git("-c", "core.fsmonitor=false", "-c", "user.useConfigOnly=false", "add", "R.md")
	w.git("-c", "core.fsmonitor=false", "commit", "-q", "-m", "x", "--author", name+" <eve@example.org>", "--no-verify")
	w.write(".gitattributes", "R.md filter=f diff=d\n")
	for _, ran := range w.ran() {
		require.NoError(t, os.Remove(ran))
	}

	got := w.origins("R.md")["R.md"]
	require.Empty(t, w.ran())
	require.Equal(t, "eve@example.org", got.Email)
	require.True(t, strings.HasPrefix(got.Author, "Eve [2J"), "%q", got.Author)
	require.NotContains(t, got.Author, key)
	require.LessOrEqual(t, len(got.Author), maxName+len("…"))
}

func (w tree) ran() []string {
	w.t.Helper()
	names, err := filepath.Glob("ran-*")
	require.NoError(w.t, err)
	return names
}

func TestParseRefusesWhatIsNoCommit(t *testing.T) {
	id := strings.Repeat("a", 40)
	for out, known := range map[string]bool{
		"": false, "commit x\n": false, "commit x\nx\x00a\x00b\x001\n": false,
		"commit x\n" + id + "\x00a\x00b\x001\n": true,
	} {
		_, ok := parse(out)
		require.Equal(t, known, ok, "%q", out)
	}
	for _, seconds := range []string{"", "-5", "999999999999999", "x"} {
		got, ok := parse("commit x\n" + id + "\x00a\x00b\x00" + seconds + "\n")
		require.True(t, ok)
		require.Zero(t, got.At, "a time that no record can show: %q", seconds)
	}
}
