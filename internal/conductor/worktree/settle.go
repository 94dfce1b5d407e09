package worktree

import "context"

// Seen is what the runs of agents in a tree came to.
type Seen struct {
	Found
	Merge Merge
	Err   error // why the tree could not be looked at, or not be merged
}

// watched is what is watched of a tree while agents run in it.
type watched struct {
	before Mark
	seen   Seen
	builds bool // what is not committed is missing
	left   bool // it has commits of a run that was cut off
}

// Watch begins to watch what the agents for a requirement do. Where they build, nothing is merged as long as something
// is not committed.
func (m *Manager) Watch(ctx context.Context, id string, builds bool) error {
	before, err := m.Mark(ctx, id)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.entered[id]
	m.watching[id] = &watched{before: before, builds: builds, left: builds && t != nil && t.Found > 0}
	return nil
}

// Settle looks at a tree after a run of an agent, and merges what it committed, unless something is not as the agent
// may leave it. It is called before the run is judged, since what the branch does not have counts for nothing. It
// reports whether something was merged.
func (m *Manager) Settle(ctx context.Context, id string) (merged bool) {
	m.mu.Lock()
	w := m.watching[id]
	m.mu.Unlock()
	if w == nil {
		return false
	}
	found, err := m.Look(ctx, id, w.before)
	seen := &w.seen
	seen.Foreign = append(seen.Foreign, found.Foreign...)
	seen.Uncommitted, seen.Commits = found.Uncommitted, seen.Commits || found.Commits
	if err == nil && (found.Commits || w.left) && len(seen.Foreign) == 0 && (!w.builds || len(found.Uncommitted) == 0) {
		seen.Merge, err = m.Merge(ctx, id)
		seen.Commits = seen.Commits || seen.Merge.Commits > 0 // an agent may have nothing to add to what is there
	}
	if err == nil {
		w.before, err = m.Mark(ctx, id) // for the next agent
	}
	seen.Err = err
	return seen.Merge.Commit != ""
}

// Seen returns what was seen since Watch.
func (m *Manager) Seen(id string) Seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w := m.watching[id]; w != nil {
		return w.seen
	}
	return Seen{}
}
