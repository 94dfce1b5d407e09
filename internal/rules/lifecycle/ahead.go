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
