package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
)

// Trees gives each requirement a working tree of its own.
type Trees interface {
	// Enter returns the tree of a requirement, which is made if need be.
	Enter(ctx context.Context, id string) (*worktree.Tree, error)
	// Watch begins to watch what agents do there, and Seen returns what they did.
	Watch(ctx context.Context, id string, builds bool) error
	Seen(id string) worktree.Seen
	// Merge merges what was committed into the branch that counts.
	Merge(ctx context.Context, id string) (worktree.Merge, error)
	// Leave removes a tree, or returns what of it is kept.
	Leave(ctx context.Context, id string) (kept string, err error)
}

// Entered announces the working tree that the agents for a requirement work in.
type Entered struct {
	Requirement string `json:"requirement"`
	Branch      string `json:"branch"`
	Path        string `json:"path"`
	Commits     int    `json:"commits,omitzero"` // that an earlier drive left there, and that it goes on with
}

// Finding is how an observation about a requirement is put on record.
type Finding string

// The findings.
const (
	Note      Finding = "note"      // of the pm
	Deviation Finding = "deviation" // an open one, which keeps the requirement from done until a pm has settled it
)

// mergedBefore are the statuses that a requirement reaches only with what was built on the branch that counts.
var mergedBefore = []lifecycle.Status{lifecycle.Implemented, lifecycle.TestInProgress, lifecycle.Done}

// prepare makes ready what a step needs: a tree for an agent, or for a move, that the branch is merged. It reports
// whether the step may begin; if not, end says why, unless the requirement is to be looked at again.
func (j *job) prepare(ctx context.Context, end *End, stand Position) (ok, again bool) {
	due := stand.Work[0]
	if j.Trees == nil {
		return true, false
	}
	if len(due.Needs) == 0 {
		to, _ := due.Obligation.Payload["status"].(string)
		if !slices.Contains(mergedBefore, lifecycle.Status(to)) {
			return true, false
		}
		return j.merge(ctx, end), false
	}
	if stand.Built && due.Role == string(lifecycle.Coder) && !end.looked {
		end.looked = true
		ok := j.catchUp(ctx, end)
		return ok, ok
	}
	runs, err := j.wouldRun(ctx, due)
	if err != nil {
		return end.finish(Failed, secret.Mask(err.Error())), false
	}
	return !runs || j.enter(ctx, end, due), false
}

// catchUp merges what is left of a requirement that has been built: somebody may have settled a conflict, or a drive
// was cut off. What was merged since the evidence was last looked up counts then, too.
//
// Implements: ORC-276
func (j *job) catchUp(ctx context.Context, end *End) bool {
	if !j.merge(ctx, end) {
		return false
	}
	if err := j.Project.LookAgain(ctx); err != nil {
		return end.finish(Failed, secret.Mask(err.Error()))
	}
	return true
}

// enter makes the tree of a requirement ready for an agent.
func (j *job) enter(ctx context.Context, end *End, due builtin.Work) bool {
	tree, err := j.Trees.Enter(ctx, end.Requirement)
	if err == nil {
		err = j.Trees.Watch(ctx, end.Requirement, due.Role == string(lifecycle.Coder))
	}
	switch {
	case fault.Is(err, worktree.CodeMeddled):
		return j.found(ctx, end, Deviation, err.Error())
	case err != nil:
		return end.finish(Waiting, "for a working tree: "+secret.Mask(err.Error()))
	}
	if end.watched = true; end.tree != tree.Path {
		end.tree = tree.Path
		j.emit(Event{Entered: &Entered{end.Requirement, tree.Branch, tree.Path, tree.Found}})
	}
	return true
}

// wouldRun reports whether a tool would be run for what is due.
func (j *job) wouldRun(ctx context.Context, due builtin.Work) (bool, error) {
	planned, err := j.Conductor.Plan(ctx, j.Caller, requestFor(due.Obligation))
	return err == nil && slices.ContainsFunc(planned.Obligations[0].Candidates,
		func(c conductor.Candidate) bool { return c.Taken }), err
}

// merge merges the branch of a requirement. It reports whether nothing is left to be merged; if something is, end says
// why.
func (j *job) merge(ctx context.Context, end *End) bool {
	done, err := j.Trees.Merge(ctx, end.Requirement)
	return j.merged(ctx, end, done, err)
}

// merged tells of a merge. It reports false for one that was not possible; then end says why.
func (j *job) merged(ctx context.Context, end *End, done worktree.Merge, err error) bool {
	if len(done.Conflicts) > 0 || done.Commit != "" {
		j.emit(Event{Merge: &done})
	}
	switch {
	case fault.Is(err, worktree.CodeMeddled):
		return j.found(ctx, end, Deviation, err.Error())
	case err != nil:
		return end.finish(Waiting, "for a merge: "+secret.Mask(err.Error()))
	case len(done.Conflicts) == 0:
		return true
	}
	why := fmt.Sprintf("%s cannot be merged into %s: both changed %s; merge %s in its working tree, commit that, and "+
		"drive again", done.Branch, done.Into, strings.Join(done.Conflicts, ", "), done.Into)
	end.finish(Waiting, "for a merge: "+why)
	j.record(ctx, end, Note, why)
	return false
}

// inspect looks at what was seen in the tree during a step of an agent. It reports whether the requirement goes on.
func (j *job) inspect(ctx context.Context, end *End, due builtin.Work, step Step) bool {
	if !end.watched {
		return true
	}
	end.watched = false
	seen := j.Trees.Seen(end.Requirement)
	by, builds := fmt.Sprintf("%s (run %s)", step.Tool, step.Run), due.Role == string(lifecycle.Coder)
	if len(seen.Aside) > 0 {
		j.setAside(ctx, end, due, step, seen.Aside)
	}
	switch {
	case len(seen.Foreign) > 0:
		return j.found(ctx, end, Deviation, fmt.Sprintf("while %s worked, what is not the agent's changed: %s; "+
			"nothing of that was merged", by, strings.Join(seen.Foreign, ", ")))
	case !j.merged(ctx, end, seen.Merge, seen.Err):
		return false
	case builds && len(seen.Uncommitted) > 0:
		return j.found(ctx, end, Note, fmt.Sprintf("%s left changes that it did not commit: %s", by,
			strings.Join(seen.Uncommitted, ", ")))
	case step.Outcome == planning.OutResolved && builds && !seen.Commits:
		return j.found(ctx, end, Deviation, by+" recorded an implementation, and committed nothing")
	}
	return true
}

// setAside names the branches with what agents committed and nobody accepted.
func (j *job) setAside(ctx context.Context, end *End, due builtin.Work, step Step, branches []string) {
	end.aside = append(end.aside, branches...)
	j.record(ctx, end, Note, fmt.Sprintf("what was committed for %s (run %s) is not merged, since no implementation or "+
		"test record of its agent was accepted: it is on %s", due.Obligation, step.Run, strings.Join(branches, ", ")))
}

// found ends a requirement where it is, with what was found on record.
func (j *job) found(ctx context.Context, end *End, kind Finding, why string) bool {
	end.finish(Waiting, "for the pm: "+why)
	j.record(ctx, end, kind, why)
	return false
}

// record puts a finding on record. Only a pm can: for anybody else the events and the report have it alone.
func (j *job) record(ctx context.Context, end *End, kind Finding, text string) {
	if j.Caller.Role != string(lifecycle.PM) {
		return
	}
	err := j.Project.Record(context.WithoutCancel(ctx), j.Caller, end.Requirement, kind, secret.Mask(text))
	if err != nil {
		end.Why += "; it could not be put on record: " + secret.Mask(err.Error())
	}
}

// leave ends the work in the tree of a requirement.
func (j *job) leave(ctx context.Context, end *End) {
	if j.Trees == nil {
		return
	}
	kept, err := j.Trees.Leave(context.WithoutCancel(ctx), end.Requirement)
	if err != nil {
		kept = "its working tree is kept: " + secret.Mask(err.Error())
	}
	if len(end.aside) > 0 {
		kept = strings.TrimSuffix(strings.Join(end.aside, ", ")+", which nobody accepted, is kept; "+kept, "; ")
	}
	end.Kept = secret.Mask(kept)
}
