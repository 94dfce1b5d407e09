package worktree_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
)

// repository is a project in git with one file, on main.
type repository struct {
	t    *testing.T
	root string
	m    *worktree.Manager
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this needs git, which is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repository{t: t, root: root}
	r.git(root, "init", "-q", "-b", "main")
	r.write("app.txt", "one\ntwo\nthree\n")
	r.write(".gitignore", ".orchestrator/\n")
	r.commit(root, "first")
	r.git(root, "config", "commit.gpgsign", "true") // what the service commits is signed by nobody
	r.m = r.open()
	return r
}

func (r *repository) open() *worktree.Manager {
	m, err := worktree.Open(r.t.Context(), worktree.Options{Root: r.root, Project: r.root, Data: filepath.Join(r.root, ".orchestrator"),
		Branch: func() string { return "main" },
		Idle:   func(agent string) bool { return agent == "agents.architect" }, Exports: []string{"project_status.json"},
		Steering: func(_ context.Context, files []string) []string {
			return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
				return file != "docs/ä.md" && !strings.HasPrefix(file, ".orchestrator")
			})
		}, Watched: func(context.Context) []string { return []string{filepath.Join(r.root, ".orchestrator", "tools")} }})
	require.NoError(r.t, err)
	return m
}

func (r *repository) git(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (r *repository) writeIn(dir, name, text string) {
	r.t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
}

func (r *repository) write(name, text string) { r.writeIn(r.root, name, text) }

func (r *repository) remove(name string) {
	r.t.Helper()
	require.NoError(r.t, os.RemoveAll(filepath.Join(r.root, name)))
}

func (r *repository) commit(dir, what string) {
	r.t.Helper()
	r.git(dir, "add", "-A")
	r.git(dir, "commit", "-q", "-m", what)
}

func (r *repository) enter(id string) *worktree.Tree {
	r.t.Helper()
	tree, err := r.m.Enter(r.t.Context(), id)
	require.NoError(r.t, err)
	return tree
}

func (r *repository) merge(id string) worktree.Merge {
	r.t.Helper()
	merged, err := r.m.Merge(r.t.Context(), id)
	require.NoError(r.t, err)
	return merged
}

func (r *repository) leave(id string) string {
	r.t.Helper()
	kept, err := r.m.Leave(r.t.Context(), id)
	require.NoError(r.t, err)
	return kept
}

// A requirement has a tree of its own, which is merged, follows the merge, and is removed.
//
// Verifies: ORC-271
func TestATreeIsMadeMergedAndRemoved(t *testing.T) {
	r := newRepository(t)
	tree := r.enter("REQ-1")
	require.Equal(t, "orchestrator/REQ-1", tree.Branch)
	require.Same(t, tree, r.m.Of(t.Context(), "REQ-1"))
	require.Same(t, tree, r.enter("REQ-1"))
	r.writeIn(tree.Dir, "new.txt", "new\n")
	r.commit(tree.Dir, "build")
	require.NoFileExists(t, filepath.Join(r.root, "new.txt"))

	merged := r.merge("REQ-1")
	require.Equal(t, 1, merged.Commits)
	require.Equal(t, merged.Commit, r.git(r.root, "rev-parse", "main"))
	require.Equal(t, merged.Commit, r.git(tree.Dir, "rev-parse", "HEAD"), "the tree follows")
	require.FileExists(t, filepath.Join(r.root, "new.txt"), "so does the tree that is checked out")
	require.Empty(t, r.git(r.root, "status", "--porcelain"))
	require.Equal(t, "orchestrator <orchestrator@localhost>", r.git(r.root, "log", "-1", "--format=%an <%ae>"))
	require.Zero(t, r.merge("REQ-1").Commits, "there is nothing more to merge")

	require.Empty(t, r.leave("REQ-1"))
	require.NoDirExists(t, tree.Path)
	require.Equal(t, "main", r.git(r.root, "for-each-ref", "--format=%(refname:short)"))
	require.Nil(t, r.m.Of(t.Context(), "REQ-1"))
	require.Empty(t, r.leave("REQ-1"))
}

// Two trees do not see one another's changes; where both changed the same lines, the second is not merged, and nothing
// is left of the attempt.
//
// Verifies: ORC-271, ORC-272
func TestAConflictIsNamedAndLeavesNothing(t *testing.T) {
	r := newRepository(t)
	one, two := r.enter("REQ-1"), r.enter("REQ-2")
	r.writeIn(one.Dir, "app.txt", "one\nby REQ-1\nthree\n")
	r.commit(one.Dir, "one")
	r.writeIn(two.Dir, "app.txt", "one\nby REQ-2\nthree\n")
	r.writeIn(two.Dir, "two.txt", "two\n")
	r.commit(two.Dir, "two")
	require.NoFileExists(t, filepath.Join(one.Dir, "two.txt"))
	require.NotEmpty(t, r.merge("REQ-1").Commit)
	before := r.git(r.root, "rev-parse", "main")
	refused := r.merge("REQ-2")
	require.Equal(t, []string{"app.txt"}, refused.Conflicts)
	require.Empty(t, refused.Commit)
	require.Equal(t, before, r.git(r.root, "rev-parse", "main"))
	require.Empty(t, r.git(r.root, "status", "--porcelain"))
	require.Contains(t, r.leave("REQ-2"), "main lacks 1 commit of orchestrator/REQ-2")
	require.DirExists(t, two.Path)

	// Somebody settles it in the tree, and the next drive goes on with that.
	cmd := exec.Command("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "merge", "main")
	cmd.Dir = two.Path
	require.Error(t, cmd.Run())
	r.writeIn(two.Dir, "app.txt", "one\nby both\nthree\n")
	r.commit(two.Dir, "settled")
	r.m = r.open()
	require.Equal(t, 2, r.enter("REQ-2").Found)
	require.NotEmpty(t, r.merge("REQ-2").Commit)
	require.Empty(t, r.leave("REQ-2"))
}

// The files of a person are not touched while they are changed.
//
// Verifies: ORC-272
func TestAPersonsChangesAreLeftAlone(t *testing.T) {
	r := newRepository(t)
	tree := r.enter("REQ-1")
	r.writeIn(tree.Dir, "new.txt", "new\n")
	r.commit(tree.Dir, "build")
	before := r.git(r.root, "rev-parse", "main")
	for name, text := range map[string]string{"app.txt": "mine\n", "new.txt": "untracked, and in the way\n"} {
		r.write(name, text)
		_, err := r.m.Merge(t.Context(), "REQ-1")
		require.True(t, fault.Is(err, worktree.CodeDirty), "%v", err)
		require.Contains(t, err.Error(), name)
		require.Equal(t, before, r.git(r.root, "rev-parse", "main"))
		read, err := os.ReadFile(filepath.Join(r.root, name))
		require.NoError(t, err)
		require.Equal(t, text, string(read))
		if r.git(r.root, "ls-files", name) == "" {
			require.NoError(t, os.Remove(filepath.Join(r.root, name)))
		} else {
			r.git(r.root, "checkout", "-q", name)
		}
	}
	// What is checked out elsewhere does not matter.
	r.git(r.root, "checkout", "-q", "-b", "other")
	r.write("app.txt", "mine\n")
	require.NotEmpty(t, r.merge("REQ-1").Commit)
	require.Equal(t, " M app.txt", strings.TrimRight(" "+r.git(r.root, "status", "--porcelain"), "\n"))
	require.NoFileExists(t, filepath.Join(r.root, "new.txt"))
}

// What a killed drive left is gone on with, made anew, or kept and named: never taken silently.
//
// Verifies: ORC-271
func TestLeftoversAreFound(t *testing.T) {
	r := newRepository(t)
	tree := r.enter("REQ-1")
	r.write("later.txt", "later\n")
	r.commit(r.root, "later")
	r.m = r.open()
	require.Zero(t, r.enter("REQ-1").Found)
	require.FileExists(t, filepath.Join(tree.Dir, "later.txt"), "a tree with nothing of its own begins at the tip")

	r.writeIn(tree.Dir, "half.txt", "half\n")
	r.m = r.open()
	_, err := r.m.Enter(t.Context(), "REQ-1")
	require.True(t, fault.Is(err, worktree.CodeLeftover), "%v", err)
	require.Contains(t, err.Error(), "half.txt")
	require.FileExists(t, filepath.Join(tree.Dir, "half.txt"))

	r.commit(tree.Dir, "the rest")
	require.NoError(t, os.RemoveAll(tree.Path)) // the branch alone is left
	r.m = r.open()
	require.Equal(t, 1, r.enter("REQ-1").Found)
	require.FileExists(t, filepath.Join(tree.Dir, "half.txt"))

	r.writeIn(tree.Dir, "more.txt", "more\n")
	require.Contains(t, r.leave("REQ-1"), "changes that nobody committed: more.txt")
	require.NoError(t, os.RemoveAll(tree.Path))
	r.writeIn(tree.Path, "stranger.txt", "no tree\n")
	_, err = r.m.Enter(t.Context(), "REQ-1")
	require.True(t, fault.Is(err, worktree.CodeLeftover), "%v", err)
}

// Ids that are no names of branches have trees as well, each its own.
func TestIDsThatAreNoNames(t *testing.T) {
	r := newRepository(t)
	seen := map[string]bool{}
	for _, id := range []string{"req~login~1", "req-login-1", "a..b", "../../etc", "REQ 1", "ä"} {
		tree := r.enter(id)
		require.Equal(t, filepath.Join(r.root, ".orchestrator", "worktrees"), filepath.Dir(tree.Path))
		require.False(t, seen[tree.Branch])
		seen[tree.Branch] = true
	}
}

// Whatever an agent changes that is not its own is found.
//
// Verifies: ORC-273, ORC-292
func TestWhatIsNotTheAgentsIsFound(t *testing.T) {
	const notes, keptTree = "refs/notes/commits", ".orchestrator/worktrees/REQ-9"
	for name, c := range map[string]struct {
		change func(r *repository, tree *worktree.Tree)
		want   string
	}{
		"a file of the project": {func(r *repository, _ *worktree.Tree) {
			r.write("app.txt", "changed\n")
		}, "app.txt"},
		"a new file of the project": {func(r *repository, _ *worktree.Tree) {
			r.write("evil.txt", "new\n")
		}, "evil.txt"},
		"the branch that counts": {func(r *repository, _ *worktree.Tree) {
			r.git(r.root, "commit", "-q", "--allow-empty", "-m", "x")
		}, "refs/heads/main"},
		"another branch": {func(r *repository, tree *worktree.Tree) {
			r.git(tree.Path, "branch", "mine")
		}, "refs/heads/mine"},
		"a tag": {func(r *repository, tree *worktree.Tree) {
			r.git(tree.Path, "tag", "v1")
		}, "refs/tags/v1"},
		"a hook": {func(r *repository, _ *worktree.Tree) {
			r.write(".git/hooks/pre-commit", "#!/bin/sh\n")
		}, "git's hooks/pre-commit"},
		"the configuration": {func(r *repository, tree *worktree.Tree) {
			r.git(tree.Path, "config", "core.hooksPath", "/tmp")
		}, "git's config"},
		"a contract": {func(r *repository, _ *worktree.Tree) {
			r.write(".orchestrator/tools/a.yaml", "x")
		}, "tools/a.yaml"},
		"the branch in its tree": {func(r *repository, tree *worktree.Tree) {
			r.git(tree.Path, "checkout", "-q", "--detach")
		}, "the branch that is checked out"},
		"the history of its branch": {func(r *repository, tree *worktree.Tree) {
			r.git(tree.Path, "commit", "-q", "--amend", "-m", "again")
		}, "the history of orchestrator/REQ-1"},
		"notes that were there": {func(r *repository, _ *worktree.Tree) { r.git(r.root, "update-ref", "-d", notes) },
			notes},
		"a file in a tree that is kept": {func(r *repository, _ *worktree.Tree) { r.write(keptTree+"/left.txt", "mine\n") },
			"the working tree REQ-9"},
		"a commit in a tree that is kept": {func(r *repository, _ *worktree.Tree) { r.commit(r.root+"/"+keptTree, "mine") },
			"the working tree REQ-9"},
		"a tree that is kept": {func(r *repository, _ *worktree.Tree) {
			r.remove(keptTree)
		}, "the working tree REQ-9"},
		"a requirement document, in its own tree": {func(r *repository, tree *worktree.Tree) {
			r.writeIn(tree.Dir, "docs/ä.md", "shall not\n")
			r.commit(tree.Dir, "as I like it")
		}, "docs/ä.md"},
		"a contract, on its branch": {func(r *repository, tree *worktree.Tree) {
			r.writeIn(tree.Dir, ".orchestrator/tools/evil.yaml", "role: tester\n")
			r.git(tree.Dir, "add", "-f", ".orchestrator/tools/evil.yaml")
			r.git(tree.Dir, "commit", "-q", "-m", "as I like it")
		}, ".orchestrator/tools/evil.yaml"},
		"the data folder, by a submodule of its branch": {func(r *repository, tree *worktree.Tree) {
			r.writeIn(tree.Dir, ".gitmodules", "[submodule \"x\"]\n\tpath = .orchestrator/tools\n\turl = ./x\n\tignore = all\n")
			at := r.git(r.root, "rev-parse", "HEAD")
			r.git(tree.Dir, "update-index", "--add", "--cacheinfo", "160000,"+at+",.orchestrator/tools")
			r.git(tree.Dir, "add", ".gitmodules")
			r.git(tree.Dir, "commit", "-q", "-m", "as I like it")
		}, ".orchestrator/tools"},
		"where HEAD of the project is": {func(r *repository, _ *worktree.Tree) {
			r.git(r.root, "symbolic-ref", "HEAD", "refs/heads/none")
		}, "HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			tree := r.enter("REQ-1")
			r.writeIn(tree.Dir, "new.txt", "new\n")
			r.commit(tree.Dir, "build")
			r.git(r.root, "notes", "add", "-m", "reviewed")
			r.writeIn(r.enter("REQ-9").Dir, "left.txt", "left\n")
			require.Contains(t, r.leave("REQ-9"), "left.txt")
			before, err := r.m.Mark(t.Context(), "REQ-1")
			require.NoError(t, err)
			c.change(r, tree)
			found, err := r.m.Look(t.Context(), "REQ-1", before)
			require.NoError(t, err)
			require.Contains(t, strings.Join(found.Foreign, "; "), c.want)
		})
	}
}

// What an agent committed is merged if its work was accepted. What was not is set aside, and nobody builds on it.
//
// Verifies: ORC-273
func TestWhatNobodyAcceptedIsSetAside(t *testing.T) {
	r := newRepository(t)
	tree, other := r.enter("REQ-1"), r.enter("REQ-2")
	require.NoError(t, r.m.Watch(t.Context(), "REQ-1", true))
	beside, err := r.m.Mark(t.Context(), "REQ-2")
	require.NoError(t, err)
	r.writeIn(tree.Dir, "evil.txt", "evil\n")
	r.commit(tree.Dir, "evil")
	evil := r.git(tree.Dir, "rev-parse", "HEAD")
	r.writeIn(tree.Dir, "left.txt", "left\n")
	require.False(t, r.m.Settle(t.Context(), "REQ-1", false))
	require.FileExists(t, filepath.Join(tree.Dir, "left.txt"), "people find it as it is")
	_, err = r.m.Merge(t.Context(), "REQ-1")
	require.True(t, fault.Is(err, worktree.CodeLeftover), "%v", err)
	require.Same(t, tree, r.m.Of(t.Context(), "REQ-1"))
	require.NoFileExists(t, filepath.Join(tree.Dir, "left.txt"), "another agent does not")
	require.NoFileExists(t, filepath.Join(tree.Dir, "evil.txt"))

	r.writeIn(tree.Dir, "new.txt", "new\n")
	r.commit(tree.Dir, "build")
	require.True(t, r.m.Settle(t.Context(), "REQ-1", true))
	seen := r.m.Seen("REQ-1")
	require.NoError(t, seen.Err)
	require.Len(t, seen.Aside, 1)
	require.Regexp(t, `^orchestrator/REQ-1\.aside-[0-9a-f]{8}$`, seen.Aside[0])
	require.Empty(t, seen.Foreign)
	require.Equal(t, 1, seen.Merge.Commits)
	require.Equal(t, evil, r.git(r.root, "rev-parse", seen.Aside[0]+"~1"))
	require.Equal(t, "left", r.git(r.root, "show", seen.Aside[0]+":left.txt"))
	require.NoFileExists(t, filepath.Join(r.root, "evil.txt"))
	require.FileExists(t, filepath.Join(r.root, "new.txt"))
	require.Empty(t, r.leave("REQ-1"))
	r.git(other.Dir, "commit", "-q", "--allow-empty", "-m", "other")
	found, err := r.m.Look(t.Context(), "REQ-2", beside)
	require.NoError(t, err)
	require.Equal(t, worktree.Found{Commits: true}, found, "it was not the agent of the other requirement")

	// What was committed alone is set aside at once; what was not is, when the next step begins.
	tree = r.enter("REQ-3")
	for i, left := range []string{"", "left.txt"} {
		require.NoError(t, r.m.Watch(t.Context(), "REQ-3", i == 1))
		r.writeIn(tree.Dir, "evil.txt", "evil\n")
		r.commit(tree.Dir, "evil")
		if left != "" {
			r.writeIn(tree.Dir, left, "more\n")
		}
		require.False(t, r.m.Settle(t.Context(), "REQ-3", false))
		require.Len(t, r.m.Seen("REQ-3").Aside, 1-i)
	}
	require.NoError(t, r.m.Watch(t.Context(), "REQ-3", true))
	require.NoFileExists(t, filepath.Join(tree.Dir, "evil.txt"))
	require.Len(t, r.settle("REQ-3").Aside, 1)
}

// What an agent may do, what drive does meanwhile for another requirement, and what the service writes is nobody's
// fault.
//
// Verifies: ORC-275
func TestWhatMayChange(t *testing.T) {
	r := newRepository(t)
	tree := r.enter("REQ-1")
	before, err := r.m.Mark(t.Context(), "REQ-1")
	require.NoError(t, err)
	other := r.enter("REQ-2")
	r.writeIn(other.Dir, "other.txt", "other\n")
	r.commit(other.Dir, "other")
	r.merge("REQ-2")
	r.leave("REQ-2")
	r.write("project_status.json", "{}")
	r.write(".project_status.json.X7.tmp", "{")
	r.write(".orchestrator/state.db", "state")
	r.writeIn(tree.Dir, "new.txt", "new\n")
	r.git(tree.Path, "notes", "--ref=by", "add", "-m", "who wrote it")
	r.writeIn(r.enter("REQ-3").Dir, "left.txt", "left\n")
	r.leave("REQ-3")
	found, err := r.m.Look(t.Context(), "REQ-1", before)
	require.NoError(t, err)
	require.Equal(t, worktree.Found{Uncommitted: []string{"new.txt"}}, found)
	before, err = r.m.Mark(t.Context(), "REQ-1")
	require.NoError(t, err)
	r.remove(".orchestrator/worktrees/REQ-3/left.txt")
	_, err = r.m.Enter(t.Context(), "REQ-3") // somebody goes on with it
	require.NoError(t, err)
	r.commit(tree.Dir, "build")
	r.git(tree.Path, "notes", "--ref=by", "add", "-m", "who wrote this")
	found, err = r.m.Look(t.Context(), "REQ-1", before)
	require.NoError(t, err)
	require.Equal(t, worktree.Found{Commits: true}, found)
}

// Without a local branch, nothing can be merged, and no tree is made.
func TestNoBranch(t *testing.T) {
	r := newRepository(t)
	for _, name := range []string{"", "gone", "origin/main"} {
		r.m.Branch = func() string { return name }
		_, err := r.m.Enter(t.Context(), "REQ-1")
		require.True(t, fault.Is(err, worktree.CodeNoBranch), "%v", err)
	}
	_, err := worktree.Open(t.Context(), worktree.Options{Root: t.TempDir()})
	require.True(t, fault.Is(err, worktree.CodeGit), "%v", err)
}
