package evidence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// numbered has a line for each number, all different.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "this is line %d of it\n", i)
	}
	return b.String()
}

// cite is one citation, a change of the repository, and the verdict after it.
type cite struct {
	name   string
	e      lifecycle.Evidence
	change func(c clone)
	want   Standing // Detail: a part of it
}

func TestCitedFilesAreCheckedAgain(t *testing.T) {
	lines, whole := file("a/b.go", "10-12"), file("a/b.go", "")
	remove := func(c clone) { c.git("rm", "-q", "a/b.go") }
	write := func(path, content string) func(c clone) { return func(c clone) { c.write(path, content) } }
	all := func(changes ...func(c clone)) func(c clone) {
		return func(c clone) {
			for _, change := range changes {
				change(c)
			}
		}
	}
	for _, x := range []cite{
		{"nothing", lines, all(), Standing{}},
		{"another file", lines, write("other", "x"), Standing{}},
		{"another line", lines, write("a/b.go", numbered(1, 12)+"new\n"), Standing{}},
		{"another line, whole", whole, write("a/b.go", numbered(1, 12)), Standing{Reason: lifecycle.FileChanged, Detail: "a/b.go has other content at the tip of main ("}},
		{"lines moved down", lines, write("a/b.go", "new\nnew\n"+numbered(1, 30)), Standing{MovedTo: "a/b.go:12-14"}},
		{"lines moved up", lines, write("a/b.go", numbered(9, 12)), Standing{MovedTo: "a/b.go:2-4"}},
		{"one line moved", file("a/b.go", "10"), write("a/b.go", numbered(10, 12)), Standing{MovedTo: "a/b.go:1"}},
		{"lines changed", lines, write("a/b.go", strings.Replace(numbered(1, 30), "line 11", "LINE 11", 1)), Standing{
			Reason: lifecycle.LinesChanged, Detail: "a/b.go has other lines 10-12 at the tip of main ("}},
		{"lines cut off", lines, write("a/b.go", numbered(1, 11)), Standing{Reason: lifecycle.LinesChanged}},
		{"emptied", lines, write("a/b.go", ""), Standing{Reason: lifecycle.LinesChanged}},
		{"lines at two places", lines, write("a/b.go", "x\n"+numbered(10, 12)+numbered(10, 12)), Standing{
			Reason: lifecycle.LinesChanged, Detail: "stands at several places, first at line 2"}},
		{"renamed", lines, func(c clone) { c.git("mv", "a/b.go", "a/c.go") }, Standing{MovedTo: "a/c.go:10-12"}},
		{"renamed, whole", whole, func(c clone) { c.git("mv", "a/b.go", "a/c.go") }, Standing{MovedTo: "a/c.go"}},
		{"renamed and longer", lines, all(remove, write("z/c.go", "new\n"+numbered(1, 30))), Standing{MovedTo: "z/c.go:11-13"}},
		{"renamed and appended to", lines, all(remove, write("z/c.go", numbered(1, 31))), Standing{MovedTo: "z/c.go:10-12"}},
		{"renamed and changed", lines, all(remove, write("z/c.go", strings.Replace(numbered(1, 30), "line 11", "LINE", 1))), Standing{
			Reason: lifecycle.LinesChanged, Path: "z/c.go", Detail: "a/b.go, which is z/c.go now, has other lines 10-12"}},
		{"renamed and changed, whole", whole, all(remove, write("z/c.go", numbered(1, 31))), Standing{
			Reason: lifecycle.FileChanged, Path: "z/c.go", Detail: "a/b.go, which is z/c.go now, has other content"}},
		{"removed", lines, remove, Standing{Reason: lifecycle.FileGone, Detail: "a/b.go is not at the tip of main ("}},
		{"now a link", lines, all(remove, func(c clone) {
			require.NoError(c.t, os.MkdirAll(filepath.Join(c.dir, "a"), 0o755))
			require.NoError(c.t, os.Symlink("/etc/passwd", filepath.Join(c.dir, "a/b.go")))
		}), Standing{Reason: lifecycle.FileGone, Detail: "is a symbolic link or a submodule"}},
		{"now a folder", lines, all(remove, write("a/b.go/x", "x")), Standing{Reason: lifecycle.FileGone}},
		{"only another mode", whole, func(c clone) { require.NoError(c.t, os.Chmod(filepath.Join(c.dir, "a/b.go"), 0o755)) }, Standing{}},
		{"an empty file goes", file("empty", ""), func(c clone) { c.git("rm", "-q", "empty") }, Standing{Reason: lifecycle.FileGone}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newClone(t)
			c.write("a/b.go", numbered(1, 30))
			c.write("empty", "")
			c.write("empty2", "")
			first := c.commit("first")
			r := c.open(Options{})
			e := looked(t, r, x.e)
			named := x.e
			named.Commit = first
			named = looked(t, r, named)
			x.change(c)
			require.Equal(t, Standing{}, recheck(t, r, e), "before it is committed")
			c.commit("second")
			for _, e := range []lifecycle.Evidence{e, named} {
				got := recheck(t, r, e)
				require.Contains(t, got.Detail, x.want.Detail)
				got.Detail, x.want.Detail = "", ""
				require.Equal(t, x.want, got)
			}
		})
	}
}

func TestAnAmendedCommitDoesNotHideAChange(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	c.commit("first")
	r := c.open(Options{})
	e := looked(t, r, file("a", "2"))
	c.write("a", numbered(1, 1))
	c.git("commit", "-q", "-a", "--amend", "-m", "amended")
	require.Equal(t, lifecycle.LinesChanged, recheck(t, r, e).Reason)
}

func TestWhatWasCitedInTheWorkingTree(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	r := c.open(Options{})
	lines, whole := looked(t, r, file("a", "2-3")), looked(t, r, file("a", ""))
	both := func(l, w Standing) {
		t.Helper()
		for i, e := range []lifecycle.Evidence{lines, whole} {
			got := recheck(t, r, e)
			got.Detail = ""
			require.Equal(t, []Standing{l, w}[i], got)
		}
	}
	reason := func(r string) Standing { return Standing{Reason: r} }
	remove := func(path string) { require.NoError(t, os.Remove(filepath.Join(c.dir, path))) }
	both(reason(lifecycle.Uncommitted), reason(lifecycle.Uncommitted))
	require.Equal(t, "a is in the working tree, and not at the tip of main, which has no commit yet: commit it there, or merge the branch that has it", recheck(t, r, lines).Detail)
	c.write("a", "0\n"+numbered(1, 5))
	both(reason(lifecycle.Uncommitted), reason(lifecycle.FileChanged))
	c.write("a", "0\n")
	both(reason(lifecycle.LinesChanged), reason(lifecycle.FileChanged))
	remove("a")
	both(reason(lifecycle.FileGone), reason(lifecycle.FileGone))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(c.dir, "a")))
	both(reason(lifecycle.FileGone), reason(lifecycle.FileGone))
	remove("a")
	c.write("b", numbered(1, 5))
	both(reason(lifecycle.FileGone), reason(lifecycle.FileGone))
	c.commit("under another name")
	both(reason(lifecycle.Copied), reason(lifecycle.Copied))
	c.write("a", numbered(1, 5))
	both(reason(lifecycle.Uncommitted), reason(lifecycle.Uncommitted))
	c.git("add", "a")
	both(reason(lifecycle.Uncommitted), reason(lifecycle.Uncommitted))
	c.commit("under its name")
	both(Standing{}, Standing{})
	c.write("a", "changed\n")
	both(Standing{}, Standing{})
	c.commit("changed")
	both(reason(lifecycle.LinesChanged), reason(lifecycle.FileChanged))
	c.write("a", "0\n"+numbered(1, 5))
	c.commit("moved")
	both(Standing{MovedTo: "a:3-4"}, reason(lifecycle.FileChanged))
	c.git("rm", "-q", "a", "b")
	c.commit("gone")
	both(reason(lifecycle.FileGone), reason(lifecycle.FileGone))
}

func TestWhatCannotBeReadIsUnreadable(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	head := c.commit("first")
	r := c.open(Options{})
	e := looked(t, r, file("a", "1"))
	require.Equal(t, lifecycle.Unreadable, recheck(t, r, file("a", "1")).Reason, "never looked up")
	odd := e
	odd.Kind = "link"
	require.Equal(t, lifecycle.Unreadable, recheck(t, r, odd).Reason)
	forged := e
	forged.Found = &lifecycle.Found{In: lifecycle.InBranch, Commit: head, Blob: "HEAD:a\nHEAD:a", SHA256: digest(nil), Bytes: 1}
	require.Equal(t, lifecycle.LinesChanged, recheck(t, r, forged).Reason)
	require.Equal(t, Standing{}, recheck(t, r, e), "an id with a line feed reached git")
	forged = commit("x")
	forged.Found = &lifecycle.Found{Commit: "--all"}
	require.Equal(t, lifecycle.CommitGone, recheck(t, r, forged).Reason)
	c.write("a", numbered(2, 5))
	c.commit("second")
	blob := c.git("rev-parse", "HEAD:a")
	require.NoError(t, os.Remove(filepath.Join(c.dir, ".git/objects", blob[:2], blob[2:])))
	got := recheck(t, r, e)
	require.Equal(t, lifecycle.Unreadable, got.Reason)
	require.Contains(t, got.Detail, "object "+short(blob)+" is not in this repository")
	require.Equal(t, Standing{}, recheck(t, r, looked(t, r, commit(head))))
}

func TestRecheckKeepsTheOrderAndStopsWithItsContext(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 5))
	c.write("b", numbered(11, 15))
	head := c.commit("first")
	r := c.open(Options{})
	cited := []lifecycle.Evidence{looked(t, r, file("a", "1")), looked(t, r, file("b", "1")), looked(t, r, commit(head)), file("a", "")}
	c.write("a", "x")
	c.commit("second")
	all, err := recheckAll(t.Context(), r, cited)
	require.NoError(t, err)
	var reasons []string
	for _, v := range all {
		reasons = append(reasons, v.Reason)
	}
	require.Equal(t, []string{lifecycle.LinesChanged, "", "", lifecycle.Unreadable}, reasons)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = recheckAll(ctx, r, cited)
	require.ErrorIs(t, err, context.Canceled)
	all, err = recheckAll(t.Context(), r, nil)
	require.NoError(t, err)
	require.Empty(t, all)
}

// After one git that does not answer, the others are not asked: a review ends in time.
func TestRecheckAsksAGitThatHangsOnce(t *testing.T) {
	c := newClone(t)
	cited := make([]lifecycle.Evidence, 30)
	for i := range cited {
		c.write(fmt.Sprint(i), fmt.Sprintf("%d\n", i))
	}
	c.commit("first")
	good := c.open(Options{})
	for i := range cited {
		cited[i] = looked(t, good, file(fmt.Sprint(i), "1"))
		c.write(fmt.Sprint(i), "changed\n"+fmt.Sprint(i))
	}
	c.commit("second")
	command, _ := fakeGit(t, "sleep 1000")
	r := c.open(Options{Git: command})
	r.hurry(time.Second)
	before := r.git.Starts()
	within(t, func() {
		all, err := recheckAll(t.Context(), r, cited)
		require.NoError(t, err)
		for _, v := range all {
			require.Equal(t, lifecycle.Unreadable, v.Reason)
		}
	})
	require.Less(t, r.git.Starts()-before, int64(10))
}

func BenchmarkRecheckUnchanged(b *testing.B) {
	c := newClone(b)
	const files, citations = 5000, 20000
	for i := range files {
		c.write(fmt.Sprintf("pkg%d/file%d.go", i%50, i), numbered(i, i+40))
	}
	c.commit("first")
	r := c.open(Options{})
	cited := make([]lifecycle.Evidence, citations)
	for i := range cited {
		if i >= files {
			cited[i] = cited[i-files]
			continue
		}
		cited[i] = file(fmt.Sprintf("pkg%d/file%d.go", i%50, i), "3-20")
		f, wrong := r.Look(b.Context(), cited[i])
		require.Nil(b, wrong)
		cited[i].Found = f
	}
	for b.Loop() {
		all, err := recheckAll(b.Context(), r, cited)
		require.NoError(b, err)
		require.Equal(b, "", all[citations-1].Reason)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/citations, "ns/citation")
}

// Every citation has moved by one line in a long file.
func BenchmarkRecheckMoved(b *testing.B) {
	c := newClone(b)
	c.write("a", numbered(1, 10000))
	c.commit("first")
	r := c.open(Options{})
	cited := make([]lifecycle.Evidence, 2000)
	for i := range cited {
		e := file("a", span{i + 1, i + 30}.String())
		part, _ := cut([]byte(numbered(i+1, i+30)), span{})
		e.Found, _ = r.Look(b.Context(), file("a", ""))
		e.Found.SHA256 = digest(part)
		cited[i] = e
	}
	c.write("a", "new\n"+numbered(1, 10000))
	c.commit("second")
	for b.Loop() {
		all, err := recheckAll(b.Context(), r, cited)
		require.NoError(b, err)
		require.Equal(b, "a:2000-2029", all[1998].MovedTo)
		require.Equal(b, "a:2-31", all[0].MovedTo)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(cited)), "ns/citation")
}

func BenchmarkLook(b *testing.B) {
	c := newClone(b)
	c.write("a", numbered(1, 500))
	c.commit("first")
	r := c.open(Options{})
	for b.Loop() {
		_, wrong := r.Look(b.Context(), file("a", "12-40"))
		require.Nil(b, wrong)
	}
}
