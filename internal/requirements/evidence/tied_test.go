package evidence

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// A commit of the implementation whose file was renamed before the tests is followed to what they saw, and from there
// to the tip.
func TestAFileThatOnlyTheImplementationNamesIsFollowedToTheTests(t *testing.T) {
	remove := func(path string) func(c clone) { return func(c clone) { c.git("rm", "-q", path) } }
	write := func(path, content string) func(c clone) { return func(c clone) { c.write(path, content) } }
	move := func(from, to string) func(c clone) { return func(c clone) { c.git("mv", from, to) } }
	nothing := func(clone) {}
	for _, x := range []struct {
		name          string
		before, after func(c clone) // the tests
		want          string
	}{
		{"renamed", move("src/b.go", "src/c.go"), nothing, ""},
		{"renamed, then rewritten", move("src/b.go", "src/c.go"), write("src/c.go", numbered(901, 940)), lifecycle.CodeChanged},
		{"renamed, then edited", move("src/b.go", "src/c.go"), write("src/c.go", numbered(101, 141)), lifecycle.CodeChanged},
		{"renamed, then deleted", move("src/b.go", "src/c.go"), remove("src/c.go"), lifecycle.CodeChanged},
		{"renamed, then again", move("src/b.go", "src/c.go"), move("src/c.go", "src/d.go"), ""},
		{"renamed, then again and edited", move("src/b.go", "src/c.go"), func(c clone) {
			c.git("mv", "src/c.go", "src/d.go")
			c.write("src/d.go", numbered(101, 141))
		}, lifecycle.CodeChanged},
		{"renamed and edited, then rewritten", func(c clone) {
			c.git("mv", "src/b.go", "src/c.go")
			c.write("src/c.go", numbered(101, 145))
		}, write("src/c.go", numbered(901, 940)), lifecycle.CodeChanged},
		{"deleted", remove("src/b.go"), nothing, ""},
		{"deleted, then another file rewritten", remove("src/b.go"), write("src/a.go", numbered(901, 940)), ""},
		{"deleted, then back under another name", remove("src/b.go"), write("src/c.go", numbered(101, 140)), lifecycle.CodeChanged},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newClone(t)
			c.write(".gitignore", "r.xml\n")
			c.write("src/a.go", numbered(1, 40))
			c.write("src/kept.go", numbered(501, 540))
			c.commit("base")
			c.write("src/b.go", numbered(101, 140))
			c.write("src/kept.go", numbered(501, 541))
			made := c.commit("implementation")
			x.before(c)
			ran := c.commit("before the tests")
			c.write("r.xml", junit)
			r := c.open(Options{})
			code, tests := looked(t, r, commit(made)), looked(t, r, at(ran))
			require.Equal(t, Standing{}, holds(t, r, tests, code))
			x.after(c)
			c.commit("after the tests")
			got := holds(t, r, tests, code)
			require.Equal(t, x.want, got.Reason, got.Detail)
		})
	}
}

// The rename is that of the tested commit even where the citing commit comes after it.
func TestTestsThatRanBeforeTheImplementationSawItUnderItsOldName(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.write("a.go", numbered(1, 40))
	ran := c.commit("base")
	c.git("mv", "a.go", "b.go")
	made := c.commit("implementation")
	c.git("mv", "b.go", "c.go")
	c.commit("renamed again")
	c.write("r.xml", junit)
	r := c.open(Options{})
	code, tests := looked(t, r, fileIn(made, "b.go", "3")), looked(t, r, at(ran))
	require.Equal(t, Standing{}, holds(t, r, tests, code))
	c.write("c.go", numbered(1, 41))
	c.commit("changed")
	require.Equal(t, lifecycle.CodeChanged, holds(t, r, tests, code).Reason)
}

// However many files wait for renames of their own, all are judged.
func TestManyRenamedFilesAreFollowedAtOnce(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.write("cited.go", numbered(901, 940))
	c.commit("base")
	r := c.open(Options{})
	code := []lifecycle.Evidence{looked(t, r, file("cited.go", "3"))}
	names := []string{"a", "b", "c", "d"}
	for i, name := range names {
		c.write(name+".go", numbered(100*i, 100*i+40))
		code = append(code, looked(t, r, commit(c.commit(name))))
	}
	for _, name := range names[:2] {
		c.git("mv", name+".go", name+"2.go")
	}
	c.git("rm", "-q", "c.go")
	ran := c.commit("before the tests")
	c.write("r.xml", junit)
	tests := looked(t, r, at(ran))
	for _, name := range names[:2] {
		c.git("mv", name+"2.go", name+"3.go")
	}
	c.git("mv", "d.go", "d3.go")
	c.git("mv", "cited.go", "cited3.go")
	c.commit("after the tests")
	require.Equal(t, Standing{}, holds(t, r, tests, code...))
	c.write("b3.go", numbered(100, 141))
	c.commit("changed")
	require.Equal(t, lifecycle.CodeChanged, holds(t, r, tests, code...).Reason)
	c.write("b3.go", numbered(100, 140))
	c.write("c4.go", numbered(200, 240))
	c.commit("back under another name")
	got := holds(t, r, tests, code...)
	require.Equal(t, lifecycle.CodeChanged, got.Reason)
	require.Contains(t, got.Detail, "c.go at commit ")
	require.NoError(t, os.Remove(filepath.Join(c.dir, "c4.go")))
	c.commit("gone again")
	require.Equal(t, Standing{}, holds(t, r, tests, code...))
}

// An implementation that comes to no file ties the tests to the tip itself.
func TestAnImplementationWithoutFilesIsTiedToTheTip(t *testing.T) {
	for _, x := range []struct {
		name   string
		change func(c clone) []string // makes the commits of the implementation
		tied   bool                   // by a file
	}{
		{"an empty commit", func(c clone) []string { return []string{c.commit("empty")} }, false},
		{"a merge that takes nothing", func(c clone) []string {
			c.git("checkout", "-q", "-b", "side")
			c.write("side.go", "s\n")
			c.commit("side")
			c.git("checkout", "-q", "main")
			c.git("merge", "-q", "-s", "ours", "--no-edit", "side")
			return []string{c.git("rev-parse", "HEAD")}
		}, false},
		{"a commit and its revert", func(c clone) []string {
			c.write("b.go", numbered(101, 140))
			made := c.commit("b")
			c.git("rm", "-q", "b.go")
			return []string{made, c.commit("no b")}
		}, false},
		{"a commit that was reverted", func(c clone) []string {
			c.write("b.go", numbered(101, 140))
			made := c.commit("b")
			c.git("rm", "-q", "b.go")
			c.commit("no b")
			return []string{made}
		}, false},
		{"a rename of what was deleted then", func(c clone) []string {
			c.git("mv", "old.go", "new.go")
			made := c.commit("renamed")
			c.git("rm", "-q", "new.go")
			c.commit("no new")
			return []string{made}
		}, false},
		{"a commit that deletes", func(c clone) []string {
			c.git("rm", "-q", "old.go")
			return []string{c.commit("no old")}
		}, true},
		{"a commit and an empty one", func(c clone) []string {
			c.write("b.go", numbered(101, 140))
			return []string{c.commit("b"), c.commit("empty")}
		}, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newClone(t)
			c.write(".gitignore", "r.xml\n")
			c.write("a.go", numbered(1, 40))
			c.write("old.go", numbered(201, 240))
			c.commit("base")
			var code []lifecycle.Evidence
			made := x.change(c)
			c.write("r.xml", junit)
			r := c.open(Options{})
			for _, id := range made {
				code = append(code, looked(t, r, commit(id)))
			}
			ran := c.git("rev-parse", "HEAD")
			tests := looked(t, r, at(ran))
			require.Equal(t, Standing{}, holds(t, r, tests, code...), "the tip was tested")
			c.commit("another commit of the same files")
			require.Equal(t, Standing{}, holds(t, r, tests, code...))
			c.write("a.go", numbered(901, 940))
			tip := c.commit("another file")
			want := Standing{}
			if !x.tied {
				want = Standing{Reason: lifecycle.CodeChanged, Detail: "the commits of the implementation change no file that is left: tests of it" +
					" count for the files that they saw, and those of commit " + short(ran) + " are not those of the tip of main (" + short(tip) + ")"}
			}
			require.Equal(t, want, holds(t, r, tests, code...))
			require.Equal(t, Standing{}, holds(t, r, looked(t, r, at(tip)), code...), "tested again")
		})
	}
}

// A file or a commit that is gone says so itself: its tests are not shown as run for other code.
func TestWhatIsGoneSpeaksForItself(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	ran := c.commit("base")
	c.write("r.xml", junit)
	c.write("new.go", "n\n")
	r := c.open(Options{})
	code, tests := looked(t, r, file("new.go", "")), looked(t, r, at(ran))
	lost := c.commit("lost")
	gone := looked(t, r, commit(lost))
	c.git("reset", "-q", "--hard", ran)
	c.write("other.go", "o\n")
	c.commit("other")
	require.Equal(t, lifecycle.FileGone, recheck(t, r, code).Reason)
	require.Equal(t, lifecycle.CommitGone, recheck(t, r, gone).Reason)
	require.Equal(t, Standing{}, holds(t, r, tests, code))
	c.git("reflog", "expire", "--expire=now", "--all")
	c.git("gc", "-q", "--prune=now")
	require.Equal(t, lifecycle.CommitGone, recheck(t, r, gone).Reason)
	require.Equal(t, Standing{}, holds(t, r, tests, gone))
}
