package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// why returns why a citation no longer holds, and requires that it did not move.
func why(t *testing.T, r *Repository, e lifecycle.Evidence) string {
	t.Helper()
	s := recheck(t, r, e)
	require.Empty(t, s.MovedTo)
	return s.Reason
}

// Whatever refers to a commit besides HEAD, branches and tags is no history.
func TestHiddenRefsAreNoHistory(t *testing.T) {
	for _, ref := range []string{
		"refs/hidden/x", "refs/pull/1/head", "refs/stash", "refs/notes/commits", "refs/replace/x", "refs/original/refs/heads/main", "refs/heads",
		"refs/changes/01/1/1", "refs/keep-around/x", "refs/bisect/bad", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD",
	} {
		c := newClone(t)
		c.write("a", "a\n")
		c.commit("first")
		c.write("a", "b\n")
		amended := c.commit("second")
		r := c.open(Options{})
		id, named := looked(t, r, commit(amended)), looked(t, r, fileIn(amended, "a", "1"))
		c.git("commit", "-q", "--allow-empty", "--amend", "-m", "amended")
		if ref == "refs/heads" { // nothing but the log of what HEAD was
			ref = "refs/hidden/none"
		}
		c.git("update-ref", ref, amended)
		require.Equal(t, "commit_dangling", string(wrong(t, r, commit(amended)).Code), ref)
		require.Equal(t, "commit_dangling", string(wrong(t, r, commit(amended[:9])).Code), ref)
		require.Equal(t, "commit_dangling", string(wrong(t, r, fileIn(amended, "a", "1")).Code), ref)
		require.Equal(t, lifecycle.CommitGone, why(t, r, id), ref)
		require.Equal(t, lifecycle.CommitGone, why(t, r, named), ref)
		require.Contains(t, recheck(t, r, id).Detail, "is in no history any more: no branch or tag has it")
	}
}

func TestTheStashIsNoHistory(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	c.write("a", "not committed\n")
	c.git("stash", "push", "-q")
	require.Equal(t, "commit_dangling", string(wrong(t, c.open(Options{}), commit(c.git("rev-parse", "stash"))).Code))
}

// A commit of another history can be cited, and is shown as what it is.
func TestACommitElsewhereIsShown(t *testing.T) {
	for name, keep := range map[string]func(c clone, commit string){
		"branch":         func(c clone, commit string) { c.git("branch", "side", commit) },
		"fetched":        func(c clone, commit string) { c.git("update-ref", "refs/remotes/origin/side", commit) },
		"tag":            func(c clone, commit string) { c.git("tag", "side", commit) },
		"annotated tag":  func(c clone, commit string) { c.git("tag", "-a", "-m", "t", "side", commit) },
		"HEAD, detached": func(c clone, commit string) { c.git("checkout", "-q", "--detach", commit) },
		"linked": func(c clone, commit string) {
			c.git("worktree", "add", "-q", "-b", "side", filepath.Join(filepath.Dir(c.dir), "linked"), commit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClone(t)
			c.write("a", "a\n")
			first := c.commit("first")
			c.write("a", "b\n")
			side := c.commit("side")
			r := c.open(Options{})
			keep(c, side)
			c.git("update-ref", "refs/heads/main", first)
			for _, e := range []lifecycle.Evidence{commit(side), fileIn(side, "a", "1")} {
				e := looked(t, r, e)
				require.Equal(t, Standing{Reason: lifecycle.Elsewhere, Detail: "commit " + short(side) +
					" is not in the history of main: another branch, a tag or HEAD has it"}, recheck(t, r, e))
				c.git("update-ref", "refs/heads/main", side)
				require.Equal(t, Standing{}, recheck(t, r, e), "merged")
				c.git("update-ref", "refs/heads/main", first)
			}
		})
	}
}

// What the head of another working tree has alone is neither a branch nor a tag.
func TestTheHeadOfAnotherWorkingTreeIsNoHistory(t *testing.T) {
	c := newClone(t)
	c.commit("first")
	linked := clone{t, filepath.Join(t.TempDir(), "linked")}
	c.git("worktree", "add", "-q", "--detach", linked.dir)
	lone := linked.commit("lone")
	require.Equal(t, "commit_dangling", string(wrong(t, c.open(Options{}), commit(lone)).Code))
	found(t, linked.open(Options{}), commit(lone))
}

// Whoever breaks a ref keeps nobody from seeing that a commit is in no history.
func TestABrokenRefHidesNothing(t *testing.T) {
	for _, content := range []string{"garbage\n", strings.Repeat("1", 40) + "\n", ""} {
		c := newClone(t)
		first := c.commit("first")
		lone := c.commit("lone")
		r := c.open(Options{})
		e := looked(t, r, commit(lone))
		c.git("reset", "-q", "--hard", first)
		for _, ref := range []string{"refs/heads/bad", "refs/tags/bad", "refs/remotes/origin/bad"} {
			c.write(".git/"+ref, content)
			require.Equal(t, lifecycle.CommitGone, why(t, r, e), "%s: %q", ref, content)
			require.Equal(t, "commit_dangling", string(wrong(t, r, commit(lone)).Code))
		}
		c.git("tag", "good", lone)
		require.Equal(t, lifecycle.Elsewhere, why(t, r, e), "%q", content)
	}
}

// merges bring a feature branch of two commits to main, each in its way.
var merges = []struct {
	name         string
	do           func(c clone)
	first, whole string // reasons why the commits of the feature do not count once its branch is deleted
}{
	{"merge commit", func(c clone) { c.git("merge", "-q", "--no-ff", "--no-edit", "feature") }, "", ""},
	{"squash", func(c clone) {
		c.git("merge", "-q", "--squash", "feature")
		c.git("commit", "-q", "-m", "squashed")
	}, lifecycle.CommitGone, ""},
	{"rebase", func(c clone) { c.git("cherry-pick", "main..feature") }, lifecycle.CommitGone, ""},
}

func TestAFeatureCountsOnceItIsMerged(t *testing.T) {
	for _, way := range merges {
		t.Run(way.name, func(t *testing.T) {
			c := newClone(t)
			c.write("old", numbered(1, 9))
			c.commit("base")
			r := c.open(Options{})
			c.git("checkout", "-q", "-b", "feature")
			c.write("new", numbered(1, 5))
			onDisk := looked(t, r, file("new", "2-3"))
			require.Equal(t, lifecycle.InWorktree, onDisk.Found.In)
			one := c.commit("one")
			require.Equal(t, lifecycle.Uncommitted, why(t, r, onDisk), "main does not have it")
			c.write("old", "0\n"+numbered(1, 9))
			two := c.commit("two")
			cited := []lifecycle.Evidence{looked(t, r, commit(one)), looked(t, r, commit(two)), looked(t, r, fileIn(two, "old", "2-4"))}
			for _, e := range cited {
				require.Equal(t, lifecycle.Elsewhere, why(t, r, e))
			}
			c.git("checkout", "-q", "main")
			c.write("unrelated", "u\n")
			c.commit("main goes on")
			require.Equal(t, lifecycle.FileGone, why(t, r, onDisk), "neither main nor the working tree has it")
			way.do(c)
			require.Equal(t, Standing{}, recheck(t, r, onDisk))
			c.git("branch", "-D", "feature")
			c.git("checkout", "-q", "--orphan", "elsewhere")
			for _, e := range cited {
				require.Equal(t, way.first, why(t, r, e))
			}
			require.Equal(t, Standing{}, recheck(t, r, onDisk), "what is checked out does not matter")
			require.Equal(t, Standing{}, recheck(t, r, looked(t, r, file("old", "2-4"))))
		})
	}
	t.Run("fast-forward", func(t *testing.T) {
		c := newClone(t)
		c.commit("base")
		r := c.open(Options{})
		c.git("checkout", "-q", "-b", "feature")
		e := looked(t, r, commit(c.commit("one")))
		require.Equal(t, lifecycle.Elsewhere, why(t, r, e))
		c.git("push", "-q", ".", "feature:main")
		require.Equal(t, Standing{}, recheck(t, r, e))
	})
}

func TestWhatIsCheckedOutDoesNotMatter(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	first := c.commit("first")
	c.git("checkout", "-q", "-b", "side")
	c.git("rm", "-q", "a")
	c.write("b", "b\n")
	side := c.commit("side")
	c.git("checkout", "-q", "main")
	r := c.open(Options{})
	cited := []lifecycle.Evidence{looked(t, r, file("a", "2")), looked(t, r, fileIn(first, "a", "")), looked(t, r, commit(first))}
	for _, state := range [][]string{
		{"checkout", "-q", "side"}, {"checkout", "-q", "--detach", side}, {"checkout", "-q", "--orphan", "unborn"}, {"rm", "-q", "-r", "-f", "."},
	} {
		c.git(state...)
		for _, e := range cited {
			require.Equal(t, Standing{}, recheck(t, r, e), "%v", state)
			found(t, r, lifecycle.Evidence{Kind: e.Kind, Path: e.Path, Lines: e.Lines, Commit: e.Commit})
		}
		require.Equal(t, first, found(t, r, file("a", "1")).Commit)
	}
	c.git("checkout", "-q", "-f", "side")
	require.Equal(t, "file_missing", string(wrong(t, r, file("c", "")).Code))
	onDisk := looked(t, r, file("b", ""))
	require.Equal(t, lifecycle.InWorktree, onDisk.Found.In, "main does not have it")
	require.Equal(t, lifecycle.Uncommitted, why(t, r, onDisk))
	r.Follow("side")
	require.Equal(t, Standing{}, recheck(t, r, onDisk))
	require.Equal(t, lifecycle.FileGone, why(t, r, cited[0]))
	require.Equal(t, Standing{}, recheck(t, r, cited[2]), "both have it")
}

func TestABranchThatIsGoneTellsNothing(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	head := c.commit("first")
	c.write("r.xml", junit)
	c.write("new", "n\n")
	r := c.open(Options{})
	cited := []lifecycle.Evidence{looked(t, r, file("a", "2")), looked(t, r, fileIn(head, "a", "")), looked(t, r, commit(head)),
		looked(t, r, file("new", "")), looked(t, r, test("TestGood", "pass", "r.xml"))}
	c.git("checkout", "-q", "-b", "side")
	c.git("branch", "-q", "-D", "main")
	for i, e := range cited {
		require.Equal(t, Standing{Reason: lifecycle.Unknown, Detail: "there is no branch main"}, recheck(t, r, e), i)
	}
	w := wrong(t, r, file("a", "2"))
	require.Equal(t, CodeUnreadable, w.Code)
	require.Equal(t, "it cannot be looked up: there is no branch main", w.Detail)
	require.Contains(t, w.Fix, "--branch")
	c.write("r.xml", junit)
	require.Equal(t, CodeUnreadable, wrong(t, r, test("TestGood", "pass", "r.xml")).Code)
	c.git("branch", "main", head)
	for _, e := range []int{0, 1, 2, 4} {
		require.Equal(t, Standing{}, recheck(t, r, cited[e]), "made again")
	}
	r.Follow("")
	for i, e := range cited {
		require.Equal(t, Standing{Reason: lifecycle.Unknown, Detail: "nobody has named the branch that counts"}, recheck(t, r, e), i)
	}
	require.Error(t, CheckBranch("-x"))
}

func TestAForcedPushTakesEvidenceAway(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	first := c.commit("first")
	c.write("a", "new\n"+numbered(1, 5))
	c.write("b", "b\n")
	second := c.commit("second")
	r := c.open(Options{})
	cited := []lifecycle.Evidence{looked(t, r, file("a", "1")), looked(t, r, file("a", "2-3")), looked(t, r, file("b", "")),
		looked(t, r, fileIn(second, "a", "2-3")), looked(t, r, commit(second)), looked(t, r, commit(first))}
	c.git("reset", "-q", "--hard", first)
	for i, want := range []string{lifecycle.LinesChanged, "a:1-2", lifecycle.FileGone, lifecycle.CommitGone, lifecycle.CommitGone, ""} {
		s := recheck(t, r, cited[i])
		require.Equal(t, want, s.Reason+s.MovedTo, "%d: %+v", i, s)
	}
	c.git("branch", "kept", second)
	require.Equal(t, lifecycle.Elsewhere, why(t, r, cited[3]))
	require.Equal(t, lifecycle.Elsewhere, why(t, r, cited[0]), "another branch has it")
	require.Equal(t, lifecycle.Elsewhere, why(t, r, cited[2]), "another branch has it")
}

// An amended commit is another commit. What it has counts all the same where the evidence names none.
func TestWhatAnAmendedCommitHasCounts(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 30))
	c.write("b", numbered(41, 70))
	head := c.commit("first")
	r := c.open(Options{})
	here, named, moving := looked(t, r, file("a", "2-9")), looked(t, r, fileIn(head, "a", "2-9")), looked(t, r, file("b", "2-9"))
	c.git("mv", "b", "c")
	c.git("commit", "-q", "--amend", "-m", "amended")
	require.Equal(t, Standing{}, recheck(t, r, here))
	require.Equal(t, Standing{MovedTo: "c:2-9"}, recheck(t, r, moving), "git still has the commit that was replaced")
	require.Equal(t, lifecycle.CommitGone, why(t, r, named))
	c.git("reflog", "expire", "--expire=now", "--all")
	c.git("gc", "-q", "--prune=now")
	require.Equal(t, Standing{}, recheck(t, r, here))
	require.Equal(t, lifecycle.Copied, why(t, r, moving), "nobody can tell any more that it was renamed")
	require.Equal(t, lifecycle.CommitGone, why(t, r, named))
	require.Contains(t, recheck(t, r, named).Detail, "is not in this repository any more")
}

// standsIn is what stands in the place of a file that was cited, and how the citation stands then.
type standsIn struct {
	name   string
	change func(c clone)
	want   Standing // Detail: a part of it
}

func TestCopiesAndLinksDoNotStandForAFile(t *testing.T) {
	text := numbered(1, 30)
	remove := func(c clone) { c.git("rm", "-q", "a/b.go") }
	link := func(c clone, to string) {
		remove(c)
		require.NoError(c.t, os.MkdirAll(filepath.Join(c.dir, "a"), 0o755))
		require.NoError(c.t, os.Symlink(to, filepath.Join(c.dir, "a/b.go")))
	}
	for _, x := range []standsIn{
		{"copied before", func(c clone) { c.write("z/b.go", text); c.commit("copy"); remove(c) },
			Standing{MovedTo: "z/b.go:10-12"}}, // between the two commits it is a rename
		{"there all along", func(c clone) { c.git("rm", "-q", "a/b.go", "other/copy.go"); c.write("keep.go", text) }, Standing{MovedTo: "keep.go:10-12"}},
		{"an older copy", func(c clone) { remove(c) }, Standing{Reason: lifecycle.Copied, Detail: "a/b.go is not at the tip of main ("}},
		{"another older copy", func(c clone) { remove(c) }, Standing{Reason: lifecycle.Copied, Detail: "); other/copy.go has the same content, and git sees no rename between the two"}},
		{"symbolic link", func(c clone) { link(c, "../other/copy.go") },
			Standing{Reason: lifecycle.FileGone, Detail: "a/b.go is a symbolic link or a submodule at the tip of main ("}},
		{"symbolic link to what was renamed", func(c clone) {
			c.git("mv", "a/b.go", "a/c.go")
			require.NoError(c.t, os.Symlink("c.go", filepath.Join(c.dir, "a/b.go")))
		},
			Standing{Reason: lifecycle.FileGone, Detail: "is a symbolic link"}},
		{"linked folder", func(c clone) {
			remove(c)
			c.write("real/b.go", text)
			require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, "a")))
			require.NoError(c.t, os.Symlink("real", filepath.Join(c.dir, "a")))
		}, Standing{MovedTo: "real/b.go:10-12"}},
		{"submodule", func(c clone) {
			inner := newClone(c.t)
			inner.write("b.go", text)
			inner.commit("inner")
			remove(c)
			c.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "a/b.go")
		}, Standing{Reason: lifecycle.FileGone, Detail: "is a symbolic link or a submodule"}},
		{"hard link", func(c clone) {
			full := filepath.Join(c.dir, "a/b.go")
			require.NoError(c.t, os.Remove(full))
			require.NoError(c.t, os.Link(filepath.Join(c.dir, "other/copy.go"), full))
		}, Standing{}},
		{"copied with an edit", func(c clone) {
			c.git("rm", "-q", "other/copy.go")
			c.write("z/b.go", text+"new\n")
			c.commit("copy")
			remove(c)
		}, Standing{MovedTo: "z/b.go:10-12"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newClone(t)
			c.write("a/b.go", text)
			c.write("other/copy.go", text)
			c.commit("first")
			r := c.open(Options{})
			e := looked(t, r, file("a/b.go", "10-12"))
			x.change(c)
			c.commit("second")
			got := recheck(t, r, e)
			require.Contains(t, got.Detail, x.want.Detail)
			got.Detail, x.want.Detail = "", ""
			require.Equal(t, x.want, got)
		})
	}
}

func TestRenamesAreThoseOfGit(t *testing.T) {
	c := newClone(t)
	text := map[string]string{}
	for i, name := range []string{"pure.go", "edited.go", "cited.go", "two.go", "swapped.go", "other.go"} {
		text[name] = numbered(100*i+1, 100*i+40)
		c.write("a/"+name, text[name])
	}
	c.write("a/short.go", "1\n2\n")
	c.commit("first")
	r := c.open(Options{})
	cited := map[string]lifecycle.Evidence{}
	for name := range text {
		cited[name] = looked(t, r, file("a/"+name, "10-12"))
	}
	cited["short.go"] = looked(t, r, file("a/short.go", "1"))
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "b"), 0o755))
	c.git("mv", "a/pure.go", "b/pure.go")
	c.git("mv", "a/edited.go", "a/edited2.go")
	c.write("a/edited2.go", "new\nnew\n"+text["edited.go"])
	c.git("mv", "a/cited.go", "a/cited2.go")
	c.write("a/cited2.go", strings.Replace(text["cited.go"], "line 211 ", "LINE 211 ", 1))
	c.git("mv", "a/two.go", "b/two.go")
	c.write("c/second.go", text["two.go"])
	c.git("mv", "a/swapped.go", "a/temporary")
	c.git("mv", "a/other.go", "a/swapped.go")
	c.git("mv", "a/temporary", "a/other.go")
	c.git("mv", "a/short.go", "b/long.go")
	c.write("b/long.go", "entirely\nother\nlines\n")
	c.commit("renamed")
	for name, want := range map[string]Standing{
		"pure.go":    {MovedTo: "b/pure.go:10-12"},
		"edited.go":  {MovedTo: "a/edited2.go:12-14"},
		"cited.go":   {Reason: lifecycle.LinesChanged, Path: "a/cited2.go", Detail: "a/cited.go, which is a/cited2.go now, has other lines 10-12"},
		"two.go":     {MovedTo: "b/two.go:10-12"},
		"swapped.go": {Reason: lifecycle.LinesChanged, Detail: "a/swapped.go has other lines 10-12"},
		"other.go":   {Reason: lifecycle.LinesChanged, Detail: "a/other.go has other lines 10-12"},
		"short.go":   {Reason: lifecycle.FileGone, Detail: "a/short.go is not at the tip of main ("},
	} {
		got := recheck(t, r, cited[name])
		require.Contains(t, got.Detail, want.Detail, name)
		got.Detail, want.Detail = "", ""
		require.Equal(t, want, got, name)
	}
}

func TestEndsOfLinesAreContent(t *testing.T) {
	c := newClone(t)
	dos := strings.ReplaceAll(numbered(1, 5), "\n", "\r\n")
	c.write("kept", dos)
	c.commit("first")
	r := c.open(Options{})
	kept := looked(t, r, file("kept", "2-3"))
	require.Equal(t, digest([]byte("this is line 2 of it\r\nthis is line 3 of it\r\n")), kept.Found.SHA256)
	c.write("kept", "new\r\n"+dos)
	c.commit("second")
	require.Equal(t, Standing{MovedTo: "kept:3-4"}, recheck(t, r, kept))
	c.write("kept", numbered(1, 5))
	c.commit("third")
	require.Equal(t, lifecycle.LinesChanged, why(t, r, kept))
}

// git may replace the ends of lines when a file is committed, and the other way round when it is checked out.
func TestEndsOfLinesThatGitReplaces(t *testing.T) {
	c := newClone(t)
	c.git("config", "core.autocrlf", "true")
	c.commit("first")
	c.write("new", strings.ReplaceAll(numbered(1, 5), "\n", "\r\n"))
	r := c.open(Options{})
	lines, whole := looked(t, r, file("new", "2-3")), looked(t, r, file("new", ""))
	require.Equal(t, lifecycle.InWorktree, lines.Found.In)
	c.commit("second")
	require.NotContains(t, c.git("cat-file", "-p", "HEAD:new"), "\r")
	require.Equal(t, Standing{}, recheck(t, r, lines))
	require.Equal(t, Standing{}, recheck(t, r, whole))
	dirty, err := r.Dirty(t.Context(), []string{"new"})
	require.NoError(t, err)
	require.Empty(t, dirty)
	c.write("new", strings.ReplaceAll("0\n"+numbered(1, 5), "\n", "\r\n"))
	c.commit("third")
	require.Equal(t, lifecycle.LinesChanged, why(t, r, lines))
	require.Equal(t, lifecycle.FileChanged, why(t, r, whole))
}

func TestAShallowCloneTellsWhatItCan(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 30))
	c.write("b", numbered(41, 70))
	first := c.commit("first")
	c.git("mv", "b", "moved")
	c.write("a", "new\n"+numbered(1, 30))
	c.commit("second")
	c.commit("third")
	full := clone{t, filepath.Join(t.TempDir(), "full")}
	c.git("clone", "-q", "file://"+c.dir, full.dir)
	shallow := clone{t, filepath.Join(t.TempDir(), "shallow")}
	c.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+c.dir, shallow.dir)
	whole, cut := full.open(Options{}), shallow.open(Options{})
	head := c.git("rev-parse", "HEAD")
	at := func(e lifecycle.Evidence, in, commit, of string) lifecycle.Evidence { // as it was found at the first commit
		blob := c.git("rev-parse", commit+":"+e.Path)
		part, ok := cutLines(of, e.Lines)
		require.True(t, ok)
		e.Found = &lifecycle.Found{In: in, Commit: commit, Blob: blob, SHA256: digest(part), Bytes: int64(len(of))}
		return e
	}
	id := func(commit string) lifecycle.Evidence {
		return lifecycle.Evidence{Kind: "commit", Commit: commit, Found: &lifecycle.Found{In: lifecycle.InCommit, Commit: commit}}
	}
	a, b := numbered(1, 30), numbered(41, 70)
	for i, x := range []struct {
		e           lifecycle.Evidence
		whole, lack string // reasons
	}{
		{at(file("a", "5-9"), lifecycle.InBranch, first, a), "", ""},
		{at(file("b", "5-9"), lifecycle.InBranch, first, b), "", lifecycle.Unknown},
		{at(fileIn(first, "a", "5-9"), lifecycle.InCommit, first, a), "", lifecycle.Unknown},
		{id(first), "", lifecycle.Unknown},
		{id(head), "", ""},
		{id(strings.Repeat("1", 40)), lifecycle.CommitGone, lifecycle.Unknown},
	} {
		require.Equal(t, x.whole, recheck(t, whole, x.e).Reason, i)
		s := recheck(t, cut, x.e)
		require.Equal(t, x.lack, s.Reason, "%d: %+v", i, s)
		if x.lack != "" {
			require.Contains(t, s.Detail, "it is a shallow clone, whose history is cut off")
		}
	}
	require.Equal(t, "a:6-10", recheck(t, cut, at(file("a", "5-9"), lifecycle.InBranch, first, a)).MovedTo)
	for _, id := range []string{first, first[:8]} {
		w := wrong(t, cut, commit(id))
		require.Equal(t, "commit_unknown", string(w.Code))
		require.Equal(t, "run git fetch --unshallow; in CI, check out the whole history (fetch-depth: 0)", w.Fix)
	}
	require.Equal(t, "commit first, and write the id that git log shows", wrong(t, whole, commit(strings.Repeat("1", 40))).Fix)
	shallow.git("fetch", "-q", "--unshallow")
	found(t, cut, commit(first))
}

func cutLines(content, lines string) ([]byte, bool) {
	s, err := parseSpan(lines)
	part, ok := cut([]byte(content), s)
	return part, ok && err == nil
}

func TestDirtyFilesOfTheBranch(t *testing.T) {
	c := newClone(t)
	for _, name := range []string{"same", "edited", "removed", "link", "dos", "mode", "folder", "sub/deep"} {
		c.write(name, "one\ntwo\n")
	}
	payload := "large content\n"
	c.write("large", "version https://git-lfs.github.com/spec/v1\noid sha256:"+digest([]byte(payload))+"\nsize 14\n")
	c.commit("first")
	r := c.open(Options{})
	paths := []string{"same", "edited", "removed", "link", "dos", "mode", "folder", "sub/deep", "large", "new", "never", "../out", ".git/config"}
	dirty := func() map[string]bool {
		t.Helper()
		d, err := r.Dirty(t.Context(), paths)
		require.NoError(t, err)
		return d
	}
	require.Empty(t, dirty())
	c.git("config", "filter.spy.clean", "touch "+filepath.Join(c.dir, "spied")+"; cat")
	c.write(".gitattributes", "* filter=spy\n")
	c.write("edited", "one\n2\n")
	require.NoError(t, os.Remove(filepath.Join(c.dir, "removed")))
	require.NoError(t, os.Remove(filepath.Join(c.dir, "link")))
	require.NoError(t, os.Symlink("same", filepath.Join(c.dir, "link")))
	c.write("dos", "one\r\ntwo\r\n")
	require.NoError(t, os.Chmod(filepath.Join(c.dir, "mode"), 0o755))
	require.NoError(t, os.Remove(filepath.Join(c.dir, "folder")))
	c.write("folder/x", "x")
	c.write("large", payload)
	c.write("new", "n\n")
	want := map[string]bool{"edited": true, "removed": true, "link": true, "folder": true, "new": true}
	require.Equal(t, want, dirty())
	c.git("add", "edited")
	require.True(t, dirty()["edited"], "the index is not the branch")
	c.write("large", "another content\n")
	require.True(t, dirty()["large"])
	c.git("config", "--unset", "filter.spy.clean")
	c.git("checkout", "-q", "-b", "side")
	require.Empty(t, dirty(), "another branch is checked out")
	r.Follow("side")
	require.True(t, dirty()["edited"])
	c.git("checkout", "-q", "--detach")
	require.Empty(t, dirty(), "no branch is checked out")
	r.Follow("gone")
	require.Empty(t, dirty())
	c.git("checkout", "-q", "--orphan", "unborn")
	r.Follow("unborn")
	require.Equal(t, map[string]bool{"same": true, "edited": true, "dos": true, "mode": true, "sub/deep": true, "large": true, "new": true}, dirty())
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, ".git")))
	_, err := r.Dirty(t.Context(), paths)
	require.ErrorIs(t, err, fault.Unavailable)
}

func TestAPartialCloneTellsWhatItCan(t *testing.T) {
	c := newClone(t)
	for i, name := range []string{"same", "pure", "edited", "gone", "moved"} {
		c.write(name, numbered(100*i+1, 100*i+30))
	}
	first := c.commit("first")
	cited := map[string]lifecycle.Evidence{}
	r := c.open(Options{})
	for _, name := range []string{"same", "pure", "edited", "gone", "moved"} {
		cited[name] = looked(t, r, file(name, "5-9"))
	}
	c.write("r.xml", junit)
	ran := looked(t, r, at(first))
	require.NoError(t, os.Remove(filepath.Join(c.dir, "r.xml")))
	c.git("mv", "pure", "pure2")
	c.git("mv", "edited", "edited2")
	c.write("edited2", "new\n"+numbered(201, 230))
	c.git("rm", "-q", "gone")
	c.write("moved", "new\n"+numbered(401, 430))
	c.commit("second")
	for _, filter := range []string{"blob:none", "tree:0"} {
		c.git("config", "uploadpack.allowFilter", "true")
		partial := clone{t, filepath.Join(t.TempDir(), "partial")}
		c.git("clone", "-q", "--filter="+filter, "file://"+c.dir, partial.dir)
		partial.write("r.xml", junit)
		lacks := partial.open(Options{})
		want := map[string]string{"same": "", "pure": "pure2:5-9", "edited": lifecycle.Unknown, "gone": lifecycle.Unknown, "moved": "moved:6-10"}
		if filter == "tree:0" {
			want["pure"] = lifecycle.Unknown
		}
		for name, want := range want {
			s := recheck(t, lacks, cited[name])
			require.Equal(t, want, s.Reason+s.MovedTo, "%s, %s: %s", filter, name, s.Detail)
			if want == lifecycle.Unknown {
				require.Contains(t, s.Detail, "it is a partial clone, which lacks objects")
			}
		}
		code := map[string]string{"same": "", "pure": "", "moved": lifecycle.CodeChanged, "gone": lifecycle.Unknown}
		if filter == "tree:0" {
			code = map[string]string{"same": lifecycle.Unknown}
		}
		for name, want := range code {
			require.Equal(t, want, holds(t, lacks, ran, cited[name]).Reason, "%s, %s", filter, name)
		}
		require.Equal(t, Standing{}, recheck(t, lacks, lifecycle.Evidence{Kind: "commit", Commit: first, Found: &lifecycle.Found{Commit: first}}))
		blob := c.git("rev-parse", "HEAD:moved")
		dropped := clone{t, filepath.Join(t.TempDir(), "dropped")}
		c.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+c.dir, dropped.dir)
		s := recheck(t, dropped.open(Options{}), cited["moved"])
		require.Equal(t, lifecycle.Unknown, s.Reason, "the tip's own content was never fetched")
		require.Contains(t, s.Detail, "the content of moved: ", blob)
	}
}
