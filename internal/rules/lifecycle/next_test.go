package lifecycle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurn(t *testing.T) {
	fresh := func(s Status) Requirement {
		return Requirement{Definition: Definition{ID: "R", Fingerprint: "fp"}, Status: s, Revision: 1}
	}
	withDesign := fresh(DesignInProgress)
	withDesign.DesignSpec = []byte(`{}`)
	suspect, gone, over := fresh(Implemented), fresh(Implemented), fresh(Deferred)
	suspect.Suspect, gone.Retired, over.Retired = true, true, true
	sentBack, sentBackAndGone := fresh(Blocked), fresh(Deferred)
	sentBack.HeldFrom, sentBackAndGone.HeldFrom, sentBackAndGone.Retired = NeedsChanges, NeedsChanges, true
	stale, rejected, deviating := complete(Done, Results{Passed: 1}), complete(Done, Results{Passed: 1}), complete(Done, Results{Passed: 1})
	stale.Stale = []Stale{{Part: "test"}}
	rejected.Approvals = append(rejected.Approvals, Approval{Decision: Rejected})
	deviating.Deviations = []Deviation{{ID: "D-1"}}
	approved := complete(TestedPass, Results{Passed: 1})
	unapproved := approved
	unapproved.Approvals = nil
	for _, c := range []struct {
		name string
		req  Requirement
		v1   []Role
		also []Role // under rework
	}{
		{"not started", fresh(NotStarted), []Role{PM}, []Role{PM}},
		{"planned", fresh(Planned), []Role{PM}, []Role{PM}},
		{"design to be made", fresh(DesignInProgress), []Role{Architect}, []Role{Architect}},
		{"design made", withDesign, []Role{PM}, []Role{PM}},
		{"design ready", fresh(DesignReady), []Role{PM}, []Role{PM}},
		{"code to be written", fresh(ImplementationInProgress), []Role{Coder}, []Role{Coder}},
		{"implemented", fresh(Implemented), []Role{PM}, []Role{PM}},
		{"to be tested", fresh(TestInProgress), []Role{Tester}, []Role{Tester}},
		{"to be approved", unapproved, []Role{PM}, []Role{PM}},
		{"to be signed off", approved, []Role{PM}, []Role{PM}},
		{"done", complete(Done, Results{Passed: 1}), []Role{}, []Role{}},
		{"done, and stale", stale, []Role{PM}, []Role{PM}},
		{"done, and rejected since", rejected, []Role{PM}, []Role{PM}},
		{"done, with an open deviation", deviating, []Role{PM}, []Role{PM}},
		{"failed", fresh(TestedFail), []Role{}, []Role{PM}},
		{"needs changes", fresh(NeedsChanges), []Role{}, []Role{PM}},
		{"suspect", suspect, []Role{PM}, []Role{PM}},
		{"removed from the document", gone, []Role{PM}, []Role{PM}},
		{"removed and deferred", over, []Role{}, []Role{}},
		{"needs changes, and blocked", sentBack, []Role{}, []Role{PM}},
		{"needs changes, removed and deferred", sentBackAndGone, []Role{}, []Role{}},
	} {
		require.Equal(t, c.v1, V1.Turn(c.req), c.name)
		require.Equal(t, c.also, Rework.Turn(c.req), c.name+" under rework")
		require.Equal(t, c.v1, rolesOf(V1.Tasks(c.req)), c.name)
		require.Equal(t, c.also, rolesOf(Rework.Tasks(c.req)), c.name+" under rework")
	}
	require.Equal(t, []Task{{Architect, DesignReady, []string{"a design_spec"}}}, V1.Tasks(fresh(DesignInProgress)))
	require.Equal(t, []Task{{PM, DesignReady, nil}}, V1.Tasks(withDesign))
	require.Equal(t, PM, V1.Tasks(suspect)[0].By)
	require.Empty(t, V1.Tasks(suspect)[0].To)
}

// rolesOf are whose the tasks are, as Turn lists them.
func rolesOf(tasks []Task) []Role {
	turn := []Role{}
	for _, s := range tasks {
		if !slices.Contains(turn, s.By) {
			turn = append(turn, s.By)
		}
	}
	return turn
}

// TestNextAgreesWithApply asks Next in every status as every role, and then does what it says: a ready
// move is accepted, one that is not is refused, and a move it does not list is refused.
//
// Verifies: ORC-018
func TestNextAgreesWithApply(t *testing.T) {
	for _, w := range []Workflow{V1, Rework} {
		for _, role := range Roles() {
			for _, from := range Statuses() {
				for _, retired := range []bool{false, true} {
					req := complete(from, Results{Passed: 1})
					req.Retired = retired
					who := Actor{"someone", role}
					next := w.Next(req, who)
					ready := map[Status]bool{}
					for _, m := range next.Moves {
						ready[m.To] = m.Ready
					}
					for _, to := range Statuses() {
						_, err := w.Apply(req, who, justified(to), noon)
						require.Equal(t, ready[to], err == nil, "%s %s %s -> %s retired %v: %v", w.Name, role, from, to, retired, err)
					}
					for _, field := range []string{FieldDesignSpec, FieldImplementation, FieldPMNotes} {
						change := changesOf[field]
						change.Fields = []string{field}
						_, err := w.Apply(req, who, change, noon)
						require.Equal(t, contains(next.Fields, field), err == nil, "%s %s in %s", role, field, from)
					}
				}
			}
		}
	}
}

func contains(fields []string, want string) bool {
	for _, f := range fields {
		if f == want {
			return true
		}
	}
	return false
}

func TestATesterIsOfferedStatusOnlyWhereARowIsTheTesters(t *testing.T) {
	tess := Actor{"tess", Tester}
	require.Contains(t, V1.Next(complete(TestInProgress, Results{}), tess).Fields, FieldStatus)
	require.NotContains(t, V1.Next(complete(Planned, Results{}), tess).Fields, FieldStatus)
	require.Empty(t, V1.Next(complete(Planned, Results{}), Actor{"v", Viewer}).Fields)
	require.Empty(t, V1.Next(complete(Planned, Results{}), Actor{"x", "no such role"}).Fields)
}

func TestWhoWroteAPart(t *testing.T) {
	for part, s := range map[string]Stamps{"design": {DesignSpec: Stamp{By: "ada"}}, "implementation": {Implementation: Stamp{By: "ada"}}, "test": {Test: Stamp{By: "ada"}}} {
		require.True(t, s.By("ada"), part)
		require.False(t, s.By("bob"), part)
		require.False(t, s.By(""), part)
	}
}
