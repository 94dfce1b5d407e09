package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
)

// What keeps git from its work is said as git says it, with what to do, and not the advice that git gives besides.
//
// Verifies: ORC-272
func TestGitsOwnReasonIsSaid(t *testing.T) {
	locked := func(r *repository, file string) string {
		lock := filepath.Join(r.root, ".git", file+".lock")
		require.NoError(r.t, os.MkdirAll(filepath.Dir(lock), 0o700))
		require.NoError(r.t, os.WriteFile(lock, nil, 0o600))
		return lock
	}
	names := func(t *testing.T, err error, code fault.Code, lock string) {
		t.Helper()
		require.True(t, fault.Is(err, code), "%v", err)
		require.Contains(t, err.Error(), "Unable to create '"+lock+"': File exists")
		require.NotContains(t, err.Error(), "hint:")
		require.NotContains(t, err.Error(), "deprecated")
	}
	t.Run("where a tree cannot be made", func(t *testing.T) {
		r := newRepository(t)
		lock := locked(r, "refs/heads/orchestrator/REQ-1")
		_, err := r.m.Enter(t.Context(), "REQ-1")
		names(t, err, worktree.CodeGit, lock)
		require.Equal(t, "if no command of git is at work there, remove "+lock+", and drive again", fault.As(err).Fix)
		require.NoError(t, os.Remove(lock))
		r.enter("REQ-1")
	})
	t.Run("where the files cannot follow", func(t *testing.T) {
		r := newRepository(t)
		tree := r.enter("REQ-1")
		r.writeIn(tree.Dir, "new.txt", "new\n")
		r.commit(tree.Dir, "build")
		lock := locked(r, "index")
		_, err := r.m.Merge(t.Context(), "REQ-1")
		names(t, err, worktree.CodeGit, lock)
		require.NoError(t, os.Remove(lock))
		require.NotEmpty(t, r.merge("REQ-1").Commit)
	})
	t.Run("where the branch cannot move", func(t *testing.T) {
		r := newRepository(t)
		tree := r.enter("REQ-1")
		r.writeIn(tree.Dir, "new.txt", "new\n")
		r.commit(tree.Dir, "build")
		r.git(r.root, "checkout", "-q", "--detach")
		lock := locked(r, "refs/heads/main")
		_, err := r.m.Merge(t.Context(), "REQ-1")
		names(t, err, worktree.CodeGit, lock)
	})
}
