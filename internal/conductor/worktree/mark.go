package worktree

import (
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Mark is what an agent must leave as it is, as it was at some moment: refs, the configuration and hooks of git, the
// files of the project's own working tree, and what the service reads.
type Mark struct {
	own   string            // the commit of the requirement's branch
	left  map[string]string // files of its tree that are not committed
	parts map[string]string
	kept  map[string]kept // the trees of other requirements that nobody works in
}

// Mark returns the present state of what the agents for a requirement must leave alone.
func (m *Manager) Mark(ctx context.Context, id string) (Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mark(ctx, id)
}

func (m *Manager) mark(ctx context.Context, id string) (Mark, error) {
	t, err := m.treeOf(id)
	if err != nil {
		return Mark{}, err
	}
	mark := Mark{parts: map[string]string{}, left: map[string]string{}, kept: keptBeside(ctx, m, t)}
	for _, part := range []string{"config", "config.worktree", "hooks", "info/attributes", "info/exclude", "info/grafts",
		"info/sparse-checkout", "objects/info/alternates", "orchestrator-enforcing", "shallow"} {
		note(mark.parts, filepath.Join(m.common, part), "git's "+part)
	}
	if m.Watched != nil {
		for _, path := range m.Watched(ctx) {
			note(mark.parts, path, m.pathOf(path))
		}
	}
	if mark.own, err = m.resolve(ctx, headsPrefix+t.Branch); err != nil {
		return mark, err
	}
	if err := m.markRefs(ctx, mark); err != nil {
		return mark, err
	}
	if err := m.markLeft(ctx, t, mark); err != nil {
		return mark, err
	}
	changed, err := m.apparent(ctx, m.Root)
	for _, file := range changed {
		if !m.writes(file) {
			mark.parts[file] = digest(filepath.Join(m.Root, file))
		}
	}
	return mark, err
}

// markLeft notes what is not committed in the tree of a requirement, if it has one.
func (m *Manager) markLeft(ctx context.Context, t *Tree, mark Mark) error {
	if m.entered[t.ID] == nil {
		return nil
	}
	left, err := m.uncommitted(ctx, t)
	for _, file := range left {
		mark.left[file] = digest(filepath.Join(t.Path, file))
	}
	return err
}

// markRefs notes all refs but the branches of requirements that are worked on at the same time: see lookAround.
func (m *Manager) markRefs(ctx context.Context, mark Mark) error {
	out, err := m.run(ctx, m.Root, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		at, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !m.handled[ref] {
			mark.parts[ref] = at
		}
	}
	head, err := os.ReadFile(filepath.Join(m.common, "HEAD"))
	mark.parts["HEAD"] = string(head)
	return err
}

// pathOf returns the path of a file from the top of the project's working tree, or its whole path if it lies elsewhere.
func (o Options) pathOf(path string) string {
	if inside, err := filepath.Rel(o.Root, path); err == nil && filepath.IsLocal(inside) {
		return filepath.ToSlash(inside)
	}
	return path
}

// writes reports whether the service itself writes a file of the project's working tree.
func (o Options) writes(file string) bool {
	data, err := filepath.Rel(o.Root, o.Data)
	return err == nil && strings.HasPrefix(file, filepath.ToSlash(data)+"/") ||
		slices.ContainsFunc(o.Exports, func(export string) bool {
			unfinished := path.Join(path.Dir(export), "."+path.Base(export)+".")
			return file == export || strings.HasPrefix(file, unfinished) && strings.HasSuffix(file, ".tmp")
		})
}

// Found is what a tree shows after a run of an agent.
type Found struct {
	Foreign     []string // what changed that is not the agent's
	Uncommitted []string // files of its tree that it changed and did not commit
	Commits     bool     // its branch has new commits
}

// Look compares the present with a mark that was taken before a run of an agent.
//
// Implements: ORC-273
func (m *Manager) Look(ctx context.Context, id string, before Mark) (Found, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.look(ctx, id, before)
}

func (m *Manager) look(ctx context.Context, id string, before Mark) (found Found, err error) {
	now, err := m.mark(ctx, id)
	if err != nil {
		return found, err
	}
	t := m.entered[id]
	if t == nil {
		return found, nil
	}
	names := maps.Clone(now.parts)
	maps.Copy(names, before.parts)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was, is := before.parts[name], now.parts[name]; was != is && !m.isOurs(name, is) && !noted(ctx, m, name, was, is) {
			found.Foreign = append(found.Foreign, name)
		}
	}
	found.Foreign = append(found.Foreign, changedTrees(before.kept, now.kept, m.moves)...)
	if m.branchIn(ctx, t) != headsPrefix+t.Branch {
		found.Foreign = append(found.Foreign, "the branch that is checked out in "+t.Path)
		return found, nil
	}
	if lost, err := m.ahead(ctx, now.own, before.own); err != nil || lost > 0 || now.own == "" {
		found.Foreign = append(found.Foreign, "the history of "+t.Branch+", which no longer has what it had")
	}
	found.Commits = now.own != before.own
	steering, err := m.newSteering(ctx, before.own, now.own)
	if err != nil {
		return found, err
	}
	found.Foreign = append(found.Foreign, steering...)
	for _, file := range slices.Sorted(maps.Keys(now.left)) {
		if now.left[file] != before.left[file] {
			found.Uncommitted = append(found.Uncommitted, file)
		}
	}
	return found, nil
}

// isOurs reports whether this manager itself has moved a ref to a commit, or agents for another requirement may.
func (m *Manager) isOurs(name, at string) bool {
	made, is := m.made[name]
	return name == headsPrefix+m.Branch() && m.merged[at] || m.handled[name] || is && made == at
}

// noted reports whether a ref of notes on commits was made or added to, as some clients do with each commit. Notes are
// no part of the history that counts; those that were there must stay.
//
// Implements: ORC-275
func noted(ctx context.Context, m *Manager, name, was, is string) bool {
	if !strings.HasPrefix(name, "refs/notes/") || is == "" {
		return false
	}
	if was == "" {
		return true
	}
	lost, err := m.ahead(ctx, is, was)
	return err == nil && lost == 0
}
