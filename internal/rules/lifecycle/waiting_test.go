package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-150
func TestWaitingFor(t *testing.T) {
	at := func(s Status, edit func(*Requirement)) Requirement {
		req := complete(s, Results{Passed: 1})
		if edit != nil {
			edit(&req)
		}
		return req
	}
	stale := func(part, reason string) func(*Requirement) {
		return func(r *Requirement) {
			r.Stale = []Stale{{Part: part, Pointer: "/" + part + "_evidence/0", Reason: reason, Detail: "so it is"}}
			if r.Status == Done {
				r.History = []HistoryEntry{{Stamp: Stamp{Rules: Rules3}, To: Done}}
			}
		}
	}
	pm, coder, operator := Party(PM), Party(Coder), Operator
	for _, c := range []struct {
		name string
		req  Requirement
		v1   []Party
		also []Party // under rework
	}{
		{"done", at(Done, nil), []Party{}, []Party{}},
		{"done and deviating", at(Done, func(r *Requirement) { r.Deviations = []Deviation{{ID: "D"}} }), []Party{pm}, []Party{pm}},
		{"done and suspect", at(Done, func(r *Requirement) { r.Suspect = true }), []Party{pm}, []Party{pm}},
		{"done and rejected", at(Done, func(r *Requirement) { r.Approvals[0].Decision = Rejected }), []Party{pm}, []Party{pm}},
		{"done, and the branch is gone", at(Done, stale("implementation", Unknown)), []Party{operator}, []Party{operator}},
		{"done, and a file changed", at(Done, stale("implementation", FileChanged)), []Party{pm}, []Party{pm}},
		{"failed", at(TestedFail, nil), []Party{pm}, []Party{pm}},
		{"put off", at(Deferred, func(r *Requirement) { r.HeldFrom = Planned }), []Party{pm}, []Party{pm}},
		{"removed, and put off", at(Deferred, func(r *Requirement) { r.Retired = true }), []Party{}, []Party{}},
		{"removed with work", at(Planned, func(r *Requirement) { r.Retired = true }), []Party{pm, Document}, []Party{pm, Document}},
		{"code that is not committed", at(ImplementationInProgress, stale("implementation", Uncommitted)), []Party{coder}, []Party{coder}},
		{"code that cannot be read", at(ImplementationInProgress, stale("implementation", Unreadable)), []Party{operator}, []Party{operator}},
		{"the report is gone", at(TestedPass, stale("test", ReportGone)), []Party{Party(Tester)}, []Party{Party(Tester)}},
		{"a text that changed", at(Planned, func(r *Requirement) { r.Suspect = true }), []Party{pm}, []Party{pm}},
	} {
		require.Equal(t, c.v1, V1.WaitingFor(c.req), c.name)
		require.Equal(t, c.also, Rework.WaitingFor(c.req), c.name+" under rework")
		require.Equal(t, c.v1, V1.Next(c.req, paula).WaitingFor, c.name)
	}
}

// Where evidence is looked up, a part that was taken on its sender's word is sent again before anybody moves.
//
// Verifies: ORC-150
func TestWhatWasTakenOnAWordIsSentAgain(t *testing.T) {
	unseen := complete(ImplementationInProgress, Results{Passed: 1})
	unseen.ImplementationEvidence = nil
	require.Equal(t, []Party{Party(PM)}, V1.WaitingFor(unseen))
	require.Equal(t, []Party{Party(Coder)}, V1.Looking(true).WaitingFor(unseen))
	require.Equal(t, []Role{Coder}, V1.Looking(true).Turn(unseen))
	unseen = complete(TestInProgress, Results{Passed: 1})
	for i := range unseen.Test.Evidence {
		unseen.Test.Evidence[i].Found = nil
	}
	require.Equal(t, []Role{Tester}, V1.Looking(true).Turn(unseen))
	moves := V1.Looking(true).Next(unseen, tess).Moves
	require.Equal(t, []Lack{{"test_evidence_holds", "the test record was taken on the tester's word, and never looked up", Tester}},
		moves[0].Lacks)
	require.True(t, V1.Looking(true).Looks())
	require.False(t, V1.Looking(true).Looking(false).Looks())
	require.True(t, V1.Next(unseen, tess).Moves[0].Ready, "where nothing is looked up, a word is enough")
}

func TestTheMovesWithoutReturn(t *testing.T) {
	req := complete(TestInProgress, Results{Passed: 1})
	for _, to := range []Status{Blocked, Deferred, NeedsChanges, TestedFail} {
		require.Contains(t, V1.NoWayOn(req, to), "PUT /workflow")
		require.Empty(t, Rework.NoWayOn(req, to))
	}
	require.Empty(t, V1.NoWayOn(req, TestedPass))
	req.Retired = true
	require.Contains(t, Rework.NoWayOn(req, Deferred), "import")
}

func TestSince(t *testing.T) {
	req := Requirement{TextSince: noon}
	require.Equal(t, noon, Since(req))
	req.History = []HistoryEntry{{Stamp: Stamp{At: noon.Add(time.Hour)}}, {Stamp: Stamp{At: noon.Add(2 * time.Hour)}}}
	require.Equal(t, noon.Add(2*time.Hour), Since(req))
}
