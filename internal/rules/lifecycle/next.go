package lifecycle

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// NextMove is a move an actor may make, with what it still lacks. Ready means that it lacks nothing but
// the justification that every move needs.
type NextMove struct {
	To    Status `json:"to"`
	Ready bool   `json:"ready"`
	Lacks []Lack `json:"lacks"`
}

// Next is what an actor may do with a requirement now.
type Next struct {
	Fields     []string   `json:"fields"`      // members of a change request that would be accepted
	Moves      []NextMove `json:"moves"`       // rows of the table that are this actor's
	WaitingFor []Party    `json:"waiting_for"` // who can bring it on; empty for what is finished
}

// Next answers with the functions that Apply decides by.
func (w Workflow) Next(req Requirement, who Actor) Next {
	next := Next{Fields: []string{}, Moves: []NextMove{}, WaitingFor: w.WaitingFor(req)}
	if w.checkOpen(req, who.Role, "") == nil {
		next.Fields = append(next.Fields, FieldsOf(who.Role)...)
	}
	for _, m := range w.openMoves(req) {
		if w.checkOpen(req, who.Role, m.To) == nil && CheckRights(who.Role, []string{FieldStatus}) == nil &&
			m.By == who.Role {
			lacks := append([]Lack{}, w.Lacks(req, m.To, who)...)
			next.Moves = append(next.Moves, NextMove{m.To, len(lacks) == 0, lacks})
		}
	}
	if len(next.Moves) == 0 {
		next.Fields = slices.DeleteFunc(next.Fields, func(f string) bool { return f == FieldStatus })
	}
	return next
}

// Turn lists the roles whose work leads on from here, as Tasks has them.
func (w Workflow) Turn(req Requirement) []Role {
	turn := []Role{}
	for _, t := range w.Tasks(req) {
		if !slices.Contains(turn, t.By) {
			turn = append(turn, t.By)
		}
	}
	return turn
}

// Task is a piece of work that leads a requirement on: a move, or what a move lacks. To is "" where PM has to clear
// what stands against the requirement.
type Task struct {
	By    Role
	To    Status
	Needs []string // what By is to supply; none where By makes the move itself
}

// Tasks returns what leads on: first what PM has to clear, then the moves along the table or, where they lack something,
// what supplies it. The rows from "any" lead nowhere.
func (w Workflow) Tasks(req Requirement) (tasks []Task) {
	if needs := toClear(req); len(needs) > 0 {
		tasks = append(tasks, Task{By: PM, Needs: needs})
	}
	for _, m := range w.openMoves(req) {
		if !w.leadsOn(req, m.To) {
			continue
		}
		lacks := w.Lacks(req, m.To, Actor{Role: m.By})
		if len(lacks) == 0 {
			tasks = append(tasks, Task{By: m.By, To: m.To})
		}
		first := len(tasks)
		for _, l := range lacks {
			i := first + slices.IndexFunc(tasks[first:], func(t Task) bool { return t.By == l.By })
			if i < first {
				i = len(tasks)
				tasks = append(tasks, Task{By: l.By, To: m.To})
			}
			tasks[i].Needs = append(tasks[i].Needs, l.Needs(m.To))
		}
	}
	return tasks
}

// toClear returns what stands against the requirement that PM alone can clear.
func toClear(r Requirement) (needs []string) {
	for _, c := range []struct {
		is    bool
		needs string
	}{
		{r.Suspect, "a decision on the text or priority, which changed after work began"},
		{r.NeedsDeferral(), "to be deferred, since the documents no longer have it"},
		{unsettled(r), "a decision on what stands against it since it was done"},
	} {
		if c.is {
			needs = append(needs, c.needs)
		}
	}
	return needs
}

// Needs returns what the gate needs for a move.
func (l Lack) Needs(to Status) string {
	return gates[slices.IndexFunc(gates, func(g Gate) bool { return g.To == to && g.Name == l.Gate })].Needs
}

// PointerTo returns the JSON Pointer (RFC 6901) to an element of a list: "/history/3".
func PointerTo(list string, index int) string { return "/" + list + "/" + strconv.Itoa(index) }

// unsettled reports whether something stands against a requirement that is done: since it is sealed, PM alone can act.
func unsettled(r Requirement) bool {
	return r.Status == Done && !r.Retired && (len(r.Unsettling()) > 0 || r.OpenDeviation() != "" || len(r.Standing()) == 0)
}

// Party is who can act on a requirement: a role, or somebody outside of the roles.
type Party string

// The parties that are no roles.
const (
	Operator Party = "operator" // keeps the service and the repository that it reads
	Document Party = "document" // writes the requirement documents
)

// Looking returns the workflow for a project in which evidence is looked up, or is not. Where it is, nobody moves on a
// part that was taken on its sender's word.
func (w Workflow) Looking(is bool) Workflow {
	w.looks = is
	return w
}

// Looks reports whether evidence is looked up.
func (w Workflow) Looks() bool { return w.looks }

// Lacks lists what a move lacks as things stand: its unmet gates, and what has to be sent again.
func (w Workflow) Lacks(req Requirement, to Status, mover Actor) []Lack {
	lacks := req.Unmet(to, mover)
	if !w.looks {
		return lacks
	}
	if slices.Contains([]Status{Implemented, Done}, to) && req.Implementation != nil && len(req.ImplementationEvidence) == 0 {
		lacks = append(lacks, Lack{GateImplementationHolds,
			"the implementation was taken on the coder's word, and never looked up", Coder})
	}
	unseen := func(e Evidence) bool { return e.Found == nil }
	if slices.Contains([]Status{TestedPass, Done}, to) && req.Test != nil && slices.ContainsFunc(req.Test.Evidence, unseen) {
		lacks = append(lacks, Lack{GateTestHolds,
			"the test record was taken on the tester's word, and never looked up", Tester})
	}
	return lacks
}

// WaitingFor lists who can bring the requirement on, in the order in which they act. It is empty for what is finished
// alone: done with nothing against it, and retired where nothing had begun or PM has deferred it.
func (w Workflow) WaitingFor(req Requirement) []Party {
	parties := []Party{}
	add := func(p Party) {
		if !slices.Contains(parties, p) {
			parties = append(parties, p)
		}
	}
	if req.Retired {
		if req.NeedsDeferral() {
			return []Party{Party(PM), Document}
		}
		return parties
	}
	if req.Suspect || req.Status == Done && (req.OpenDeviation() != "" || len(req.Standing()) == 0) {
		add(Party(PM))
	}
	if req.Status == Done {
		for _, s := range req.Unsettling() {
			add(s.mendedBy(PM)) // since it is sealed, no other role can act
		}
		return parties
	}
	leads := false
	for _, m := range w.openMoves(req) {
		if !w.leadsOn(req, m.To) {
			continue
		}
		leads = true
		lacks := w.Lacks(req, m.To, Actor{Role: m.By})
		for _, l := range lacks {
			l.suppliers(req.Stale, add)
		}
		if len(lacks) == 0 {
			add(Party(m.By))
		}
	}
	if !leads {
		add(Party(PM)) // who can switch the workflow
	}
	return parties
}

// suppliers adds who can supply what a move lacks, given what is stale.
func (l Lack) suppliers(stale []Stale, add func(Party)) {
	before := false
	for _, s := range stale {
		if s.Pointer != "/"+s.Part && (l.Gate == GateImplementationHolds && s.Part == FieldImplementation ||
			l.Gate == GateTestHolds && s.Part == FieldTest) {
			add(s.mendedBy(l.By))
			before = true
		}
	}
	if !before {
		add(Party(l.By))
	}
}

// mendedBy returns who can mend what is stale: a role, unless nobody but the operator can make it readable.
func (s Stale) mendedBy(role Role) Party {
	if s.Reason == Unknown || s.Reason == Unreadable {
		return Operator
	}
	return Party(role)
}

// Since returns when a requirement came into its status: with its last move or, without one, when its text was imported.
func Since(r Requirement) time.Time {
	if len(r.History) == 0 {
		return r.TextSince
	}
	return r.History[lastMove(r.History)].At
}

// NoWayOn returns why no sequence of moves leads to done from a status, once the requirement is in it, or "".
func (w Workflow) NoWayOn(req Requirement, to Status) string {
	switch {
	case req.Retired:
		return "the documents no longer have it: only an import that brings its text back opens the way to done again"
	case w.IsDeadEnd(to):
		return fmt.Sprintf("workflow %s has no row that leads from %s to done; a pm can switch the project to workflow %s with PUT /workflow",
			w.Name, to, Rework.Name)
	}
	return ""
}
