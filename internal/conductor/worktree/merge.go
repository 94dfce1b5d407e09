package worktree

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
)

// Merge is what was merged for a requirement.
type Merge struct {
	Requirement string   `json:"requirement"`
	Branch      string   `json:"branch"`              // orchestrator/REQ-1
	Into        string   `json:"into"`                // the branch that counts
	Commits     int      `json:"commits"`             // how many of them
	Commit      string   `json:"commit,omitempty"`    // of the merge
	Conflicts   []string `json:"conflicts,omitempty"` // files that both sides changed; then nothing was merged
}

// Merge merges the branch of a requirement into the branch that counts. The merge is made without a working tree, so
// that a conflict leaves nothing behind. Where the branch is checked out, the tree there follows if nobody has changed
// a file in it; otherwise nothing is merged.
//
// Implements: ORC-272
func (m *Manager) Merge(ctx context.Context, id string) (Merge, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.treeOf(id)
	if err != nil {
		return Merge{Requirement: id, Into: m.Branch()}, err
	}
	if err = m.lookAround(ctx); err == nil {
		err = m.meddled.refuse(id)
	}
	if w := m.watching[id]; err == nil && w != nil && w.halfway {
		left, cannot := m.uncommitted(ctx, t)
		err = leftover(t, left, cannot)
	}
	at := m.rest[id].own
	if err == nil && at == "" {
		at, err = m.resolve(ctx, headsPrefix+t.Branch)
	}
	if err != nil {
		return Merge{Requirement: id, Branch: t.Branch, Into: m.Branch()}, err
	}
	return m.merge(ctx, t, at)
}

// merge merges a commit on the branch of a requirement: what is there meanwhile has not been looked at.
func (m *Manager) merge(ctx context.Context, t *Tree, at string) (Merge, error) {
	done := Merge{Requirement: t.ID, Branch: t.Branch, Into: m.Branch()}
	const attempts = 5 // somebody else may commit to the branch in the meantime
	for range attempts {
		moved, err := m.mergeOnce(ctx, t, at, &done)
		if err != nil || !moved {
			return done, err
		}
	}
	return done, fault.New(fault.Unavailable, CodeMoved, "%s moved each time that %s was to be merged into it",
		done.Into, done.Branch).WithFix("drive again when nobody commits to it")
}

// mergeOnce merges a branch, unless the branch that counts moves meanwhile: then moved is true.
func (m *Manager) mergeOnce(ctx context.Context, t *Tree, at string, done *Merge) (moved bool, err error) {
	tip, err := m.tip(ctx)
	if err != nil || at == "" {
		return false, err
	}
	if done.Commits, err = m.ahead(ctx, tip, at); err != nil || done.Commits == 0 {
		return false, err
	}
	tree, conflicts, err := m.join(ctx, tip, at)
	if err != nil || len(conflicts) > 0 {
		done.Conflicts = conflicts
		return false, err
	}
	if err := m.refuseSteering(ctx, t, tip, tree); err != nil {
		return false, err
	}
	commit, err := m.run(ctx, m.Root, "commit-tree", tree, "-p", tip, "-p", at, "-m",
		"Merge "+t.Branch+" into "+done.Into)
	if err != nil {
		return false, err
	}
	if moved, err = m.advance(ctx, tip, commit); err != nil || moved {
		return moved, err
	}
	done.Commit = commit
	return false, m.follow(ctx, t, commit)
}

// refuseSteering refuses a merge that would change what is not for agents to change, whoever has changed it.
func (m *repository) refuseSteering(ctx context.Context, t *Tree, tip, merged string) error {
	changed, err := m.steering(ctx, tip, merged)
	if err == nil && len(changed) > 0 {
		err = fault.New(fault.Conflict, CodeSteering, "%s changes what says what is required, or how the service and agents "+
			"work: %s", t.Branch, few(changed)).
			WithFix("undo that on %s, or merge the branch by hand if people want it", t.Branch)
	}
	return err
}

// join merges two commits without a working tree. It returns the tree of the merge, or the files that conflict.
func (m *repository) join(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	out, words, err := m.start(ctx, m.Root, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours,
		theirs)
	lines := slices.DeleteFunc(strings.Split(out, "\x00"), func(line string) bool { return line == "" })
	switch {
	case git.ExitCode(err) == 1 && len(lines) > 1:
		return "", lines[1:], nil
	case err != nil || len(lines) == 0:
		return "", nil, failed("merge-tree", words, cmp.Or(err, errors.New("it printed no tree"))).
			WithFix("git 2.38 or later merges without a working tree; or merge by hand")
	}
	return lines[0], nil, nil
}

// advance moves the branch that counts from one commit to a later one, with the working tree that it is checked out in.
func (m *Manager) advance(ctx context.Context, from, to string) (moved bool, err error) {
	dir, err := m.checkedOut(ctx)
	if err != nil {
		return false, err
	}
	m.merged[to] = true
	if dir != "" {
		err = m.advanceTree(ctx, dir, to)
	} else {
		_, err = m.run(ctx, m.Root, "update-ref", "-m", "orchestrator: merge", headsPrefix+m.Branch(), to, from)
	}
	if err == nil {
		return false, nil
	}
	if now, gone := m.tip(ctx); gone == nil && now != from {
		return true, nil
	}
	return false, err
}

// advanceTree moves a checked-out branch and its files. git itself refuses where a file would be overwritten.
func (m *Manager) advanceTree(ctx context.Context, dir, to string) error {
	changed, err := m.changed(ctx, dir, "no")
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, m.writes)
	if len(changed) > 0 {
		return fault.New(fault.Conflict, CodeDirty, "%s is checked out in %s, where files are changed: %s",
			m.Branch(), dir, few(changed)).WithFix("commit or stash them there, and drive again")
	}
	_, words, err := m.start(ctx, dir, "merge", "--quiet", "--ff-only", to)
	switch {
	case err == nil:
		return nil
	case lockIn().MatchString(words):
		return failed("merge", words, err)
	}
	return fault.New(fault.Conflict, CodeDirty, "the files of %s in %s cannot follow: %s", m.Branch(), dir,
		strings.Join(strings.Fields(git.Said(words)), " ")).
		WithFix("commit, stash or move away what is in the way there, and drive again").Because(err)
}

// checkedOut returns the working tree that has the branch that counts checked out; "" where none has.
func (m *repository) checkedOut(ctx context.Context) (dir string, err error) {
	out, err := m.run(ctx, m.Root, "worktree", "list", "--porcelain", "-z")
	at := ""
	for line := range strings.SplitSeq(out, "\x00") {
		if path, is := strings.CutPrefix(line, "worktree "); is {
			at = path
		}
		if line == "branch "+headsPrefix+m.Branch() {
			return at, err
		}
	}
	return "", err
}

// follow brings a requirement's own tree to the merge, so that the next agent sees what counts.
func (m *Manager) follow(ctx context.Context, t *Tree, commit string) error {
	if m.entered[t.ID] == nil {
		return nil
	}
	_, err := m.run(ctx, t.Path, "merge", "--quiet", "--ff-only", commit)
	if _, is := m.rest[t.ID]; is && err == nil {
		m.rest[t.ID] = m.standing(ctx, t)
	}
	return err
}
