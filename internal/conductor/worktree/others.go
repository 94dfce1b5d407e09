package worktree

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// CodeMeddled is the code of a tree that was changed while none of its own agents worked in it.
const CodeMeddled fault.Code = "worktree_changed"

// standing is how a tree is left when its agent has ended.
type standing struct {
	own, head string
	left      map[string]string // files that are not committed
}

// meddling is a change in the tree of a requirement that no agent of it has made.
type meddling struct {
	in   string // the requirement
	what string
	by   string // the requirement whose agent made it; "" where that cannot be told
}

// standing returns how a tree is now.
func (m *repository) standing(ctx context.Context, t *Tree) (s standing) {
	var err error
	if s.own, err = m.resolve(ctx, headsPrefix+t.Branch); err != nil {
		s.own = err.Error()
	}
	s.head, s.left = m.branchIn(ctx, t), map[string]string{}
	left, err := m.uncommitted(ctx, t)
	if err != nil {
		s.head = err.Error()
	}
	for _, file := range left {
		s.left[file] = digest(filepath.Join(t.Path, file))
	}
	return s
}

// lookAround looks for what was changed in the trees that are worked on, and not by an agent of theirs. Whatever has
// changed where nobody works is such a change. Where several agents work at once, so are commits in a tree that do not
// have the committer of its own agent: that names the run.
func (m *Manager) lookAround(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(m.entered)) {
		t := m.entered[id]
		if w := m.watching[id]; w != nil && !w.ended {
			if err := m.vet(ctx, t, w); err != nil {
				return err
			}
			continue
		}
		was, is := m.rest[id]
		if !is {
			continue
		}
		now := m.standing(ctx, t)
		if err := m.compare(ctx, t, was, now); err != nil {
			return err
		}
		m.rest[id] = now
	}
	return nil
}

// compare notes how a tree that nobody worked in has changed.
func (m *Manager) compare(ctx context.Context, t *Tree, was, now standing) error {
	if was.own != now.own {
		found, err := m.strange(ctx, t, was.own, now.own, "")
		if err == nil && !found { // nothing was added to it
			m.meddled.add(meddling{in: t.ID, what: "the history of " + t.Branch})
		}
		if err != nil {
			return err
		}
	}
	if was.head != now.head {
		m.meddled.add(meddling{in: t.ID, what: "the branch that is checked out in " + t.Path})
	}
	names := maps.Clone(now.left)
	maps.Copy(names, was.left)
	for _, file := range slices.Sorted(maps.Keys(names)) {
		if was.left[file] != now.left[file] {
			m.meddled.add(meddling{in: t.ID, what: file + " in " + t.Path})
		}
	}
	return nil
}

// vet notes what is in a tree that an agent works in, and does not come from it. As long as it is the only one that
// works, all does.
func (m *Manager) vet(ctx context.Context, t *Tree, w *watched) error {
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err == nil && w.crowded && at != "" {
		_, err = m.strange(ctx, t, w.vetted, at, w.mark)
	}
	w.vetted = at
	return err
}

// strange notes the commits between two states of a branch that do not have a mark, and reports whether there are any.
// What is on the branch that counts has been looked at.
func (m *Manager) strange(ctx context.Context, t *Tree, from, to, mark string) (found bool, err error) {
	args := []string{"rev-list", "--no-commit-header", "--format=%H %ce", to, "^" + headsPrefix + m.Branch()}
	if from != "" {
		args = append(args, "^"+from)
	}
	out, err := m.run(ctx, m.Root, args...)
	for line := range strings.Lines(out) {
		at, committer, _ := strings.Cut(strings.TrimSpace(line), " ")
		has := markIn(committer)
		if mark != "" && has == mark {
			continue
		}
		by := m.marks[has]
		if by == t.ID {
			by = "" // it is not at work now
		}
		m.meddled.add(meddling{t.ID, fmt.Sprintf("commit %.8s on %s", at, t.Branch), by})
		found = true
	}
	return found, err
}

// meddlings are the changes in trees that no agent of theirs has made.
type meddlings struct {
	all    []meddling          // in the order in which they were found
	untold map[string][]string // what of that the requirement was not told yet
}

// add adds a change, for its requirement and for the agents that were at work.
func (m *meddlings) add(c meddling) {
	m.all = append(m.all, c)
	m.untold[c.in] = append(m.untold[c.in], c.said())
}

// said returns what was changed, for the requirement in whose tree it is.
func (c meddling) said() string {
	if c.by == "" {
		return c.what
	}
	return c.what + ", by the agent for " + c.by
}

// foreign returns what an agent may have changed in the trees of others while it worked, and then what was changed in
// its own tree: where several were at work, and it cannot be told whose the change is, it is named for all of them.
func (m *meddlings) foreign(id string, since int) (all []string) {
	for _, c := range m.all[since:] {
		if c.in != id && (c.by == "" || c.by == id) {
			all = append(all, c.what)
		}
	}
	own := m.untold[id]
	delete(m.untold, id)
	return append(all, own...)
}

// refuse refuses to go on in a tree that was changed by somebody else. It says so once: then people have decided.
func (m *meddlings) refuse(id string) error {
	what := m.untold[id]
	if len(what) == 0 {
		return nil
	}
	delete(m.untold, id)
	return fault.New(fault.Conflict, CodeMeddled, "while no agent for it worked, its working tree was changed: %s",
		few(what)).WithFix("look at it, keep or undo it, and drive again")
}

// crowd notes which agents work at the same time as others.
func crowd(watching map[string]*watched) {
	atWork := 0
	for _, w := range watching {
		if !w.ended {
			atWork++
		}
	}
	for _, w := range watching {
		w.crowded = atWork > 1
	}
}

// newMark returns what tells the commits of one run from those of another.
func newMark() string {
	mark := make([]byte, 8)
	_, _ = rand.Read(mark) // it never fails
	return hex.EncodeToString(mark)
}

// markIn returns the mark in the address of a committer, as in agents.coder+3f9a@orchestrator.invalid.
func markIn(committer string) string {
	_, rest, _ := strings.Cut(committer, "+")
	mark, _, _ := strings.Cut(rest, "@")
	return mark
}

// kept is a tree that nobody works in: what is in it is of an earlier drive, or waits for a person.
type kept struct {
	shows string // its commit, and what is not committed
	moves int    // how often it had been entered and left
}

// keptBeside returns the trees of other requirements that nobody works in, by their folders.
//
// Implements: ORC-292
func keptBeside(ctx context.Context, m *Manager, own *Tree) map[string]kept {
	trees := map[string]kept{}
	entries, _ := os.ReadDir(m.folder()) // none where there is no folder
	for _, e := range entries {
		path := filepath.Join(m.folder(), e.Name())
		if !e.IsDir() || path == own.Path || slices.ContainsFunc(slices.Collect(maps.Values(m.entered)),
			func(t *Tree) bool { return t.Path == path }) {
			continue
		}
		trees[path] = kept{shows: shown(ctx, m, &Tree{Branch: prefix + e.Name(), Path: path}), moves: m.moves[path]}
	}
	return trees
}

// shown returns what a tree shows, in short.
func shown(ctx context.Context, m *Manager, t *Tree) string {
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil {
		return err.Error()
	}
	left, err := m.uncommitted(ctx, t)
	text := fmt.Sprintln(at, err)
	for _, file := range left {
		text += fmt.Sprintln(file, digest(filepath.Join(t.Path, file)))
	}
	return text
}

// changedTrees returns the trees that are not as they were, though nobody worked in them meanwhile.
func changedTrees(before, now map[string]kept, moves map[string]int) (changed []string) {
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if was := before[path]; now[path].shows != was.shows && moves[path] == was.moves {
			changed = append(changed, "the working tree "+filepath.Base(path))
		}
	}
	return changed
}
