package project

import (
	"context"
	"path/filepath"
	"slices"

	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/rules/lifecycle"
)

// openTrees opens what gives each requirement that is driven a working tree. Where there is none, it returns why.
func (p *Plan) openTrees(ctx context.Context, repository *evidence.Repository,
	docs documents.Set) (trees *worktree.Manager, why string) {
	if repository == nil {
		return nil, "evidence is not looked up in a git repository, so agents share the folder of the project"
	}
	data := p.dir()
	steering := p.steering(docs, repository)
	trees, err := worktree.Open(ctx, worktree.Options{Root: repository.Root(), Project: rooted(data.Project()),
		Data: rooted(string(data)), Branch: repository.Branch, Exports: p.exports(repository.Root()),
		Steering: steering.among, Watched: steering.watched,
		Idle: func(agent string) bool {
			t, is := p.contracts.Tool(agent)
			return is && !slices.Contains([]string{string(lifecycle.Coder), string(lifecycle.Tester)}, t.Contract().Role)
		}})
	if err != nil {
		return nil, "agents share the folder of the project: " + err.Error()
	}
	return trees, ""
}

// exports returns the files that the service writes into the working tree.
func (p *Plan) exports(root string) (paths []string) {
	if p.Export == "" {
		return nil
	}
	inside, err := filepath.Rel(root, rooted(p.Export))
	if err != nil {
		return nil
	}
	inside = filepath.ToSlash(inside)
	return []string{inside, inside[:len(inside)-len(filepath.Ext(inside))] + ".checkpoint"}
}

// rooted returns a path from the root of the file system, without links.
func rooted(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		return real
	}
	return whole
}

// countedTrees are working trees of which what was merged counts at once.
type countedTrees struct {
	*worktree.Manager
	project *bridge.Project
}

// Merge implements drive.Trees.
func (t countedTrees) Merge(ctx context.Context, id string) (worktree.Merge, error) {
	merged, err := t.Manager.Merge(ctx, id)
	if merged.Commit != "" {
		_ = t.project.LookAgain(ctx) // it is looked at from time to time in any case
	}
	return merged, err
}

// treeOf returns the tree that an agent for a requirement works in. What was merged there counts at once.
func treeOf(trees *worktree.Manager,
	project *bridge.Project) func(ctx context.Context, id, agent, role string) outside.Tree {
	return func(ctx context.Context, id, agent, role string) outside.Tree {
		if trees == nil {
			return outside.Tree{}
		}
		t := trees.Of(ctx, id)
		if t == nil {
			return outside.Tree{}
		}
		before := project.Supplied(id, agent, role)
		return outside.Tree{Dir: t.Dir, Branch: t.Branch, Mark: t.Mark, Settle: func(ctx context.Context) {
			if trees.Settle(ctx, id, project.Supplied(id, agent, role) > before) {
				_ = project.LookAgain(ctx) // it is looked at from time to time in any case
			}
		}}
	}
}
