package lifecycle

import (
	"iter"
	"slices"
)

// Step is a move on the way to done, with what it lacks as things stand now.
type Step struct {
	Transition
	Lacks []Lack
}

// Ahead walks the table from where the requirement stands to done, by the first row of each status, as if all that was
// yielded before were supplied. It ends where nothing leads on: at done, in a dead end, on retired text.
func (w Workflow) Ahead(req Requirement) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for range Statuses() {
			moves := w.openMoves(req)
			i := slices.IndexFunc(moves, func(m Transition) bool { return w.leadsOn(req, m.To) })
			if i < 0 || !yield(Step{moves[i], w.Lacks(req, moves[i].To, Actor{Role: moves[i].By})}) {
				return
			}
			if req.Status = moves[i].To; req.Status == TestInProgress {
				req.History = nil // no test belongs to a phase that is still to begin
			}
		}
	}
}

// LacksAhead returns what is lacking on the way to done, by the step that needs it first: what a role supplies anew for
// one step, it does not have to supply for a later one. PM's word is asked for at each.
func (w Workflow) LacksAhead(req Requirement) (all []Step) {
	var supplied []Role
	for step := range w.Ahead(req) {
		step.Lacks = slices.DeleteFunc(step.Lacks, func(l Lack) bool { return slices.Contains(supplied, l.By) })
		for _, l := range step.Lacks {
			if l.By != PM {
				supplied = append(supplied, l.By)
			}
		}
		if len(step.Lacks) > 0 {
			all = append(all, step)
		}
	}
	return all
}
