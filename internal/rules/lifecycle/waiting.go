package lifecycle

import (
	"fmt"
	"slices"
	"time"
)

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
		lacks = append(lacks, Lack{"implementation_holds",
			"the implementation was taken on the coder's word, and never looked up", Coder})
	}
	unseen := func(e Evidence) bool { return e.Found == nil }
	if slices.Contains([]Status{TestedPass, Done}, to) && req.Test != nil && slices.ContainsFunc(req.Test.Evidence, unseen) {
		lacks = append(lacks, Lack{"test_evidence_holds",
			"the test record was taken on the tester's word, and never looked up", Tester})
	}
	return lacks
}

// WaitingFor lists who can bring the requirement on, who comes first first. It is empty for what is finished alone:
// done with nothing against it, and retired where nothing had begun or PM has deferred it.
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
			req.suppliers(l, add)
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

// suppliers adds who can supply what a move lacks.
func (r Requirement) suppliers(l Lack, add func(Party)) {
	before := false
	for _, s := range r.Stale {
		if s.Pointer != "/"+s.Part && (l.Gate == "implementation_holds" && s.Part == FieldImplementation ||
			l.Gate == "test_evidence_holds" && s.Part == FieldTest) {
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

// Since returns when the requirement came into its status: with its last move or, without one, when its text was
// imported.
func (r Requirement) Since() time.Time {
	if len(r.History) == 0 {
		return r.TextSince
	}
	return r.History[r.lastMove()].At
}

// NoWayOn returns why no sequence of moves leads to done from a status, once the requirement is in it, or "".
func (w Workflow) NoWayOn(req Requirement, to Status) string {
	switch {
	case req.Retired:
		return "the documents no longer have it: only an import that brings its text back opens the way to done again"
	case slices.Contains(w.DeadEnds(), to):
		return fmt.Sprintf("workflow %s has no row that leads from %s to done; a pm can switch the project to workflow %s with PUT /workflow",
			w.Name, to, Rework.Name)
	}
	return ""
}
