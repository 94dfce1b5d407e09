package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestAStampTellsItsRules(t *testing.T) {
	require.Equal(t, Rules1, Stamp{}.DecidedBy())
	require.Equal(t, Rules2, Stamp{Record: 7}.DecidedBy())
	require.Equal(t, Rules3, Stamp{Record: 7, Rules: Rules3}.DecidedBy())
	for rules, want := range map[Rules]Stamp{Rules1: {}, Rules2: {Record: 5}, Rules3: {Record: 5, Rules: Rules3}} {
		next, err := V1.Apply(rested(), Actor{"paula", PM}, Change{Fields: []string{FieldPMNotes}, PMNotes: []NewNote{{"n"}}, Rules: rules, Record: 5}, noon)
		require.NoError(t, err)
		require.Equal(t, want.Record, next.PMNotes[0].Record)
		require.Equal(t, want.Rules, next.PMNotes[0].Rules, "older records stay byte for byte what they were")
	}
}

// TestWhatIsDoneIsJudgedByTheRulesOfItsTime and everything else by the latest.
func TestWhatIsDoneIsJudgedByTheRulesOfItsTime(t *testing.T) {
	known := Stale{FieldImplementation, "/implementation_evidence/0", CommitGone, "gone", noon}
	newer := Stale{FieldImplementation, "/implementation_evidence/0", Elsewhere, "elsewhere", noon}
	r := rested()
	r.Stale = []Stale{known, newer}
	require.Equal(t, LatestRules, r.JudgedBy())
	require.Equal(t, r.Stale, r.Unsettling())
	r.Status = Done
	require.Equal(t, Rules1, r.JudgedBy())
	require.Equal(t, []Stale{known}, r.Unsettling())
	require.True(t, unsettled(r))
	r.Stale = []Stale{newer}
	require.Empty(t, r.Unsettling())
	require.False(t, unsettled(r), "nobody has to act on what only later rules ask")
	r.History[1].Rules = Rules3
	require.Equal(t, []Stale{newer}, r.Unsettling())
	require.True(t, unsettled(r))
}

func TestGatesHaveTheRulesThatBroughtThem(t *testing.T) {
	newer := map[string]bool{}
	for _, g := range GatesBy(Rules3) {
		if g.Since == Rules3 {
			newer[string(g.To)+" "+g.Name] = true
		}
	}
	require.Equal(t, map[string]bool{"implemented implementation_holds": true, "done design_there": true, "done implementation_after_design": true}, newer)
	require.Len(t, GatesBy(Rules2), len(Gates())-len(newer))
	r := complete(TestedPass, Results{Passed: 1})
	r.DesignSpec = nil
	require.Empty(t, r.UnmetBy(Rules2, Done, Actor{"paula", PM}))
	require.Len(t, r.UnmetBy(Rules3, Done, Actor{"paula", PM}), 1)
}

// TestWhatStandsAgainstNewEvidenceIsStaleFromTheStart, at its place in the requirement.
func TestWhatStandsAgainstNewEvidenceIsStaleFromTheStart(t *testing.T) {
	against := &Against{Elsewhere, "on a branch"}
	commit := Evidence{Kind: EvidenceCommit, Commit: "4f2a9c1"}
	implementation := Change{Fields: []string{FieldImplementation}, Implementation: []byte(`{}`),
		Names:  []Citation{{Pointer: "/implementation/files/0", Evidence: commit}, {Pointer: "/implementation/commits/0", Evidence: commit}},
		Looked: &Looked{Findings: []Finding{{Pointer: "/implementation/files/0", Found: &Found{}}, {Pointer: "/implementation/commits/0", Found: &Found{}, Against: against}}}}
	next, err := V1.Apply(rested(), Actor{"cody", Coder}, implementation, noon)
	require.NoError(t, err)
	require.Contains(t, next.Stale, Stale{FieldImplementation, "/implementation_evidence/1", Elsewhere, "on a branch", noon})
	require.NotContains(t, reasons(next), "implementation commit_gone")

	implementation.Looked.Findings[1].Against = nil
	next, err = V1.Apply(next, Actor{"cody", Coder}, implementation, noon)
	require.NoError(t, err)
	require.NotContains(t, reasons(next), "implementation elsewhere", "what is written anew stands anew")

	tests := Change{Fields: []string{FieldTest}, Test: Optional{true, &TestRecord{Evidence: []Evidence{{Kind: EvidenceTest, Name: "T", Result: ResultPass}}}},
		Looked: &Looked{Findings: []Finding{{Pointer: "/test/evidence/0", Found: &Found{Counts: &Results{Passed: 1}}, Against: against}}}}
	next, err = V1.Apply(rested(), Actor{"tess", Tester}, tests, noon)
	require.NoError(t, err)
	require.Contains(t, next.Stale, Stale{FieldTest, "/test/evidence/0", Elsewhere, "on a branch", noon})

	move := justified(Blocked)
	move.Looked = &Looked{Findings: []Finding{{Pointer: "/justification/evidence/0", Found: &Found{}, Against: against}}}
	next, err = V1.Apply(rested(), Actor{"paula", PM}, move, noon)
	require.NoError(t, err)
	require.Contains(t, next.Stale, Stale{PartStatus, "/history/2/justification/evidence/0", Elsewhere, "on a branch", noon})

	note := Change{Fields: []string{FieldPMNotes, FieldJustification}, PMNotes: []NewNote{{"n"}}, Justification: move.Justification, Looked: move.Looked}
	next, err = V1.Apply(rested(), Actor{"paula", PM}, note, noon)
	require.NoError(t, err)
	require.Empty(t, next.Stale, "a justification that is not kept is no evidence of the last move")
}

// TestADesignThatChangesMakesStaleWhatRestsOnIt under the latest rules, until it is written again.
//
// Verifies: ORC-014
func TestADesignThatChangesMakesStaleWhatRestsOnIt(t *testing.T) {
	design := Change{Fields: []string{FieldDesignSpec}, DesignSpec: []byte(`{"summary":"other"}`)}
	next, err := V1.Apply(rested(), Actor{"archie", Architect}, design, noon)
	require.NoError(t, err)
	require.Equal(t, []string{"implementation design_changed", "test design_changed"}, reasons(next))
	before := design
	before.Rules = Rules2
	old, err := V1.Apply(rested(), Actor{"archie", Architect}, before, noon)
	require.NoError(t, err)
	require.Empty(t, old.Stale)

	next, err = V1.Apply(next, Actor{"cody", Coder}, Change{Fields: []string{FieldImplementation}, Implementation: []byte(`{}`)}, noon)
	require.NoError(t, err)
	require.Equal(t, []string{"test implementation_changed", "test design_changed"}, reasons(next))
	next, err = V1.Apply(next, Actor{"tess", Tester}, Change{Fields: []string{FieldTest}, Test: Optional{true, &TestRecord{Plan: "p"}}}, noon)
	require.NoError(t, err)
	require.NotContains(t, reasons(next), "test design_changed")
}

// TestMovesOnEvidenceLookAgain: what was found at some time may have gone since.
func TestMovesOnEvidenceLookAgain(t *testing.T) {
	var moves, older []Status
	for _, to := range Statuses() {
		if Rules3.LookAgain(to) {
			moves = append(moves, to)
		}
		if Rules2.LookAgain(to) {
			older = append(older, to)
		}
	}
	require.Equal(t, []Status{Implemented, TestedPass, Done}, moves)
	require.Equal(t, []Status{Done}, older)
	req := rested()
	req.Status = ImplementationInProgress
	move := justified(Implemented)
	move.Looked = &Looked{Findings: []Finding{{Pointer: "/justification/evidence/0", Found: &Found{}}}}
	_, err := V1.Apply(req, Actor{"paula", PM}, move, noon)
	require.ErrorIs(t, err, ErrMovedOn, "nobody looked again")
	move.Looked.Recheck = &Recheck{Revision: req.Revision, Stale: []Stale{{FieldImplementation, "/implementation_evidence/0", Elsewhere, "on a branch", noon}}}
	_, err = V1.Apply(req, Actor{"paula", PM}, move, noon)
	require.Equal(t, fault.Code("implementation_holds"), fault.As(err).Fields[0].Code)
	move.Looked.Recheck.Stale = nil
	_, err = V1.Apply(req, Actor{"paula", PM}, move, noon)
	require.NoError(t, err)

	req.ImplementationEvidence = nil
	_, err = V1.Apply(req, Actor{"paula", PM}, move, noon)
	require.Equal(t, "gate_unmet", codeOf(t, err), "an implementation that was never looked up is the coder's word")
	move.Rules = Rules2
	_, err = V1.Apply(req, Actor{"paula", PM}, move, noon)
	require.NoError(t, err)
}

// TestTheTimeOfARunCounts where the report has it, whenever it was written or attached.
func TestTheTimeOfARunCounts(t *testing.T) {
	for name, c := range map[string]struct {
		found Found
		want  map[Rules]bool
	}{
		"an old run in a new file":      {Found{Modified: noon.Add(time.Hour), Ran: noon.AddDate(-6, 0, 0)}, map[Rules]bool{Rules2: false, Rules3: true}},
		"an old run, attached just now": {Found{Modified: noon.Add(time.Hour), Record: 90, Ran: noon.AddDate(-6, 0, 0)}, map[Rules]bool{Rules2: false, Rules3: true}},
		"a new run, attached before":    {Found{Modified: noon.Add(time.Hour), Record: 10, Ran: noon.Add(time.Hour)}, map[Rules]bool{Rules2: true, Rules3: true}},
		"a new run":                     {Found{Modified: noon.Add(time.Hour), Record: 90, Ran: noon.Add(time.Hour)}, map[Rules]bool{Rules2: false, Rules3: false}},
		"a run that may be new":         {Found{Modified: noon.Add(time.Hour), Ran: noon.Add(13 * time.Hour)}, map[Rules]bool{Rules2: false, Rules3: false}},
		"an old file of a new run":      {Found{Modified: noon.AddDate(-1, 0, 0), Ran: noon.Add(time.Hour)}, map[Rules]bool{Rules2: true, Rules3: true}},
	} {
		r := rested()
		r.Stamps.Implementation.Record, r.Stamps.Implementation.At, r.Stamps.Test.At = 50, noon, noon.Add(2*time.Hour)
		for rules, want := range c.want {
			require.Equal(t, want, candidate{r, Actor{}, rules}.precedesImplementation(c.found), "%s by rules %d", name, rules)
		}
	}
}
