package lifecycle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// lacksOf sends the move by who and returns the gates that refuse it.
func lacksOf(t *testing.T, req Requirement, who Actor, to Status) []string {
	t.Helper()
	_, err := V1.Apply(req, who, justified(to), noon)
	if err == nil {
		return nil
	}
	require.Equal(t, "gate_unmet", codeOf(t, err))
	require.ErrorIs(t, err, fault.Conflict)
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.NotNil(t, f.Current)
	require.NotEmpty(t, f.Allowed)
	var names []string
	for _, field := range f.Fields {
		require.Equal(t, "/status", field.Pointer)
		names = append(names, string(field.Code))
	}
	return names
}

// Verifies: ORC-014
func TestGates(t *testing.T) {
	paula, tess := Actor{"paula", PM}, Actor{"tess", Tester}
	pass, fail := Results{Passed: 3}, Results{Passed: 2, Failed: 1}
	for _, c := range []struct {
		name   string
		from   Status
		to     Status
		who    Actor
		spoil  func(*Requirement)
		result Results
		want   []string
	}{
		{"design ready", DesignInProgress, DesignReady, paula, func(*Requirement) {}, pass, nil},
		{"design ready without design", DesignInProgress, DesignReady, paula, func(r *Requirement) { r.DesignSpec = nil }, pass, []string{"design_spec"}},
		{"implemented without implementation", ImplementationInProgress, Implemented, paula, func(r *Requirement) { r.Implementation = nil }, pass, []string{"implementation"}},
		{"passed", TestInProgress, TestedPass, tess, func(*Requirement) {}, pass, nil},
		{"passed with a failure", TestInProgress, TestedPass, tess, func(*Requirement) {}, fail, []string{"tests_passed"}},
		{"passed with no test run", TestInProgress, TestedPass, tess, func(*Requirement) {}, Results{Skipped: 9}, []string{"tests_passed"}},
		{"passed without record", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Test = nil }, pass, []string{"test_of_this_phase", "tests_passed", "test_evidence"}},
		{"passed without results", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Test.Results = nil }, pass, []string{"tests_passed"}},
		{"passed with a record of the phase before", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Stamps.Test.Revision = 6 }, pass, []string{"test_of_this_phase"}},
		{"passed with a record of the revision that began the phase", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Stamps.Test.Revision = 7 }, pass, []string{"test_of_this_phase"}},
		{"passed, though no phase began", TestInProgress, TestedPass, tess, func(r *Requirement) { r.History = nil }, pass, []string{"test_of_this_phase"}},
		{"passed without test evidence", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Test.Evidence[0].Kind = EvidenceFile }, pass, []string{"test_evidence"}},
		{"passed with evidence of a failure", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Test.Evidence[0].Result = ResultFail }, pass, []string{"test_evidence"}},
		{"passed with evidence of both", TestInProgress, TestedPass, tess, func(r *Requirement) {
			r.Test.Evidence = append(r.Test.Evidence, Evidence{Kind: EvidenceTest, Result: ResultFail})
		}, pass, []string{"test_evidence"}},
		{"done with evidence of a failure", TestedPass, Done, paula, func(r *Requirement) { r.Test.Evidence[0].Result = ResultFail }, pass, []string{"test_evidence"}},
		{"passed by the implementer", TestInProgress, TestedPass, tess, func(r *Requirement) { r.Stamps.Implementation.By = "tess" }, pass, []string{"separation_of_duties"}},
		{"failed", TestInProgress, TestedFail, tess, func(*Requirement) {}, fail, nil},
		{"failed without a failure", TestInProgress, TestedFail, tess, func(*Requirement) {}, pass, []string{"tests_failed"}},
		{"failed without record", TestInProgress, TestedFail, tess, func(r *Requirement) { r.Test = nil }, fail, []string{"test_of_this_phase", "tests_failed"}},
		{"done", TestedPass, Done, paula, func(*Requirement) {}, pass, nil},
		{"done without tests", TestedPass, Done, paula, func(r *Requirement) { r.Test, r.Stamps.Test = nil, Stamp{} }, pass, []string{"tests_passed", "test_evidence", "test_after_implementation"}},
		{"done without implementation", TestedPass, Done, paula, func(r *Requirement) { r.Implementation = nil }, pass, []string{"implementation"}},
		{"done, implementation changed since", TestedPass, Done, paula, func(r *Requirement) { r.Stamps.Implementation.Revision = 9 }, pass, []string{"test_after_implementation"}},
		{"done without a design", TestedPass, Done, paula, func(r *Requirement) { r.DesignSpec = nil }, pass, []string{"design_there"}},
		{"done, design changed since", TestedPass, Done, paula, func(r *Requirement) { r.Stamps.DesignSpec.Revision = 9 }, pass, []string{"implementation_after_design"}},
		{"done, design taken back since", TestedPass, Done, paula, func(r *Requirement) { r.DesignSpec, r.Stamps.DesignSpec.Revision = nil, 9 }, pass, []string{"design_there", "implementation_after_design"}},
		{"implemented with what the branch lacks", ImplementationInProgress, Implemented, paula, func(r *Requirement) {
			r.ImplementationEvidence = []Evidence{{Kind: EvidenceCommit, Commit: "abcdef1", Found: &Found{In: InCommit}}}
			r.Stale = []Stale{{FieldImplementation, "/implementation_evidence/0", Elsewhere, "elsewhere", noon}}
		}, pass, []string{"implementation_holds"}},
		{"done, text changed since the tests", TestedPass, Done, paula, func(r *Requirement) { r.Stamps.Test.Fingerprint = "old" }, pass, []string{"test_on_current_text"}},
		{"done without approval", TestedPass, Done, paula, func(r *Requirement) { r.Approvals = nil }, pass, []string{"approval"}},
		{"done, approval on the text before", TestedPass, Done, paula, func(r *Requirement) { r.Approvals[0].Fingerprint = "old" }, pass, []string{"approval"}},
		{"done, approval before the tests", TestedPass, Done, paula, func(r *Requirement) { r.Approvals[0].Revision = 7 }, pass, []string{"approval"}},
		{"done, approval of the tests' revision", TestedPass, Done, paula, func(r *Requirement) { r.Approvals[0].Revision = 8 }, pass, nil},
		{"done, approval taken back", TestedPass, Done, paula, func(r *Requirement) { r.Approvals = append(r.Approvals, Approval{Decision: Rejected}) }, pass, []string{"approval"}},
		{"done, both approvals taken back", TestedPass, Done, paula, func(r *Requirement) {
			r.Approvals = append(r.Approvals, r.Approvals[0], Approval{Decision: Rejected})
		}, pass, []string{"approval"}},
		{"done, approved by the implementer", TestedPass, Done, paula, func(r *Requirement) { r.Approvals[0].By = "cody" }, pass, []string{"independent_approval"}},
		{"done, approved by the tester", TestedPass, Done, paula, func(r *Requirement) { r.Approvals[0].By = "tess" }, pass, []string{"independent_approval"}},
		{"done, moved by the implementer", TestedPass, Done, Actor{"cody", PM}, func(*Requirement) {}, pass, []string{"independent_approval"}},
		{"done, moved by the tester", TestedPass, Done, Actor{"tess", PM}, func(*Requirement) {}, pass, []string{"independent_approval"}},
		{"done, a second approval is independent", TestedPass, Done, paula, func(r *Requirement) {
			own := r.Approvals[0]
			own.By = "cody"
			r.Approvals = append(r.Approvals, own)
		}, pass, nil},
		{"done, tests by the implementer", TestedPass, Done, paula, func(r *Requirement) { r.Stamps.Test.By = "cody" }, pass, []string{"separation_of_duties"}},
		{"done with an open deviation", TestedPass, Done, paula, func(r *Requirement) { r.Deviations = []Deviation{{ID: "D1"}} }, pass, []string{"deviations_resolved"}},
		{"done with a resolved deviation", TestedPass, Done, paula, func(r *Requirement) { r.Deviations = []Deviation{{ID: "D1", Resolution: &Resolution{}}} }, pass, nil},
		{"done while suspect", TestedPass, Done, paula, func(r *Requirement) { r.Suspect = true }, pass, []string{"not_suspect"}},
		{"everything wrong at once", TestedPass, Done, paula, func(r *Requirement) {
			r.Approvals, r.Suspect, r.Deviations, r.Implementation = nil, true, []Deviation{{ID: "D1"}}, nil
		}, fail, []string{"implementation", "tests_passed", "approval", "deviations_resolved", "not_suspect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := complete(c.from, c.result)
			c.spoil(&req)
			require.Equal(t, c.want, lacksOf(t, req, c.who, c.to))
			var lacks []string
			for _, m := range V1.Next(req, c.who).Moves {
				if m.To == c.to {
					require.Equal(t, len(c.want) == 0, m.Ready)
					for _, l := range m.Lacks {
						lacks = append(lacks, l.Gate)
					}
				}
			}
			require.Equal(t, c.want, lacks, "Next says the same as Apply")
		})
	}
}

func TestAnApprovalInTheSameRequestCounts(t *testing.T) {
	req := complete(TestedPass, Results{Passed: 1})
	req.Approvals = nil
	change := justified(Done)
	change.Fields = append(change.Fields, FieldApprovals)
	change.Approvals = []NewApproval{{Decision: Approved}}
	next, err := V1.Apply(req, Actor{"paula", PM}, change, noon)
	require.NoError(t, err)
	require.Equal(t, Done, next.Status)
}

func TestATestRecordInTheSameRequestCounts(t *testing.T) {
	req := complete(TestInProgress, Results{})
	req.Test, req.Stamps.Test = nil, Stamp{}
	change := justified(TestedPass)
	change.Fields = append(change.Fields, FieldTest)
	change.Test = Optional{Sent: true, Record: &TestRecord{Results: &Results{Passed: 1}, Evidence: []Evidence{{Kind: EvidenceTest, Result: ResultPass}}}}
	next, err := V1.Apply(req, Actor{"tess", Tester}, change, noon)
	require.NoError(t, err)
	require.Equal(t, TestedPass, next.Status)
}

func TestEveryGateIsListedAndCanRefuse(t *testing.T) {
	require.Len(t, Gates(), 24)
	for _, name := range StaleGates() {
		require.True(t, slices.ContainsFunc(Gates(), func(g Gate) bool { return g.Name == name }), name)
	}
	for _, g := range Gates() {
		require.True(t, g.To.Valid())
		require.NotEmpty(t, g.Name)
		require.NotEmpty(t, g.Needs)
		require.Contains(t, Roles(), g.Supplier)
	}
}

// Verifies: ORC-013, ORC-020
func TestOrderOfRefusals(t *testing.T) {
	wrong := Change{
		Fields: []string{FieldStatus, FieldImplementation, "nonsense"}, Status: Done,
		Violations: []fault.Field{{Pointer: "/nonsense"}}, AcceptFingerprint: "old",
	}
	req := complete(Planned, Results{})
	code := func(who Actor) string { _, err := V1.Apply(req, who, wrong, noon); return codeOf(t, err) }
	require.Equal(t, "field_forbidden", code(Actor{"paula", PM}))
	wrong.Fields = []string{FieldStatus, "nonsense"}
	require.Equal(t, "illegal_transition", code(Actor{"paula", PM}))
	wrong.Status = DesignReady
	req.Status, req.DesignSpec = DesignInProgress, nil
	require.Equal(t, "schema_violation", code(Actor{"paula", PM}))
	wrong.Violations = []fault.Field{{Pointer: "/justification/evidence"}}
	_, err := V1.Apply(req, Actor{"paula", PM}, wrong, noon)
	require.ErrorContains(t, err, "TestLogin", "with an example")
	wrong.Violations = nil
	require.Equal(t, "fingerprint_mismatch", code(Actor{"paula", PM}))
	wrong.AcceptFingerprint = ""
	require.Equal(t, "gate_unmet", code(Actor{"paula", PM}))
	req.DesignSpec = []byte(`{}`)
	require.Equal(t, "justification_required", code(Actor{"paula", PM}))
	for _, j := range []*Justification{nil, {Reason: " ", Evidence: []Evidence{{}}}, {Reason: "r"}} {
		wrong.Justification = j
		require.Equal(t, "justification_required", code(Actor{"paula", PM}))
	}
	wrong.Justification = &Justification{Reason: "r", Evidence: []Evidence{{}}}
	require.Empty(t, code(Actor{"paula", PM}))
}
