package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"
)

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

	mark    string // that its commits have in the address of the committer
	since   int    // how many changes in the trees of others were known
	crowded bool   // others are at work as well
	vetted  string // the commit up to which its branch has been looked at
	ended   bool
	halfway bool // there is more that nobody accepted, and that is not committed
}

// Watch begins to watch what the agents for a requirement do. Where they build, nothing is merged as long as something
// is not committed.
func (m *Manager) Watch(ctx context.Context, id string, builds bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.lookAround(ctx); err != nil {
		return err
	}
	if err := m.meddled.refuse(id); err != nil {
		return err
	}
	aside, err := m.clear(ctx, id)
	if err != nil {
		return err
	}
	before, err := m.mark(ctx, id)
	if err != nil {
		return err
	}
	t := m.entered[id]
	w := &watched{before: before, builds: builds, left: builds && t != nil && t.Found > 0, mark: newMark(),
		since: len(m.meddled.all), vetted: before.own, seen: Seen{Aside: aside}}
	m.watching[id], m.marks[w.mark] = w, id
	if crowd(m.watching); t != nil {
		t.Mark = w.mark
	}
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
	if w == nil || w.ended || t == nil {
		return false
	}
	found, err := m.look(ctx, id, w.before)
	seen := &w.seen
	err = errors.Join(err, m.lookAround(ctx))
	seen.Foreign = slices.Concat(seen.Foreign, found.Foreign, m.meddled.foreign(id, w.since))
	seen.Uncommitted, seen.Commits = found.Uncommitted, seen.Commits || found.Commits && accepted
	switch {
	case err != nil || len(seen.Foreign) > 0:
	case !accepted && found.Commits && len(found.Uncommitted) > 0:
		w.halfway = true // as long as no other agent follows, people find it as it is
	case !accepted && found.Commits:
		err = m.setAside(ctx, t, w)
	case accepted && (found.Commits || w.left) && (!w.builds || len(found.Uncommitted) == 0):
		seen.Merge, err = m.merge(ctx, t, w.vetted)
		seen.Commits = seen.Commits || seen.Merge.Commits > 0 // an agent may have nothing to add to what is there
	}
	if err == nil && !w.halfway {
		w.before, err = m.mark(ctx, id) // for the next agent
		w.vetted, w.since = w.before.own, len(m.meddled.all)
	}
	m.rest[id] = m.standing(ctx, t)
	seen.Err = err
	return seen.Merge.Commit != ""
}

// clear sets aside what an agent has committed that was not accepted, with what it did not commit, before another one
// works in its tree. It returns the branch; none if there is nothing of the kind.
func (m *Manager) clear(ctx context.Context, id string) (aside []string, err error) {
	w, t := m.watching[id], m.entered[id]
	if w == nil || t == nil || !w.halfway {
		return nil, nil
	}
	if err := m.show(ctx, t.Path); err != nil {
		return nil, err
	}
	if _, err := m.run(ctx, t.Path, "add", "--all"); err != nil {
		return nil, err
	}
	if _, err := m.run(ctx, t.Path, "commit", "--quiet", "--no-gpg-sign", "-m", "What was not committed"); err != nil {
		return nil, err
	}
	if err := m.setAside(ctx, t, w); err != nil {
		return nil, err
	}
	w.halfway = false
	w.before, err = m.mark(ctx, id)
	w.vetted, m.rest[id] = w.before.own, m.standing(ctx, t)
	return w.seen.Aside[len(w.seen.Aside)-1:], err
}

// setAside moves what an agent has committed to a branch of its own, so that nobody builds on it unawares.
func (m *Manager) setAside(ctx context.Context, t *Tree, w *watched) error {
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil {
		return err
	}
	aside, err := asideOf(ctx, m, t, at)
	if err != nil {
		return err
	}
	w.seen.Aside = append(w.seen.Aside, aside)
	_, err = m.run(ctx, t.Path, "reset", "--quiet", "--keep", w.before.own)
	return err
}

// asideOf makes a branch of a commit that is set aside.
func asideOf(ctx context.Context, m *Manager, t *Tree, at string) (branch string, err error) {
	branch = t.Branch + asideInfix + at[:min(len(at), 8)]
	_, err = m.run(ctx, m.Root, "update-ref", "-m", "orchestrator: set aside", headsPrefix+branch, at)
	m.made[headsPrefix+branch] = at
	return branch, err
}

// leftByIdle reports whether an agent that neither builds nor tests has made a commit that is not merged: the service
// ended before it could look at it.
func leftByIdle(ctx context.Context, m *Manager, tip, at string) (bool, error) {
	if m.Idle == nil {
		return false, nil
	}
	out, err := m.run(ctx, m.Root, "rev-list", "--no-commit-header", "--format=%ce", at, "^"+tip)
	for committer := range strings.Lines(out) {
		if name, _, is := strings.Cut(committer, "+"); is && markIn(committer) != "" && m.Idle(name) {
			return true, nil
		}
	}
	return false, err
}

// Seen returns what was seen since Watch, and ends it.
func (m *Manager) Seen(id string) Seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.watching[id]
	if w == nil {
		return Seen{}
	}
	w.ended = true
	crowd(m.watching)
	return w.seen
}
