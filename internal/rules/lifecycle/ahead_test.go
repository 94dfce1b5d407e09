package lifecycle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheWayToDone(t *testing.T) {
	way := func(w Workflow, req Requirement) []Status {
		var all []Status
		for step := range w.Ahead(req) {
			all = append(all, step.To)
		}
		return all
	}
	at := func(s Status, from Status) Requirement { return Requirement{Status: s, HeldFrom: from} }
	all := []Status{Planned, DesignInProgress, DesignReady, ImplementationInProgress, Implemented, TestInProgress, TestedPass, Done}
	require.Equal(t, all, way(V1, at(NotStarted, "")))
	require.Equal(t, all, way(Rework, at(NeedsChanges, "")))
	require.Equal(t, all[3:], way(Rework, at(TestedFail, "")))
	require.Equal(t, all[6:], way(Rework, at(Blocked, TestedPass)), "back to what was held, and on")
	require.Equal(t, append([]Status{NeedsChanges}, all...), way(Rework, at(Blocked, NeedsChanges)))
	for _, dead := range append(V1.DeadEnds(), Done) {
		require.Empty(t, way(V1, at(dead, TestedPass)), dead)
	}
	require.Empty(t, way(V1, Requirement{Status: Planned, Retired: true}))
}

// The first step is the move that Next shows to its role, with the same lacks for someone who took no part.
func TestTheFirstStepIsWhatNextSays(t *testing.T) {
	for _, w := range []Workflow{V1, Rework} {
		for _, status := range Statuses() {
			req := complete(status, Results{Passed: 1})
			for step := range w.Ahead(req) {
				moves := w.Next(req, Actor{"someone", step.By}).Moves
				i := slices.IndexFunc(moves, func(m NextMove) bool { return m.To == step.To })
				require.GreaterOrEqual(t, i, 0, "%s %s", w.Name, status)
				require.ElementsMatch(t, moves[i].Lacks, step.Lacks)
				break
			}
		}
	}
}

// A phase that is still to begin has no tests, whatever was tested before.
func TestTestsAreForTheirPhase(t *testing.T) {
	req := complete(ImplementationInProgress, Results{Passed: 1})
	for step := range V1.Ahead(req) {
		if step.To == TestedPass {
			require.Equal(t, []Lack{{"test_of_this_phase", "no test phase has begun", Tester}}, step.Lacks)
		}
	}
}

func TestNobodyTookNoPart(t *testing.T) {
	for _, l := range (Requirement{Status: TestedPass}).Unmet(Done, Actor{Role: PM}) {
		require.NotEqual(t, "independent_approval", l.Gate, "what is not implemented was implemented by nobody")
	}
}

// What a requirement ever cited are its citations, and those of the moves before the last.
func TestEverCited(t *testing.T) {
	cited := func(to Status) HistoryEntry {
		return HistoryEntry{To: to, Justification: Justification{Evidence: []Evidence{{Kind: EvidenceCommit, Found: &Found{}}, {Kind: EvidenceCommit}}}}
	}
	req := Requirement{History: []HistoryEntry{cited(Planned), cited(DesignInProgress)}}
	pointers := func(all []Citation) (found []string) {
		for _, c := range all {
			found = append(found, c.Pointer)
		}
		return found
	}
	last := PointerTo("history", 1) + "/justification/evidence/0"
	require.Equal(t, []string{last}, pointers(req.Citations()))
	require.Equal(t, []string{"/history/0/justification/evidence/0", last}, pointers(req.EverCited()))
}

// A rejection takes the approvals before it away, and another text takes all.
func TestStanding(t *testing.T) {
	req := complete(Done, Results{Passed: 1})
	require.Equal(t, req.Approvals, req.Standing())
	rejected := append(slices.Clone(req.Approvals), Approval{Decision: Rejected})
	req.Approvals, rejected = rejected, req.Approvals
	require.Empty(t, req.Standing())
	req.Approvals, req.Fingerprint = rejected, "fp-2"
	require.Empty(t, req.Standing())
}

func TestWhatWasNotLookedUpWasNotFound(t *testing.T) {
	var nobodyLooked *Looked
	require.Nil(t, nobodyLooked.at("/test/evidence/0"))
}
