package worktree

import "context"

// asideInfix stands in the names of branches with what was not accepted.
const asideInfix = ".aside-"

// Seen is what the runs of agents in a tree came to.
type Seen struct {
	Found
	Merge Merge
	Aside []string // branches with the commits of agents whose work was not accepted
	Err   error    // why the tree could not be looked at, or not be merged
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

// Settle looks at a tree after a run of an agent, and merges what it committed, if its work was accepted and nothing is
// otherwise than the agent may leave it. What was not accepted is set aside. Settle is called before the run is judged,
// since what the branch does not have counts for nothing. It reports whether something was merged.
//
// Implements: ORC-273
func (m *Manager) Settle(ctx context.Context, id string, accepted bool) (merged bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, t := m.watching[id], m.entered[id]
	if w == nil || t == nil {
		return false
	}
	found, err := m.look(ctx, id, w.before)
	seen := &w.seen
	seen.Foreign = append(seen.Foreign, found.Foreign...)
	seen.Uncommitted, seen.Commits = found.Uncommitted, seen.Commits || found.Commits && accepted
	switch {
	case err != nil || len(seen.Foreign) > 0:
	case !accepted && found.Commits:
		err = m.setAside(ctx, t, w)
	case accepted && (found.Commits || w.left) && (!w.builds || len(found.Uncommitted) == 0):
		seen.Merge, err = m.merge(ctx, t)
		seen.Commits = seen.Commits || seen.Merge.Commits > 0 // an agent may have nothing to add to what is there
	}
	if err == nil {
		w.before, err = m.mark(ctx, id) // for the next agent
	}
	seen.Err = err
	return seen.Merge.Commit != ""
}

// setAside moves what an agent has committed to a branch of its own, so that nobody builds on it unawares.
func (m *Manager) setAside(ctx context.Context, t *Tree, w *watched) error {
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil {
		return err
	}
	aside := t.Branch + asideInfix + at[:min(len(at), 8)]
	if _, err = m.run(ctx, m.Root, "update-ref", "-m", "orchestrator: set aside", headsPrefix+aside, at); err != nil {
		return err
	}
	m.made[headsPrefix+aside] = at
	w.seen.Aside = append(w.seen.Aside, aside)
	_, err = m.run(ctx, t.Path, "reset", "--quiet", "--keep", w.before.own)
	return err
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
