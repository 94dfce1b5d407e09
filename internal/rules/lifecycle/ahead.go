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
			i := slices.IndexFunc(moves, func(m Transition) bool { return !fromAny(m.To) })
			if i < 0 || !yield(Step{moves[i], unmet(req, moves[i].To, Actor{Role: moves[i].By})}) {
				return
			}
			if req.Status = moves[i].To; req.Status == TestInProgress {
				req.History = nil // no test belongs to a phase that is still to begin
			}
		}
	}
}

// Unmet lists what the requirement lacks, as it is now, to stand in a status into which mover has moved it. A mover without
// a name stands for anyone who took no part.
func (r Requirement) Unmet(to Status, mover Actor) []Lack { return unmet(r, to, mover) }

// Standing lists the approvals that count for done.
func (r Requirement) Standing() []Approval { return r.standing() }

// PointerTo is the JSON Pointer (RFC 6901) to an element of a list, "/history/3".
func PointerTo(list string, index int) string { return pointerTo(list, index) }
