package evidence

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// project is a repository in which each of n requirements has a file of its own, a commit that changed it, and a test of
// that commit.
func project(t *testing.T, n int) (clone, *Repository, []Subject) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.write("r.xml", junit)
	for i := range n {
		c.write(fmt.Sprintf("src/%d/a.go", i), numbered(100*i, 100*i+30))
	}
	c.commit("base")
	subjects := make([]Subject, n)
	r := c.open(Options{})
	for i := range subjects {
		path := fmt.Sprintf("src/%d/a.go", i)
		c.write(path, numbered(100*i, 100*i+40))
		made := c.commit("implementation")
		code := []lifecycle.Evidence{looked(t, r, file(path, "3-5")), looked(t, r, fileIn(made, path, "7")), looked(t, r, commit(made))}
		subjects[i] = Subject{Cited: append([]lifecycle.Evidence{looked(t, r, at(made))}, code...), Code: code}
	}
	return c, r, subjects
}

// Looking again starts git equally often for one requirement and for many, whatever happened to their files.
func TestRecheckStartsNoProcessForEach(t *testing.T) {
	starts := map[int][]int64{}
	const few, many = 2, 40
	for _, n := range []int{few, many} {
		c, r, subjects := project(t, n)
		again := func(state, test, file string) {
			t.Helper()
			before := r.git.Starts()
			checked, err := r.Recheck(t.Context(), subjects)
			all := checked.Standings
			require.NoError(t, err)
			for _, s := range all {
				require.Equal(t, test, s[0].Reason, "%s: %s", state, s[0].Detail)
				require.Equal(t, file, s[1].Reason+s[1].MovedTo, "%s: %s", state, s[1].Detail)
			}
			starts[n] = append(starts[n], r.git.Starts()-before)
		}
		each := func(do func(path string, i int)) {
			for i := range n {
				do(fmt.Sprintf("src/%d/a.go", i), i)
			}
		}
		again("as it was found", "", "")
		again("asked again", "", "")
		c.write("README", "r\n")
		c.commit("another file")
		again("another file", "", "")
		each(func(path string, i int) { c.write(path, numbered(100*i, 100*i+40)+"new\n") })
		c.commit("changed")
		again("changed", lifecycle.CodeChanged, "")
		each(func(path string, i int) { c.write(path, numbered(100*i, 100*i+40)) })
		c.git("mv", "src", "lib")
		c.commit("renamed")
		before := r.git.Starts()
		checked, err := r.Recheck(t.Context(), subjects)
		all := checked.Standings
		require.NoError(t, err)
		for i, s := range all {
			require.Equal(t, Standing{}, s[0])
			require.Equal(t, fmt.Sprintf("lib/%d/a.go:3-5", i), s[1].MovedTo)
		}
		starts[n] = append(starts[n], r.git.Starts()-before)
		c.git("rm", "-q", "-r", "lib")
		c.commit("gone")
		again("gone", lifecycle.CodeChanged, lifecycle.FileGone)
		again("still gone", lifecycle.CodeChanged, lifecycle.FileGone)
		c.git("checkout", "-q", "--orphan", "new")
		c.git("branch", "-q", "-M", "main", "side")
		c.git("update-ref", "refs/heads/main", c.git("commit-tree", "-m", "new", c.git("write-tree")))
		again("elsewhere", lifecycle.Elsewhere, lifecycle.Elsewhere)
		c.git("branch", "-q", "-D", "side")
		again("in no history", lifecycle.CommitGone, lifecycle.FileGone)
	}
	require.Equal(t, starts[few], starts[many])
	for _, n := range starts[many] {
		require.LessOrEqual(t, n, int64(9))
	}
	t.Log("processes started by each look:", starts[many])
}

// What looking one piece of evidence up starts, once the files of the tip are listed.
func TestLookStartsFewProcesses(t *testing.T) {
	c, r, _ := project(t, 1)
	head := c.git("rev-parse", "HEAD")
	c.write("new", "n\n")
	for _, x := range []struct {
		name       string
		e          lifecycle.Evidence
		first, all int64 // processes of the first of five, and of all five
	}{
		{"file", file("src/0/a.go", "1"), 1, 5},
		{"uncommitted file", file("new", "1"), 2, 6},
		{"file at a commit", fileIn(head, "src/0/a.go", "1"), 2, 10},
		{"commit", commit(head), 2, 10},
		{"short id", commit(head[:8]), 3, 15},
		{"test", test("TestGood", "pass", "r.xml"), 1, 1},
		{"test of a commit", at(head), 2, 2},
	} {
		r.assumed.tipAt, r.assumed.named, r.listing.at = r.assumed.tipAt.AddDate(-1, 0, 0), nil, r.listing.at.AddDate(-1, 0, 0)
		r.assumed.namedAt = r.assumed.tipAt
		before := r.git.Starts()
		found(t, r, x.e)
		require.Equal(t, x.first, r.git.Starts()-before, x.name)
		for range 4 {
			found(t, r, x.e)
		}
		require.Equal(t, x.all, r.git.Starts()-before, x.name)
	}
}

// Every requirement has a test of a commit of its own, and an implementation of as many files.
func BenchmarkRecheckTested(b *testing.B) {
	for _, files := range []int{3, 1000} {
		b.Run(fmt.Sprintf("%d files", files), func(b *testing.B) {
			c := newClone(b)
			for i := range 2000 {
				c.write(fmt.Sprintf("pkg%d/sub/file%d.go", i%50, i), numbered(i, i+40))
			}
			c.write(".gitignore", "r.xml\n")
			c.commit("first")
			c.write("r.xml", junit)
			r := c.open(Options{})
			subjects := make([]Subject, 200)
			for i := range subjects {
				for j := range files {
					e := file(fmt.Sprintf("pkg%d/sub/file%d.go", (i+j)%50, i+j), "")
					e.Found = &lifecycle.Found{In: lifecycle.InBranch}
					subjects[i].Code = append(subjects[i].Code, e)
				}
				c.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
				e := at(c.git("rev-parse", "HEAD"))
				e.Found, _ = r.Look(b.Context(), e)
				subjects[i].Cited = []lifecycle.Evidence{e}
			}
			for b.Loop() {
				c.git("commit", "-q", "--allow-empty", "-m", "the tip moves")
				checked, err := r.Recheck(b.Context(), subjects)
				all := checked.Standings
				require.NoError(b, err)
				require.Equal(b, "", all[0][0].Reason)
			}
		})
	}
}
