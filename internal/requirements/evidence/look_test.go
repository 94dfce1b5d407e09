package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

const fiveLines = "one\ntwo\nthree\nfour\nfive"

func TestAFileIsFoundAtHead(t *testing.T) {
	c := newClone(t)
	c.write("a/b.go", fiveLines)
	head := c.commit("first")
	c.write("a/b.go", "not committed\n")
	r := c.open(Options{})
	want := lifecycle.Found{In: lifecycle.InBranch, Commit: head, Blob: c.git("rev-parse", "HEAD:a/b.go"), Bytes: int64(len(fiveLines))}
	for lines, text := range map[string]string{
		"": fiveLines, "1": "one\n", "2-3": "two\nthree\n", "1-5": fiveLines, "5": "five", "4-5": "four\nfive",
	} {
		want.SHA256 = digest([]byte(text))
		require.Equal(t, want, found(t, r, file("a/b.go", lines)), "lines %q", lines)
	}
	again, err := r.Tip(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, again)
}

func TestAFileIsFoundAtTheCommitThatIsNamed(t *testing.T) {
	c := newClone(t)
	c.write("a.txt", "old\n")
	first := c.commit("first")
	c.write("a.txt", "new\n")
	second := c.commit("second")
	r := c.open(Options{})
	old := found(t, r, fileIn(first[:9], "a.txt", "1"))
	require.Equal(t, lifecycle.InCommit, old.In)
	require.Equal(t, first, old.Commit)
	require.Equal(t, digest([]byte("old\n")), old.SHA256)
	require.Equal(t, digest([]byte("new\n")), found(t, r, fileIn(second, "a.txt", "")).SHA256)
	c.git("rm", "-q", "a.txt")
	c.write("sub/A.TXT", "new\n")
	third := c.commit("third")
	missing := wrong(t, r, fileIn(third, "a.txt", ""))
	require.Equal(t, "file_missing", string(missing.Code))
	require.Equal(t, "there is no a.txt at "+short(third), missing.Detail)
	require.Equal(t, "did you mean sub/A.TXT?", missing.Fix)
}

func TestAFileIsFoundInTheWorkingTreeWhereHeadHasNone(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		c := newClone(t, "--object-format="+format)
		c.write("new.txt", "one\ntwo\n")
		r := c.open(Options{})
		for _, born := range []bool{false, true} {
			if born {
				c.git("commit", "-q", "--allow-empty", "-m", "first")
			}
			f := found(t, r, file("new.txt", "2"))
			info, err := os.Stat(filepath.Join(c.dir, "new.txt"))
			require.NoError(t, err)
			require.WithinDuration(t, info.ModTime(), f.Modified, 1000)
			f.Modified = f.Modified.AddDate(1, 0, 0)
			require.Equal(t, lifecycle.Found{
				In: lifecycle.InWorktree, Blob: c.git("hash-object", "new.txt"), SHA256: digest([]byte("two\n")), Bytes: 8, Modified: f.Modified,
			}, f)
			head, err := r.Tip(t.Context())
			require.NoError(t, err)
			require.Equal(t, born, head != "")
		}
	}
}

func TestAFileThatNoCommitWillHaveIsNoEvidence(t *testing.T) {
	c := newClone(t)
	c.write(".env", "KEY=value\n")
	c.write("build/out.txt", "a\n")
	c.write("mine.txt", "a\n")
	c.write("notes/new.md", "a\n")
	c.write("forced.log", "a\n")
	c.write("report.xml", junit)
	c.write(".gitignore", ".env\nbuild/\n*.log\nreport.xml\n")
	c.write(".git/info/exclude", "mine.txt\n")
	inner := clone{t, filepath.Join(c.dir, "inner")}
	require.NoError(t, os.Mkdir(inner.dir, 0o755))
	inner.git("init", "-q")
	inner.write("a.txt", "a\n")
	inner.commit("inner")
	r := c.open(Options{})
	for _, born := range []bool{false, true} {
		if born {
			c.git("commit", "-q", "--allow-empty", "-m", "first")
		}
		for _, path := range []string{".env", "build/out.txt", "mine.txt", "forced.log", "report.xml", "inner/a.txt"} {
			for _, lines := range []string{"", "1", "1-99"} {
				refusal := wrong(t, r, file(path, lines))
				require.Equal(t, "file_ignored", string(refusal.Code), "%s: %+v", path, refusal)
			}
		}
		require.Equal(t, lifecycle.InWorktree, found(t, r, file("notes/new.md", "1")).In)
		found(t, r, test("TestGood", "pass", "report.xml"))
		require.Equal(t, "file_missing", string(wrong(t, r, file("build/none.txt", "")).Code))
	}
	c.git("add", "-f", "forced.log")
	require.Equal(t, lifecycle.InWorktree, found(t, r, file("forced.log", "")).In, "git will commit it")
	c.write("later.txt", "a\n")
	found(t, r, file("later.txt", "")) // although what git listed a moment ago lacks it
	starts := r.git.Starts()
	found(t, r, file("later.txt", ""))
	require.Equal(t, starts+1, r.git.Starts(), "the tip was asked for, the files were not listed again")
	c.commit("all but what is ignored")
	require.Equal(t, "file_ignored", string(wrong(t, r, file(".env", "")).Code))
	c.git("add", "-f", ".env")
	c.git("commit", "-q", "-m", "with it")
	require.Equal(t, lifecycle.InBranch, found(t, r, file(".env", "")).In)
}

func TestWhatGitListedIsBelievedForAMoment(t *testing.T) {
	c := newClone(t)
	c.write("a.txt", "a\n")
	r := c.open(Options{})
	found(t, r, file("a.txt", ""))
	require.NotEmpty(t, r.listing.paths)
	r.listing.at = time.Now().Add(-listingAge)
	c.write(".gitignore", "a.txt\n")
	require.Equal(t, "file_ignored", string(wrong(t, r, file("a.txt", "")).Code), "what was listed is no longer believed")
}

// messy has one of everything that is no plain file.
func messy(t *testing.T) clone {
	c := newClone(t)
	c.write("docs/guide.md", "1\n2\n3\n")
	c.write("src/empty.go", "")
	c.write("src/image.png", "PNG\x00\n\x00")
	c.write("x/util/a.go", "x")
	c.write("y/util/a.go", "y")
	for _, name := range []string{"1", "2", "3", "4"} {
		c.write("many/"+name+"/same.go", name)
	}
	outside := newClone(t)
	outside.write("secret", "s\n")
	require.NoError(t, os.Symlink(filepath.Join(outside.dir, "secret"), filepath.Join(c.dir, "away")))
	require.NoError(t, os.Symlink("guide.md", filepath.Join(c.dir, "docs/link.md")))
	require.NoError(t, os.Symlink("docs", filepath.Join(c.dir, "d")))
	outside.commit("outside")
	c.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", outside.dir, "module")
	c.commit("messy")
	c.write("untracked/file.txt", "u\n")
	require.NoError(t, os.Symlink("file.txt", filepath.Join(c.dir, "untracked/link")))
	require.NoError(t, os.Symlink(filepath.Join(outside.dir, "secret"), filepath.Join(c.dir, "untracked/away")))
	require.NoError(t, os.Symlink("untracked", filepath.Join(c.dir, "u")))
	return c
}

func TestWhatIsNoFileOfTheRepositoryIsRefused(t *testing.T) {
	c := messy(t)
	r := c.open(Options{MaxBytes: 100})
	c.write("untracked/large", strings.Repeat("x", 101))
	head := c.git("rev-parse", "HEAD")
	for _, x := range []struct {
		e            lifecycle.Evidence
		code, detail string
		fix          string
	}{
		{file("away", ""), "symbolic_link", "away at " + short(head) + " is a symbolic link", "name the file itself"},
		{fileIn(head, "docs/link.md", ""), "symbolic_link", "", "name the file itself"},
		{file("d/guide.md", ""), "symbolic_link", "d at", "name the file itself"},
		{file("untracked/link", ""), "symbolic_link", "untracked/link in the working tree is", "name the file itself"},
		{file("untracked/away", ""), "symbolic_link", "", ""},
		{file("u/file.txt", ""), "symbolic_link", "u in the working tree is", ""},
		{file("docs", ""), "is_folder", "", "name a file in it"},
		{file("untracked", ""), "is_folder", "", ""},
		{file("module", ""), "in_submodule", "belong to its own repository", ""},
		{file("module/secret", ""), "in_submodule", "belong to its own repository", ""},
		{file("docs/guide.md/x", ""), "file_missing", "", ""},
		{file("docs/Guide.MD", ""), "file_missing", "there is no docs/Guide.MD at the tip of main (" + short(head) + ") and none in the working tree", "did you mean docs/guide.md?; a file of another branch is cited with its \"commit\""},
		{file("z/util/a.go", ""), "file_missing", "", "did you mean x/util/a.go or y/util/a.go?"},
		{file("same.go", ""), "file_missing", "", "did you mean many/1/same.go or many/2/same.go or many/3/same.go (or 1 more)?"},
		{file("nothing.like", ""), "file_missing", "", fromRoot},
		{file("docs/guide.md", "3-4"), "lines_outside", "has 3 lines, and the evidence cites 3-4", "cite lines that the file has; if another branch has these, add its \"commit\""},
		{file("src/empty.go", "1"), "lines_outside", "has 0 lines", ""},
		{file("src/image.png", "1"), "lines_binary", "is not text", "without lines"},
		{file("untracked/file.txt", "2"), "lines_outside", "in the working tree has 1 line,", ""},
		{file("untracked/large", ""), "file_too_large", "it has 101 bytes", "smaller"},
		{lifecycle.Evidence{Kind: "link"}, "kind_unknown", "", ""},
	} {
		w := wrong(t, r, x.e)
		require.Equal(t, x.code, string(w.Code), "%+v: %+v", x.e, w)
		require.Contains(t, w.Detail, x.detail)
		require.Contains(t, w.Fix, x.fix)
		require.Empty(t, w.Pointer)
	}
	require.Equal(t, digest(nil), found(t, r, file("src/empty.go", "")).SHA256)
	require.Equal(t, int64(6), found(t, r, file("src/image.png", "")).Bytes)
	c.write("docs/guide.md", "1\n2\n3\n4\n")
	require.Equal(t, "the working tree has these lines: commit the change first", wrong(t, r, file("docs/guide.md", "3-4")).Fix)
}

func TestAnObjectOverTheLimitIsRefusedAndTheNextIsRead(t *testing.T) {
	c := newClone(t)
	c.write("large", strings.Repeat("x", 1<<20))
	c.write("small", "x")
	c.commit("both")
	r := c.open(Options{MaxBytes: 1000})
	w := wrong(t, r, file("large", ""))
	require.Equal(t, "file_too_large", string(w.Code))
	require.Contains(t, w.Detail, "it has 1048576 bytes, and at most 1000 are read")
	require.Equal(t, int64(1), found(t, r, file("small", "")).Bytes)
}

func TestOpen(t *testing.T) {
	c := newClone(t)
	c.write("deep/down/x", "x")
	r, err := Open(t.Context(), filepath.Join(c.dir, "deep/down"), Options{})
	require.NoError(t, err)
	top, err := filepath.EvalSymlinks(c.dir)
	require.NoError(t, err)
	require.Equal(t, top, r.Root())
	r.Follow("main")
	c.commit("first")
	require.Equal(t, int64(1), found(t, r, file("deep/down/x", "")).Bytes)
	require.NoError(t, r.Close())
	require.Equal(t, CodeUnreadable, wrong(t, r, file("deep/down/x", "")).Code, "a closed repository answers")
}

func TestOpenWhereThereIsNoRepository(t *testing.T) {
	c := newClone(t)
	bare := newClone(t, "--bare")
	for _, dir := range []string{t.TempDir(), bare.dir, filepath.Join(c.dir, ".git"), filepath.Join(c.dir, "not/there")} {
		_, err := Open(t.Context(), dir, Options{})
		require.Equal(t, "no_repository", string(fault.As(err).Code), dir)
		require.ErrorIs(t, err, fault.Unavailable)
	}
	_, err := Open(t.Context(), c.dir, Options{Git: filepath.Join(c.dir, "no-git")})
	require.Equal(t, "git_missing", string(fault.As(err).Code))
	t.Setenv("PATH", t.TempDir())
	_, err = Open(t.Context(), c.dir, Options{})
	require.Equal(t, "git_missing", string(fault.As(err).Code))
}

func TestTheCallersEnvironmentDoesNotReachGit(t *testing.T) {
	c, other := newClone(t), newClone(t)
	c.write("a", "mine\n")
	head := c.commit("mine")
	other.write("a", "other\n")
	other.commit("other")
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_INDEX_FILE", "/nowhere")
	t.Setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
	require.Equal(t, head, found(t, c.open(Options{}), file("a", "")).Commit)
}
