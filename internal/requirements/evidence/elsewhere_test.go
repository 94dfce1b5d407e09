package evidence

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// foundAtHead is a citation without a commit as the older rules found it: at HEAD, which was the commit head.
func foundAtHead(t *testing.T, c clone, head, path, lines string) lifecycle.Evidence {
	t.Helper()
	c.git("branch", "-f", "looking", head)
	r := c.open(Options{})
	r.Follow("looking")
	e := looked(t, r, file(path, lines))
	e.Found.In = lifecycle.InHead
	require.Equal(t, head, e.Found.Commit)
	c.git("branch", "-q", "-D", "looking")
	return e
}

// What was found at the HEAD of another branch is there: nobody changed it.
func TestAFileThatAnotherBranchHasIsElsewhere(t *testing.T) {
	c := newClone(t)
	c.write("a", numbered(1, 30))
	c.write("gone", numbered(101, 130))
	c.write("copy", numbered(71, 90))
	base := c.commit("base")
	c.git("checkout", "-q", "-b", "side")
	c.write("a", numbered(1, 4)+"side\n"+numbered(6, 30))
	c.write("new", numbered(41, 70))
	c.write("kept", numbered(71, 90))
	side := c.commit("side")
	cited := func(head string) map[string]lifecycle.Evidence {
		return map[string]lifecycle.Evidence{
			"lines": foundAtHead(t, c, head, "a", "4-6"), "whole": foundAtHead(t, c, head, "a", ""), "new": foundAtHead(t, c, head, "new", "2-3"),
		}
	}
	c.git("checkout", "-q", "-B", "main", base)
	tip := c.commit("main goes on")
	r := c.open(Options{})
	on := cited(side)
	on["copied"] = foundAtHead(t, c, side, "kept", "2")
	for name, e := range on {
		s := recheck(t, r, e)
		require.Equal(t, lifecycle.Elsewhere, s.Reason, "%s: %s", name, s.Detail)
		require.Contains(t, s.Detail, "what was cited is at commit "+short(side)+", which main does not have")
		require.Contains(t, s.Detail, " at the tip of main ("+short(tip)+")")
	}
	require.Equal(t, Standing{}, recheck(t, r, foundAtHead(t, c, side, "a", "20-21")), "main has these lines")
	for i := range on {
		e := on[i]
		found := *e.Found
		e.Found, found.In = &found, lifecycle.InBranch
		require.Equal(t, lifecycle.Elsewhere, why(t, r, e), "found at the tip of a branch that was replaced")
	}
	shallow := clone{t, filepath.Join(t.TempDir(), "shallow")}
	c.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+c.dir, shallow.dir)
	require.Equal(t, lifecycle.Unknown, why(t, shallow.open(Options{}), on["new"]), "main may have had it")
	onMain := foundAtHead(t, c, base, "gone", "")
	c.git("rm", "-q", "gone")
	c.commit("gone")
	require.Equal(t, lifecycle.FileGone, why(t, r, onMain), "main had it")
	c.git("branch", "-q", "-D", "side")
	for name, want := range map[string]string{
		"lines": lifecycle.LinesChanged, "whole": lifecycle.FileChanged, "new": lifecycle.FileGone, "copied": lifecycle.Copied,
	} {
		require.Equal(t, want, why(t, r, on[name]), "%s: no branch has it any more", name)
	}
	c.git("tag", "kept", side)
	require.Equal(t, lifecycle.Elsewhere, why(t, r, on["new"]))
	c.git("merge", "-q", "--no-edit", "kept")
	require.Equal(t, Standing{}, recheck(t, r, on["new"]))
	c.git("rm", "-q", "new")
	c.commit("new is gone")
	require.Equal(t, lifecycle.FileGone, why(t, r, on["new"]), "merged, and deleted then")
}

func TestALinkInThePlaceOfAFileOfAnotherBranch(t *testing.T) {
	c := newClone(t)
	c.commit("base")
	c.git("checkout", "-q", "-b", "side")
	c.write("a", "a\n")
	e := foundAtHead(t, c, c.commit("side"), "a", "")
	c.git("checkout", "-q", "main")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(c.dir, "a")))
	c.commit("link")
	require.Equal(t, lifecycle.Elsewhere, why(t, c.open(Options{}), e))
}
