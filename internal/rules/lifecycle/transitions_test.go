package lifecycle

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// allowedMoves is section 6 of the specification, written out by hand: "any" is each of the thirteen.
var allowedMoves = map[Role]map[Status][]Status{
	PM: {
		NotStarted:               {Planned, Blocked, Deferred, NeedsChanges},
		Blocked:                  {Deferred, NeedsChanges},
		Planned:                  {DesignInProgress, Blocked, Deferred, NeedsChanges},
		DesignInProgress:         {DesignReady, Blocked, Deferred, NeedsChanges},
		DesignReady:              {ImplementationInProgress, Blocked, Deferred, NeedsChanges},
		ImplementationInProgress: {Implemented, Blocked, Deferred, NeedsChanges},
		Implemented:              {TestInProgress, Blocked, Deferred, NeedsChanges},
		TestInProgress:           {Blocked, Deferred, NeedsChanges},
		TestedPass:               {Done, Blocked, Deferred, NeedsChanges},
		TestedFail:               {Blocked, Deferred, NeedsChanges},
		NeedsChanges:             {Blocked, Deferred},
		Done:                     {Blocked, Deferred, NeedsChanges},
		Deferred:                 {Blocked, NeedsChanges},
	},
	Tester: {
		TestInProgress: {TestedPass, TestedFail},
	},
}

// reworkMoves are what workflow rework allows beyond that; every blocked or deferred requirement of
// these tests was held from planned.
var reworkMoves = map[Role]map[Status][]Status{
	PM: {
		Blocked:      {Planned},
		Deferred:     {Planned},
		NeedsChanges: {Planned, DesignInProgress, ImplementationInProgress},
		TestedFail:   {ImplementationInProgress, TestInProgress},
	},
}

func among(moves map[Role]map[Status][]Status, role Role, from, to Status) bool {
	for _, s := range moves[role][from] {
		if s == to {
			return true
		}
	}
	return false
}

// complete is a requirement in a status, with everything that any gate asks for.
func complete(status Status, results Results) Requirement {
	stamp := func(revision uint64, by string, role Role) Stamp {
		return Stamp{Revision: revision, By: by, Role: role, At: noon, Fingerprint: "fp"}
	}
	return Requirement{
		Definition: Definition{ID: "REQ-1", Fingerprint: "fp"}, Status: status, Revision: 9, HeldFrom: heldIn(status),
		DesignSpec: []byte(`{}`), Implementation: []byte(`{}`),
		Test: &TestRecord{Results: &results, Evidence: []Evidence{{Kind: EvidenceTest, Result: ResultPass}}},
		Stamps: Stamps{
			DesignSpec: stamp(3, "arch", Architect), Implementation: stamp(5, "cody", Coder), Test: stamp(8, "tess", Tester),
		},
		Approvals: []Approval{{stamp(9, "paula", PM), Approved, ""}},
		History:   []HistoryEntry{{Stamp: stamp(7, "paula", PM), From: Implemented, To: TestInProgress}},
	}
}

func heldIn(status Status) Status {
	if status == Blocked || status == Deferred {
		return Planned
	}
	return ""
}

func justified(to Status) Change {
	return Change{
		Fields: []string{FieldJustification, FieldStatus}, Status: to,
		Justification: &Justification{Reason: "because", Evidence: []Evidence{{Kind: EvidenceCommit, Commit: "abcdef1"}}},
	}
}

func codeOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var f *fault.Error
	require.True(t, errors.As(err, &f), "%v", err)
	require.NotEmpty(t, f.Fix, string(f.Code))
	return string(f.Code)
}

// wantCode is what the specification and the decisions on it say of one cell.
func wantCode(role Role, from, to Status, moves ...map[Role]map[Status][]Status) string {
	for _, m := range moves {
		if among(m, role, from, to) {
			return ""
		}
	}
	switch {
	case role == Architect || role == Coder:
		return "field_forbidden"
	case from == Done && role == Tester:
		return "sealed"
	case from == to:
		return "same_status"
	}
	for _, m := range moves {
		for other := range m {
			if among(m, other, from, to) {
				return "transition_forbidden"
			}
		}
	}
	return "illegal_transition"
}

// TestEveryCell walks 4 roles x 13 x 13 statuses = 676 cells, in both workflows.
//
// Verifies: ORC-010
func TestEveryCell(t *testing.T) {
	for _, w := range []struct {
		Workflow
		moves []map[Role]map[Status][]Status
	}{
		{V1, []map[Role]map[Status][]Status{allowedMoves}},
		{Rework, []map[Role]map[Status][]Status{allowedMoves, reworkMoves}},
	} {
		cells, allowed := 0, 0
		for _, role := range []Role{PM, Architect, Coder, Tester} {
			for _, from := range Statuses() {
				for _, to := range Statuses() {
					cells++
					results := Results{Passed: 1}
					if to == TestedFail {
						results = Results{Failed: 1}
					}
					who := Actor{Name: "someone", Role: role}
					next, err := w.Apply(complete(from, results), who, justified(to), noon)
					cell := w.Name + " " + string(role) + ": " + string(from) + " -> " + string(to)
					require.Equal(t, wantCode(role, from, to, w.moves...), codeOf(t, err), cell)
					if err == nil {
						allowed++
						require.Equal(t, to, next.Status, cell)
						require.Equal(t, uint64(10), next.Revision, cell)
						require.Equal(t, HistoryEntry{
							Stamp: Stamp{Revision: 10, Rules: LatestRules, By: "someone", Role: role, At: noon, Fingerprint: "fp"},
							From:  from, To: to, Justification: *justified(to).Justification,
						}, next.History[len(next.History)-1], cell)
					}
				}
			}
		}
		require.Equal(t, 676, cells)
		want := 9 + 3*13 - 3 // the rows with a name, and the three from any, less staying
		if w.Name == Rework.Name {
			want += 7
		}
		require.Equal(t, want, allowed, w.Name)
	}
}

// Verifies: ORC-010
func TestTheTableIsTheSpecificationsRowForRow(t *testing.T) {
	require.Equal(t, []Transition{
		{"not_started", "planned", "pm"},
		{"planned", "design_in_progress", "pm"},
		{"design_in_progress", "design_ready", "pm"},
		{"design_ready", "implementation_in_progress", "pm"},
		{"implementation_in_progress", "implemented", "pm"},
		{"implemented", "test_in_progress", "pm"},
		{"test_in_progress", "tested_pass", "tester"},
		{"test_in_progress", "tested_fail", "tester"},
		{"tested_pass", "done", "pm"},
		{"any", "blocked", "pm"},
		{"any", "deferred", "pm"},
		{"any", "needs_changes", "pm"},
	}, V1.Transitions())
	require.Equal(t, []Transition{
		{"blocked", "held_from", "pm"},
		{"deferred", "held_from", "pm"},
		{"needs_changes", "planned", "pm"},
		{"needs_changes", "design_in_progress", "pm"},
		{"needs_changes", "implementation_in_progress", "pm"},
		{"tested_fail", "implementation_in_progress", "pm"},
		{"tested_fail", "test_in_progress", "pm"},
	}, Rework.Transitions()[12:])
	require.Len(t, Statuses(), 13)
}

func TestDeadEnds(t *testing.T) {
	require.ElementsMatch(t, []Status{Blocked, Deferred, NeedsChanges, TestedFail}, V1.DeadEnds())
	require.Empty(t, Rework.DeadEnds())
	require.Len(t, newWorkflow("nothing", nil).DeadEnds(), 12)
}

func TestWhatASwitchCloses(t *testing.T) {
	require.ElementsMatch(t, []Status{Blocked, Deferred, NeedsChanges, TestedFail}, Rework.ClosedBy(V1))
	for _, w := range []Workflow{V1, Rework} {
		require.Empty(t, V1.ClosedBy(w))
		require.Empty(t, w.ClosedBy(Rework))
	}
}

// What is done can be sent back only where a way leads on from there.
func TestTheFixOfWhatIsSealedIsNoTrap(t *testing.T) {
	for _, w := range []Workflow{V1, Rework} {
		_, err := w.Apply(complete(Done, Results{Passed: 1}), Actor{"cody", Coder}, Change{Fields: []string{FieldImplementation}}, noon)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		require.Equal(t, "sealed", string(f.Code))
		require.Equal(t, w.Name == "v1", strings.Contains(f.Fix, "PUT /workflow"), f.Fix)
		require.Contains(t, f.Fix, "needs_changes")
	}
}

func TestARefusalFromADeadEndNamesTheSwitch(t *testing.T) {
	_, err := V1.Apply(complete(Blocked, Results{Passed: 1}), Actor{"paula", PM}, justified(Planned), noon)
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, "illegal_transition", string(f.Code))
	require.Contains(t, f.Fix, `PUT /workflow {"workflow":"rework"`)
}

func TestParseNames(t *testing.T) {
	for _, role := range Roles() {
		got, err := ParseRole(string(role))
		require.NoError(t, err)
		require.Equal(t, role, got)
	}
	for _, bad := range []string{"", "PM", "admin", "pm "} {
		_, err := ParseRole(bad)
		require.ErrorIs(t, err, fault.Invalid)
	}
	for _, w := range []Workflow{V1, Rework} {
		got, err := ParseWorkflow(w.Name)
		require.NoError(t, err)
		require.Equal(t, w.Name, got.Name)
	}
	_, err := ParseWorkflow("v2")
	require.ErrorIs(t, err, fault.Invalid)
	require.False(t, Status("Done").Valid())
}

func TestAMoveIsListedOnce(t *testing.T) {
	req := complete(Blocked, Results{})
	req.HeldFrom = NeedsChanges
	require.Equal(t, []Transition{{Blocked, Deferred, PM}, {Blocked, NeedsChanges, PM}}, Rework.movesFrom(req))
}

func TestHeldFromIsKeptOverBlockAndDeferral(t *testing.T) {
	paula := Actor{"paula", PM}
	req := complete(Implemented, Results{Passed: 1})
	step := func(to Status) {
		t.Helper()
		next, err := Rework.Apply(req, paula, justified(to), noon)
		require.NoError(t, err)
		req = next
	}
	step(Blocked)
	require.Equal(t, Implemented, req.HeldFrom)
	step(Deferred)
	require.Equal(t, Implemented, req.HeldFrom, "the status before, not blocked")
	step(Implemented)
	require.Empty(t, req.HeldFrom)
	step(Blocked)
	step(NeedsChanges)
	require.Empty(t, req.HeldFrom)
}

func TestWhatIsPutAside(t *testing.T) {
	var aside []Status
	for _, s := range Statuses() {
		if PutAside(s) {
			aside = append(aside, s)
		}
	}
	require.Equal(t, []Status{Blocked, Deferred}, aside)
}
