package worktree_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
)

// watch begins a run of an agent for a requirement.
func (r *repository) watch(id string) *worktree.Tree {
	r.t.Helper()
	tree := r.enter(id)
	require.NoError(r.t, r.m.Watch(r.t.Context(), id, true))
	return tree
}

// settle ends a run whose work was accepted, and returns what was seen.
func (r *repository) settle(id string) worktree.Seen {
	r.t.Helper()
	r.m.Settle(r.t.Context(), id, true)
	seen := r.m.Seen(id)
	require.NoError(r.t, seen.Err)
	return seen
}

// commitAs commits a new file in a tree, as the agent that another tree is for.
func (r *repository) commitAs(by, in *worktree.Tree, file string) {
	r.t.Helper()
	r.writeIn(in.Dir, file, file+"\n")
	mark := ""
	if by != nil {
		mark = "+" + by.Mark
	}
	for _, args := range [][]string{{"add", file}, {"commit", "-q", "--no-gpg-sign", "-m", file}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = in.Dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a"+mark+"@orchestrator.invalid")
		out, err := cmd.CombinedOutput()
		require.NoError(r.t, err, "%s", out)
	}
}

// An agent that commits in the tree of another requirement is found, whether an agent works there or not. Neither is
// merged, but what an agent did in its own tree is.
//
// Verifies: ORC-273
func TestAnAgentInTheTreeOfAnother(t *testing.T) {
	t.Run("while its agent works", func(t *testing.T) {
		r := newRepository(t)
		one, two, third := r.watch("REQ-1"), r.watch("REQ-2"), r.watch("REQ-3")
		r.commitAs(one, one, "one.txt")
		r.commitAs(two, one, "evil.txt")
		r.commitAs(two, two, "two.txt")
		r.commitAs(third, third, "three.txt")
		evil := r.git(one.Dir, "rev-parse", "HEAD")[:8]
		require.Equal(t, []string{"commit " + evil + " on orchestrator/REQ-1"}, r.settle("REQ-2").Foreign)
		require.Equal(t, []string{"commit " + evil + " on orchestrator/REQ-1, by the agent for REQ-2"}, r.settle("REQ-1").Foreign)
		seen := r.settle("REQ-3")
		require.Empty(t, seen.Foreign)
		require.NotEmpty(t, seen.Merge.Commit)
		require.Equal(t, "app.txt three.txt", strings.Join(strings.Fields(r.git(r.root, "ls-tree", "--name-only", "main", "app.txt", "evil.txt",
			"one.txt", "two.txt", "three.txt")), " "))
	})
	t.Run("and it cannot be told whose it is", func(t *testing.T) {
		r := newRepository(t)
		one, two := r.watch("REQ-1"), r.watch("REQ-2")
		r.commitAs(nil, one, "evil.txt")
		r.commitAs(two, two, "two.txt")
		for _, id := range []string{"REQ-1", "REQ-2"} {
			seen := r.settle(id)
			require.Len(t, seen.Foreign, 1, id)
			require.Contains(t, seen.Foreign[0], "on orchestrator/REQ-1")
			require.Empty(t, seen.Merge.Commit)
		}
	})
	t.Run("while none works there", func(t *testing.T) {
		r := newRepository(t)
		one := r.watch("REQ-1")
		r.commitAs(one, one, "one.txt")
		require.NotEmpty(t, r.settle("REQ-1").Merge.Commit)
		two := r.watch("REQ-2")
		r.commitAs(one, one, "evil.txt") // what it says of who it is does not help
		r.writeIn(one.Dir, "left.txt", "left\n")
		r.commitAs(two, two, "two.txt")
		foreign := r.settle("REQ-2").Foreign
		require.Len(t, foreign, 2)
		require.Contains(t, foreign[0], "on orchestrator/REQ-1")
		require.Contains(t, foreign[1], "left.txt in "+one.Path)
		_, err := r.m.Merge(t.Context(), "REQ-1")
		require.True(t, fault.Is(err, worktree.CodeMeddled), "%v", err)
		require.Contains(t, err.Error(), "left.txt in "+one.Path)
	})
	t.Run("and what is checked out there is another branch", func(t *testing.T) {
		r := newRepository(t)
		one := r.watch("REQ-1")
		r.settle("REQ-1")
		r.watch("REQ-2")
		r.git(one.Path, "checkout", "-q", "--detach")
		require.Contains(t, r.settle("REQ-2").Foreign[0], "the branch that is checked out in "+one.Path)
		require.True(t, fault.Is(r.m.Watch(t.Context(), "REQ-1", true), worktree.CodeMeddled))
		require.NoError(t, r.m.Watch(t.Context(), "REQ-1", true), "people have been told")
	})
	t.Run("and the branch has lost commits", func(t *testing.T) {
		r := newRepository(t)
		one := r.watch("REQ-1")
		r.commitAs(one, one, "one.txt")
		r.writeIn(one.Dir, "left.txt", "left\n")
		r.settle("REQ-1")
		r.watch("REQ-2")
		r.git(one.Path, "reset", "-q", "--hard", "HEAD~1")
		require.Contains(t, r.settle("REQ-2").Foreign[0], "the history of orchestrator/REQ-1")
	})
	t.Run("when the work there is over", func(t *testing.T) {
		r := newRepository(t)
		one := r.watch("REQ-1")
		r.commitAs(one, one, "one.txt")
		r.settle("REQ-1")
		r.watch("REQ-2")
		require.Empty(t, r.leave("REQ-1"))
		r.git(r.root, "branch", "orchestrator/REQ-1")
		require.Contains(t, r.settle("REQ-2").Foreign[0], "refs/heads/orchestrator/REQ-1")
	})
}

// Agents that keep to their own trees are in nobody's way, whatever they do there, and whatever the service does.
//
// Verifies: ORC-273
func TestAgentsThatKeepToTheirOwnTrees(t *testing.T) {
	r := newRepository(t)
	one := r.watch("REQ-1")
	r.commitAs(nil, one, "alone.txt") // as long as it is alone, its client may commit by another name
	two := r.watch("REQ-2")
	r.commitAs(two, two, "two.txt")
	require.Empty(t, r.settle("REQ-2").Foreign)
	r.git(one.Dir, "-c", "user.email=a+"+one.Mark+"@orchestrator.invalid", "merge", "-q", "main")
	require.Empty(t, r.settle("REQ-1").Foreign)
	two = r.watch("REQ-2") // its next step
	r.commitAs(two, two, "more.txt")
	require.Empty(t, r.settle("REQ-2").Foreign)
	r.leave("REQ-1")
	one = r.watch("REQ-1")
	r.commitAs(nil, one, "again.txt")
	require.Empty(t, r.settle("REQ-1").Foreign)
	require.False(t, r.m.Settle(t.Context(), "REQ-1", true), "its run is over")
	require.Empty(t, r.merge("REQ-2").Conflicts)
	require.Equal(t, worktree.Seen{}, r.m.Seen("REQ-9"))
}

// A requirement document is changed on the branch that counts, and nowhere else.
//
// Verifies: ORC-273
func TestRequirementDocumentsAreForPeople(t *testing.T) {
	r := newRepository(t)
	one := r.watch("REQ-1")
	r.commitAs(one, one, "one.txt")
	r.write("docs/ä.md", "shall\n")
	r.commit(r.root, "what people want")
	r.git(one.Dir, "-c", "user.email=a+"+one.Mark+"@orchestrator.invalid", "merge", "-q", "main")
	require.NoError(t, r.m.Watch(t.Context(), "REQ-1", true)) // after that
	r.commitAs(one, one, "two.txt")
	seen := r.settle("REQ-1")
	require.Empty(t, seen.Foreign)
	require.NotEmpty(t, seen.Merge.Commit)

	require.NoError(t, r.m.Watch(t.Context(), "REQ-1", true))
	r.writeIn(one.Dir, "docs/ä.md", "shall not\n")
	r.commit(one.Dir, "as I like it")
	seen = r.settle("REQ-1")
	require.Equal(t, []string{"docs/ä.md"}, seen.Foreign)
	_, err := r.m.Merge(t.Context(), "REQ-1")
	require.True(t, fault.Is(err, worktree.CodeSteering), "%v", err)
	require.Equal(t, "shall", r.git(r.root, "show", "main:docs/ä.md"))
	r.git(one.Dir, "revert", "--no-edit", "HEAD")
	_, err = r.m.Merge(t.Context(), "REQ-1")
	require.True(t, fault.Is(err, worktree.CodeMeddled), "%v", err)
	require.NotEmpty(t, r.merge("REQ-1").Commit)
}

// What an agent left that neither builds nor tests, when the service was killed, is set aside.
//
// Verifies: ORC-273
func TestLeftoversOfWhoDoesNotBuild(t *testing.T) {
	r := newRepository(t)
	for name, aside := range map[string]bool{"agents.architect+0a": true, "agents.coder+0a": false, "agents.architect": false} {
		tree := r.enter("REQ-1")
		r.writeIn(tree.Dir, "left.txt", "left\n")
		r.git(tree.Dir, "add", "left.txt")
		r.git(tree.Dir, "-c", "user.email="+name+"@orchestrator.invalid", "commit", "-q", "-m", "left")
		r.m = r.open()
		tree = r.enter("REQ-1")
		if aside {
			require.Regexp(t, `^orchestrator/REQ-1\.aside-[0-9a-f]{8}$`, tree.Aside)
			require.Zero(t, tree.Found)
			require.NoFileExists(t, tree.Dir+"/left.txt")
			require.Equal(t, "left", r.git(r.root, "show", tree.Aside+":left.txt"))
		} else {
			require.Empty(t, tree.Aside, name)
			require.Equal(t, 1, tree.Found, name)
			r.git(tree.Dir, "reset", "-q", "--hard", "main")
		}
		r.leave("REQ-1")
	}
}
