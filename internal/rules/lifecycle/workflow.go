package lifecycle

import (
	"slices"

	"orchestrator/internal/fault"
)

// Pseudo statuses of the table: they stand in rows, never in a requirement.
const (
	anyStatus Status = "any"       // each of the thirteen
	heldFrom  Status = "held_from" // the status that was held before it was blocked or deferred
)

// Transition is one row of the table.
type Transition struct {
	From Status `json:"from"`
	To   Status `json:"to"`
	By   Role   `json:"by"`
}

// transitions is section 6 of the specification, row for row.
var transitions = []Transition{
	{NotStarted, Planned, PM},
	{Planned, DesignInProgress, PM},
	{DesignInProgress, DesignReady, PM},
	{DesignReady, ImplementationInProgress, PM},
	{ImplementationInProgress, Implemented, PM},
	{Implemented, TestInProgress, PM},
	{TestInProgress, TestedPass, Tester},
	{TestInProgress, TestedFail, Tester},
	{TestedPass, Done, PM},
	{anyStatus, Blocked, PM},
	{anyStatus, Deferred, PM},
	{anyStatus, NeedsChanges, PM},
}

// returns are the rows that workflow rework adds, so that no status is a dead end.
var returns = []Transition{
	{Blocked, heldFrom, PM},
	{Deferred, heldFrom, PM},
	{NeedsChanges, Planned, PM},
	{NeedsChanges, DesignInProgress, PM},
	{NeedsChanges, ImplementationInProgress, PM},
	{TestedFail, ImplementationInProgress, PM},
	{TestedFail, TestInProgress, PM},
}

// Workflow is a transition table with its name. The zero value allows nothing.
type Workflow struct {
	Name  string
	rows  []Transition
	dead  []Status // from which the rows do not lead to done
	looks bool     // evidence is looked up; what lies ahead depends on it, and no decision
}

// The workflows: V1 is the literal table; Rework adds the way back from its dead ends.
var (
	V1     = newWorkflow("v1", transitions)
	Rework = newWorkflow("rework", slices.Concat(transitions, returns))
)

func newWorkflow(name string, rows []Transition) Workflow {
	return Workflow{Name: name, rows: rows, dead: deadEnds(rows)}
}

// ParseWorkflow finds a workflow by its name; anything else is fault.Invalid.
func ParseWorkflow(name string) (Workflow, error) {
	for _, w := range []Workflow{V1, Rework} {
		if w.Name == name {
			return w, nil
		}
	}
	return Workflow{}, fault.New(fault.Invalid, "unknown_workflow", "%q is not a workflow", name).
		WithFix("use %s, the literal table, or %s, the table with rows that lead back from dead ends", V1.Name,
			Rework.Name)
}

// Transitions returns the table in the order of the specification.
func (w Workflow) Transitions() []Transition { return slices.Clone(w.rows) }

// movesFrom lists the rows that lead away from where the requirement stands, with pseudo statuses
// resolved. Staying is not a move.
func (w Workflow) movesFrom(req Requirement) []Transition {
	moves := make([]Transition, 0, 4)
	for _, row := range w.rows {
		to := row.To
		if to == heldFrom {
			to = req.HeldFrom
		}
		leads := (row.From == anyStatus || row.From == req.Status) && to != req.Status && to != ""
		if leads && !slices.ContainsFunc(moves, func(m Transition) bool { return m.To == to }) {
			moves = append(moves, Transition{req.Status, to, row.By})
		}
	}
	return moves
}

// leadsOn reports whether a move brings the requirement nearer to done. The rows from "any" do not, except where such a
// move is the way back from a block or deferral.
func (w Workflow) leadsOn(req Requirement, to Status) bool {
	return !fromAny(to) ||
		to == req.HeldFrom && !req.Retired && slices.Contains(w.rows, Transition{req.Status, heldFrom, PM})
}

// DeadEnds lists the statuses from which no sequence of moves leads to done.
func (w Workflow) DeadEnds() []Status { return slices.Clone(w.dead) }

// IsDeadEnd reports whether no sequence of moves leads from a status to done.
func (w Workflow) IsDeadEnd(s Status) bool { return slices.Contains(w.dead, s) }

func deadEnds(rows []Transition) (dead []Status) {
	reaches := map[Status]bool{Done: true}
	for changed := true; changed; {
		changed = false
		for _, from := range Statuses() {
			if !reaches[from] && leadsInto(rows, from, reaches) {
				reaches[from], changed = true, true
			}
		}
	}
	return slices.DeleteFunc(Statuses(), func(s Status) bool { return reaches[s] })
}

// ClosedBy lists the statuses that lead to done under w, and not under another workflow.
func (w Workflow) ClosedBy(other Workflow) []Status {
	return slices.DeleteFunc(other.DeadEnds(), w.IsDeadEnd)
}

func leadsInto(rows []Transition, from Status, reaches map[Status]bool) bool {
	return slices.ContainsFunc(rows, func(row Transition) bool {
		return (row.From == from || row.From == anyStatus) && (reaches[row.To] || row.To == heldFrom)
	})
}

// checkMove holds a status change against the table: 409 when no row has it, 403 when the row is
// another role's.
func (w Workflow) checkMove(req Requirement, role Role, to Status) error {
	if to == req.Status {
		return fault.New(fault.Conflict, "same_status", "%s is already %s; staying is not a transition", req.ID, to).
			WithFix("leave status out, or choose one of the allowed moves")
	}
	moves := w.movesFrom(req)
	i := slices.IndexFunc(moves, func(m Transition) bool { return m.To == to })
	if i < 0 {
		return fault.New(fault.Conflict, "illegal_transition", "%s is %s; workflow %s has no row from %s to %s",
			req.ID, req.Status, w.Name, req.Status, to).
			WithFix("%s", w.wayOut(req.Status))
	}
	if moves[i].By != role {
		return fault.New(fault.Forbidden, "transition_forbidden", "%s from %s to %s is for role %s, not for role %s",
			req.ID, req.Status, to, moves[i].By, role).
			WithFix("ask a %s to make this move; GET /requirements/{id}/next lists your own", moves[i].By)
	}
	return nil
}

func (w Workflow) wayOut(from Status) string {
	if w.IsDeadEnd(from) {
		return "under workflow " + w.Name + " no move leads from " + string(from) + " to done; " + switchFix
	}
	return "choose one of the allowed moves"
}

// switchFix says how a project gets the rows that lead back.
const switchFix = `the pm can switch the project to the workflow that leads back, with PUT /workflow ` +
	`{"workflow":"rework","reason":"…"}`

// reopening says how a requirement that is done is opened again, and what stands against that.
func (w Workflow) reopening() string {
	if w.IsDeadEnd(NeedsChanges) {
		return "status needs_changes, with which the pm could open it, is a dead end under workflow " + w.Name +
			"; before that, " + switchFix
	}
	return "ask the pm to open it with status needs_changes"
}
