package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-329

// shownOf is what is shown of a piece of evidence after it was looked at again.
func shownOf(t *testing.T, r *Repository, e lifecycle.Evidence) Shown {
	t.Helper()
	checked, err := r.Recheck(t.Context(), []Subject{{Cited: []lifecycle.Evidence{e}}})
	require.NoError(t, err)
	return r.Show(t.Context(), checked.Tip, e, checked.Standings[0][0])
}

// where is the place of what is shown, and its lines.
func where(c *Content) string {
	if c == nil {
		return ""
	}
	part, _ := cut(c.Bytes, span{c.First, c.Last})
	return c.Path + ":" + span{c.First, c.Last}.String() + " " + strings.ReplaceAll(strings.TrimSpace(string(part)), "\n", ";")
}

func TestTheLinesOfEvidenceAreShown(t *testing.T) {
	remove := func(c clone) { c.git("rm", "-q", "a.go") }
	three := numbered(1, 3)
	changed := strings.Replace(three, "line 2", "LINE 2", 1)
	for _, x := range []struct {
		name, lines string
		change      func(c clone)
		now, then   string
	}{
		{"holds", "2", func(clone) {}, "a.go:2 this is line 2 of it", ""},
		{"moved", "2-3", func(c clone) { c.write("a.go", "0\n"+three) }, "a.go:3-4 this is line 2 of it;this is line 3 of it", ""},
		{"renamed", "2", func(c clone) { remove(c); c.write("b:1.go", three) }, "b:1.go:2 this is line 2 of it", ""},
		{"renamed, whole", "", func(c clone) { remove(c); c.write("b:1.go", three) }, "b:1.go:0 " + strings.ReplaceAll(strings.TrimSpace(three), "\n", ";"), ""},
		{"changed", "2", func(c clone) { c.write("a.go", changed) }, "a.go:2 this is LINE 2 of it", "a.go:2 this is line 2 of it"},
		{"renamed and changed", "2", func(c clone) { remove(c); c.write("b.go", changed) }, "b.go:2 this is LINE 2 of it", "a.go:2 this is line 2 of it"},
		{"gone", "2", remove, "", "a.go:2 this is line 2 of it"},
		{"a link", "2", func(c clone) {
			remove(c)
			require.NoError(c.t, os.Symlink("/etc/passwd", filepath.Join(c.dir, "a.go")))
		}, "", "a.go:2 this is line 2 of it"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newClone(t)
			c.write("a.go", three)
			first := c.commit("first")
			r := c.open(Options{})
			e := looked(t, r, file("a.go", x.lines))
			x.change(c)
			second := c.commit("second")
			s := shownOf(t, r, e)
			require.Equal(t, []string{x.now, x.then}, []string{where(s.Now), where(s.Then)})
			if s.Now != nil {
				require.Equal(t, second, s.Now.Commit)
			}
			if s.Then != nil {
				require.Equal(t, first, s.Then.Commit)
			}
		})
	}
}

func TestLinesOfTheWorkingTreeAreShown(t *testing.T) {
	c := newClone(t)
	c.write("kept", "x\n")
	c.commit("first")
	c.write("new", numbered(1, 3))
	r := c.open(Options{})
	e := looked(t, r, file("new", "2"))
	s := shownOf(t, r, e)
	require.Equal(t, "new:2 this is line 2 of it", where(s.Now))
	require.Empty(t, s.Now.Commit)
	require.Nil(t, s.Then, "git has not got it")
	c.write("new", "1\n2\n3\n")
	require.Equal(t, "new:2 2", where(shownOf(t, r, e).Now))
	c.write(".gitignore", "new\n")
	c.commit("ignored")
	r.listing.at = time.Time{}
	require.Nil(t, shownOf(t, r, e).Now, "what git ignores is nobody's to see")
}

func TestWhatIsPrivateOrUnknownIsNotShown(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 3))
	c.commit("first")
	r := c.open(Options{})
	e := looked(t, r, file("a", "2"))
	c.git("mv", "a", "keys")
	tip := c.commit("second")
	require.NotNil(t, shownOf(t, r, e).Now)
	private := c.open(Options{Private: []string{filepath.Join(c.dir, "keys")}})
	require.Nil(t, shownOf(t, private, e).Now, "it was moved to where the service keeps its tokens")
	require.Equal(t, Shown{}, r.Show(t.Context(), tip, file("a", "2"), Standing{}), "it was never looked up")
	require.Nil(t, r.Show(t.Context(), tip, e, Standing{Reason: lifecycle.Unreadable}).Now)
	require.Nil(t, r.Show(t.Context(), "", e, Standing{}).Now, "there is no tip")
	forged := e
	forged.Found = &lifecycle.Found{In: lifecycle.InBranch, Blob: e.Found.Blob, SHA256: digest([]byte("other"))}
	require.Nil(t, r.Show(t.Context(), tip, forged, Standing{Reason: lifecycle.FileGone}).Then, "it is not what was cited")
}

func TestTestsAndCommitsAreShown(t *testing.T) {
	c := newClone(t)
	c.write("r.xml", junit)
	head := c.commit("Let users in\nby name\n\nIt was asked for.")
	r := c.open(Options{})
	require.Equal(t, Shown{Commit: &gitrepo.Told{Subject: "Let users in by name", Authored: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		shownOf(t, r, looked(t, r, commit(head))))
	e := looked(t, r, test("TestGood", "pass", "r.xml"))
	tests := shownOf(t, r, e).Tests
	require.Len(t, tests, 1)
	require.True(t, strings.HasSuffix(tests[0].Name, "TestGood"), tests[0].Name)
	require.Equal(t, testreport.Pass, tests[0].Result)
	c.write("r.xml", strings.Replace(junit, "TestGood", "TestBetter", 1))
	require.Empty(t, shownOf(t, r, e).Tests, "it is another run")
	gone := looked(t, r, commit(head))
	gone.Found.Commit = strings.Repeat("0", 40)
	require.Equal(t, Shown{}, shownOf(t, r, gone))
}
