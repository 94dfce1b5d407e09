package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
)

// Nobody can have git look away from a file of the project by what the index says of it.
//
// Verifies: ORC-273
func TestTheIndexHidesNothing(t *testing.T) {
	tool := func(r *repository) string { return filepath.Join(r.root, "tools", "t.sh") }
	long := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		before, change func(r *repository)
		want           []string
	}{
		"skip-worktree": {change: func(r *repository) {
			r.git(r.root, "update-index", "--skip-worktree", "tools/t.sh")
			r.write("tools/t.sh", "evil\n")
		}, want: []string{"tools/t.sh"}},
		"assume-unchanged": {change: func(r *repository) {
			r.git(r.root, "update-index", "--assume-unchanged", "tools/t.sh")
			r.write("tools/t.sh", "evil\n")
		}, want: []string{"tools/t.sh"}},
		"a file that is taken away": {change: func(r *repository) {
			r.git(r.root, "update-index", "--skip-worktree", "tools/t.sh")
			r.remove("tools/t.sh")
		}, want: []string{"tools/t.sh"}},
		"the index alone, for later": {change: func(r *repository) {
			r.git(r.root, "update-index", "--assume-unchanged", "tools/t.sh")
		}, want: []string{"tools/t.sh"}},
		"a file that a person has hidden": {
			before: func(r *repository) { r.git(r.root, "update-index", "--skip-worktree", "tools/t.sh") },
			change: func(r *repository) { r.write("tools/t.sh", "evil\n") }, want: []string{"tools/t.sh"},
		},
		"which nobody changes": {
			before: func(r *repository) {
				r.git(r.root, "update-index", "--skip-worktree", "tools/t.sh")
				r.write("tools/t.sh", "mine\n")
			},
			change: func(*repository) {},
		},
		"a right to run it, of a file that was changed before": {
			before: func(r *repository) { r.write("tools/t.sh", "mine\n") },
			change: func(r *repository) { require.NoError(r.t, os.Chmod(tool(r), 0o700)) }, want: []string{"tools/t.sh"},
		},
		"a time that was set back": {
			before: func(r *repository) {
				r.git(r.root, "config", "core.trustctime", "false")
				require.NoError(r.t, os.Chtimes(tool(r), long, long))
				r.git(r.root, "update-index", "--refresh")
			},
			change: func(r *repository) {
				time.Sleep(1100 * time.Millisecond) // some versions of git compare seconds
				r.write("tools/t.sh", "evil\n")
				require.NoError(r.t, os.Chtimes(tool(r), long, long))
			}, want: []string{"tools/t.sh"},
		},
		"a pipe in the place of a contract": {change: func(r *repository) {
			r.remove(".orchestrator/tools/a.yaml")
			require.NoError(r.t, syscall.Mkfifo(filepath.Join(r.root, ".orchestrator", "tools", "a.yaml"), 0o600))
		}, want: []string{".orchestrator/tools/a.yaml"}},
		"contracts in a folder that a link leads to": {
			before: func(r *repository) {
				r.remove(".orchestrator/tools")
				r.write("ignored/a.yaml", "good\n")
				require.NoError(r.t, os.Symlink("../ignored", filepath.Join(r.root, ".orchestrator", "tools")))
			},
			change: func(r *repository) { r.write("ignored/a.yaml", "evil\n") }, want: []string{".orchestrator/tools/a.yaml"},
		},
		"where git's history ends": {change: func(r *repository) {
			r.write(".git/shallow", r.git(r.root, "rev-parse", "HEAD")+"\n")
		}, want: []string{"git's shallow"}},
		"a contract beside a changed file of the same name": {
			before: func(r *repository) { r.write("tools/a.yaml", "mine\n") },
			change: func(r *repository) { r.write(".orchestrator/tools/a.yaml", "evil\n") },
			want:   []string{".orchestrator/tools/a.yaml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.write(".gitignore", ".orchestrator/\nignored/\n")
			r.write("tools/t.sh", "good\n")
			r.write(".orchestrator/tools/a.yaml", "a")
			r.commit(r.root, "tools")
			if c.before != nil {
				c.before(r)
			}
			r.enter("REQ-1")
			before, err := r.m.Mark(t.Context(), "REQ-1")
			require.NoError(t, err)
			c.change(r)
			found, err := r.m.Look(t.Context(), "REQ-1", before)
			require.NoError(t, err)
			require.Equal(t, c.want, found.Foreign)
		})
	}
}

// In its own tree an agent hides nothing either: what is not committed is missing, is not taken along by the next
// agent, and is not removed with the tree.
//
// Verifies: ORC-273
func TestAnAgentHidesNothingInItsOwnTree(t *testing.T) {
	for _, flag := range []string{"--skip-worktree", "--assume-unchanged"} {
		t.Run(flag, func(t *testing.T) {
			r := newRepository(t)
			tree := r.watch("REQ-1")
			hide := func() {
				r.git(tree.Dir, "update-index", flag, "app.txt")
				r.writeIn(tree.Dir, "app.txt", "passes all tests\n")
			}
			r.commitAs(tree, tree, "new.txt")
			hide()
			seen := r.settle("REQ-1")
			require.Equal(t, []string{"app.txt"}, seen.Uncommitted)
			require.Empty(t, seen.Merge.Commit)
			require.Contains(t, r.leave("REQ-1"), "changes that nobody committed: app.txt")
			_, err := r.open().Enter(t.Context(), "REQ-1")
			require.True(t, fault.Is(err, worktree.CodeLeftover), "%v", err)

			tree = r.watch("REQ-2")
			r.commitAs(tree, tree, "evil.txt")
			hide()
			require.False(t, r.m.Settle(t.Context(), "REQ-2", false))
			require.NotNil(t, r.m.Of(t.Context(), "REQ-2"))
			text, err := os.ReadFile(filepath.Join(tree.Dir, "app.txt"))
			require.NoError(t, err)
			require.Equal(t, "one\ntwo\nthree\n", string(text), "the next agent finds it as it is committed")
			aside := r.m.Seen("REQ-2").Aside
			require.Len(t, aside, 1)
			require.Equal(t, "passes all tests", r.git(r.root, "show", aside[0]+":app.txt"))
		})
	}
}

// What a sparse checkout leaves out is not hidden by anybody.
func TestASparseCheckout(t *testing.T) {
	r := newRepository(t)
	r.write("far/away.txt", "away\n")
	r.commit(r.root, "far")
	r.git(r.root, "sparse-checkout", "set", "near")
	require.NoFileExists(t, filepath.Join(r.root, "far", "away.txt"))
	tree := r.watch("REQ-1")
	r.commitAs(tree, tree, "new.txt")
	seen := r.settle("REQ-1")
	require.Empty(t, seen.Foreign)
	require.Empty(t, seen.Uncommitted)
	require.NotEmpty(t, seen.Merge.Commit)
	require.Empty(t, strings.TrimSpace(r.leave("REQ-1")))
}
