// Package worktree gives each requirement that is driven a working tree of git of its own, and merges what was
// committed there into the branch that counts.
//
// A working tree lies below the data folder, on the branch orchestrator/ID. It is made when the first agent starts, and
// removed when all of it is merged. Whatever is not merged or not committed is kept, and named.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
)

// The codes of what keeps a requirement from being worked on in a tree, or its branch from being merged.
const (
	CodeLeftover fault.Code = "worktree_dirty"    // an earlier drive left changes that nobody committed
	CodeDirty    fault.Code = "branch_dirty"      // the branch is checked out where somebody has changed files
	CodeNoBranch fault.Code = "branch_not_merged" // nothing can be merged into the branch that counts
	CodeGit      fault.Code = "worktree_git"      // git failed
	CodeSteering fault.Code = "steering_changed"  // the branch changes what is not for agents to change
	CodeMoved    fault.Code = "branch_moves"      // the branch moved each time it was merged into
)

// Options configure a manager.
type Options struct {
	Root    string                  // the top of the working tree of the project
	Project string                  // the folder of the project, at or below Root
	Data    string                  // the data folder of the service; working trees are made below it
	Branch  func() string           // the branch that counts
	Exports []string                // files that the service writes itself, by their paths in Root
	Idle    func(agent string) bool // reports whether the agent of a name neither builds nor tests; nil: none is known

	// Steering returns those of some files, by their paths in Root, by which people say what is required and how the
	// service and its agents work; nil: none is. No agent may change them, and no branch that does is merged.
	Steering func(ctx context.Context, files []string) []string
	// Watched returns files and folders that no agent may change in the project, whatever git shows of them; nil: none.
	Watched func(ctx context.Context) []string
}

// Manager makes, merges and removes the working trees of a repository. It is safe for concurrent use.
type Manager struct {
	repository

	mu       sync.Mutex // one command that changes the repository at a time
	entered  map[string]*Tree
	watching map[string]*watched
	handled  map[string]bool   // branches of those that are entered
	merged   map[string]bool   // commits that this manager has put at the tip of the branch
	made     map[string]string // other refs that it has made or left, with where they lead; "" where it removed one
	moves    map[string]int    // by the folder of a tree: how often it was entered and left

	rest    map[string]standing // how the trees were left that are worked on and that no agent is in
	marks   map[string]string   // whose commits have which mark in the address of the committer
	meddled meddlings
}

// repository is where the trees are, which commands of git are run in.
type repository struct {
	Options
	git    git.Command
	common string // the folder that all working trees share: .git
}

// Tree is the working tree of a requirement.
type Tree struct {
	ID     string
	Branch string // orchestrator/REQ-1
	Path   string // its top
	Dir    string // the folder of the project in it: where agents are started
	Found  int    // commits of an earlier drive that it goes on with
	Aside  string // the branch with what agents left that neither build nor test; "" for none
	Mark   string // that its agent's commits have in the address of the committer
}

// Open returns the manager of a repository. It fails where git is missing, or where Root is in no working tree.
func Open(ctx context.Context, o Options) (*Manager, error) {
	path, err := git.Find("")
	if err != nil {
		return nil, fault.New(fault.Unavailable, CodeGit, "there is no git command").
			WithFix("install git").Because(err)
	}
	m := &Manager{repository: repository{Options: o, git: git.Command{Path: path}}, entered: map[string]*Tree{},
		watching: map[string]*watched{},
		handled:  map[string]bool{}, merged: map[string]bool{}, made: map[string]string{}, moves: map[string]int{},
		rest: map[string]standing{}, marks: map[string]string{}, meddled: meddlings{untold: map[string][]string{}}}
	m.common, err = m.run(ctx, o.Root, "rev-parse", "--path-format=absolute", "--git-common-dir")
	return m, err
}

// Enter returns the working tree of a requirement. A tree that an earlier drive left is gone on with if all in it is
// committed, and made anew if all is merged; one with changes that nobody committed is left as it is, and refused.
//
// Implements: ORC-271
func (m *Manager) Enter(ctx context.Context, id string) (*Tree, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.entered[id]; t != nil {
		return t, nil
	}
	tip, err := m.tip(ctx)
	if err != nil {
		return nil, err
	}
	t, err := m.treeOf(id)
	if err == nil {
		err = m.settleLeftover(ctx, t, tip)
	}
	if err == nil {
		err = m.add(ctx, t, tip)
	}
	if err != nil {
		return nil, err
	}
	m.entered[id], m.handled[headsPrefix+t.Branch] = t, true
	m.moves[t.Path]++
	return t, nil
}

// treeOf returns where the tree of a requirement is, whether there is one or not.
func (m *repository) treeOf(id string) (*Tree, error) {
	inside, err := filepath.Rel(m.Root, m.Project)
	if err != nil || !filepath.IsLocal(inside) {
		return nil, fault.New(fault.Conflict, CodeNoBranch, "the project does not lie in the working tree of %s",
			m.Branch()).WithFix("name the repository of the project with serve --repo")
	}
	path := filepath.Join(m.folder(), nameOf(id))
	return &Tree{ID: id, Branch: prefix + nameOf(id), Path: path, Dir: filepath.Join(path, inside)}, nil
}

// settleLeftover decides what becomes of a tree and a branch that an earlier drive left.
func (m *Manager) settleLeftover(ctx context.Context, t *Tree, tip string) error {
	if _, err := m.run(ctx, m.Root, "worktree", "prune"); err != nil {
		return err
	}
	if _, err := os.Lstat(t.Path); err == nil {
		left, err := m.uncommitted(ctx, t)
		if err != nil || len(left) > 0 {
			return leftover(t, left, err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil || at == "" {
		return err
	}
	idle, err := leftByIdle(ctx, m, tip, at)
	if err != nil {
		return err
	}
	if idle {
		if t.Aside, err = asideOf(ctx, m, t, at); err != nil {
			return err
		}
		return m.drop(ctx, t, at)
	}
	if t.Found, err = m.ahead(ctx, tip, at); err != nil || t.Found > 0 {
		return err
	}
	return m.drop(ctx, t, at)
}

func leftover(t *Tree, left []string, err error) error {
	what := "has changes that nobody committed: " + few(left)
	if err != nil {
		what = "is no working tree of " + t.Branch
	}
	return fault.New(fault.Conflict, CodeLeftover, "%s, which an earlier drive left, %s", t.Path, what).
		WithFix("commit what is worth it on %s, or give it up with git worktree remove --force %s; then drive again",
			t.Branch, t.Path).Because(err)
}

// add makes the tree where there is none, on its branch, which begins at the tip of the branch that counts.
func (m *Manager) add(ctx context.Context, t *Tree, tip string) error {
	if _, err := os.Lstat(t.Path); err == nil {
		return m.catchUp(ctx, t, tip)
	}
	if err := os.MkdirAll(m.folder(), 0o700); err != nil {
		return err
	}
	args := []string{"worktree", "add", "--quiet", "-b", t.Branch, t.Path, tip}
	if t.Found > 0 {
		args = []string{"worktree", "add", "--quiet", t.Path, t.Branch}
	}
	_, err := m.run(ctx, m.Root, args...)
	return err
}

// catchUp moves the branch of a tree on to the branch that counts, where it has nothing of its own.
func (m *Manager) catchUp(ctx context.Context, t *Tree, tip string) error {
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil {
		return err
	}
	if n, err := m.ahead(ctx, tip, at); err != nil || n > 0 {
		return err
	}
	_, err = m.run(ctx, t.Path, "merge", "--quiet", "--ff-only", tip)
	return err
}

// Leave ends the work in a tree, whether it was entered or an earlier drive left it. A tree with nothing to keep is
// removed with its branch; else it returns what is kept.
func (m *Manager) Leave(ctx context.Context, id string) (kept string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.treeOf(id)
	if err != nil {
		return "", err
	}
	if err := m.lookAround(ctx); err != nil {
		return "", err
	}
	if m.entered[id] != nil {
		defer m.leaveRef(ctx, headsPrefix+t.Branch)
	}
	delete(m.entered, id)
	m.moves[t.Path]++
	delete(m.watching, id)
	delete(m.rest, id)
	crowd(m.watching)
	left, err := m.uncommitted(ctx, t)
	if _, none := os.Lstat(t.Path); errors.Is(none, os.ErrNotExist) {
		left, err = nil, nil
	}
	if err != nil {
		return t.Path + " is kept: " + err.Error(), nil
	}
	if len(left) > 0 {
		return t.Path + " is kept: it has changes that nobody committed: " + few(left), nil
	}
	tip, err := m.tip(ctx)
	if err != nil {
		return "", err
	}
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil {
		return "", err
	}
	if at == "" {
		return "", nil
	}
	if n, err := m.ahead(ctx, tip, at); err != nil || n > 0 {
		return fmt.Sprintf("%s is kept: %s lacks %s of %s", t.Path, m.Branch(), fault.Count(n, "commit"), t.Branch), err
	}
	return "", m.drop(ctx, t, at)
}

// leaveRef notes where a branch is left. From now on nobody changes it, until it is entered again.
func (m *Manager) leaveRef(ctx context.Context, ref string) {
	delete(m.handled, ref)
	m.made[ref], _ = m.resolve(ctx, ref) // what cannot be read is found to have changed
}

// drop removes a tree, and its branch as long as it is still at a commit. Nothing that is not committed goes with it:
// git refuses that.
func (m *Manager) drop(ctx context.Context, t *Tree, at string) error {
	if _, err := os.Lstat(t.Path); err == nil {
		if _, err := m.run(ctx, m.Root, "worktree", "remove", t.Path); err != nil {
			return err
		}
	}
	_, err := m.run(ctx, m.Root, "update-ref", "-d", headsPrefix+t.Branch, at)
	return err
}

// Of returns the tree of a requirement, for an agent that is about to work in it; nil where it has none. What was begun
// there, and not accepted, is set aside.
func (m *Manager) Of(ctx context.Context, id string) *Tree {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.clear(ctx, id); err != nil {
		m.watching[id].seen.Foreign = append(m.watching[id].seen.Foreign, "what was not accepted: "+err.Error())
	}
	return m.entered[id]
}

// folder returns where working trees are made.
func (o Options) folder() string { return filepath.Join(o.Data, "worktrees") }
