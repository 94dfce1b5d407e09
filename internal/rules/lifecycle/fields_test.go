package lifecycle

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// owners is section 4 of the specification, "Can modify", field for field.
var owners = map[string][]Role{
	FieldStatus:            {PM, Tester}, // the tester by the two rows of the table
	FieldPMNotes:           {PM},
	FieldDeviations:        {PM},
	FieldApprovals:         {PM},
	FieldAcceptFingerprint: {PM},
	FieldDesignSpec:        {Architect},
	FieldImplementation:    {Coder},
	FieldTest:              {Tester},
	FieldJustification:     {PM, Architect, Coder, Tester},
}

// changesOf builds, for every field, the change that sends it alone.
var changesOf = map[string]Change{
	FieldStatus:            justified(Blocked),
	FieldPMNotes:           {PMNotes: []NewNote{{"n"}}},
	FieldDeviations:        {Deviations: []DeviationChange{{ID: "D1", Text: "t"}}},
	FieldApprovals:         {Approvals: []NewApproval{{Approved, ""}}},
	FieldAcceptFingerprint: {AcceptFingerprint: "fp", PMNotes: []NewNote{{"n"}}},
	FieldDesignSpec:        {DesignSpec: json.RawMessage(`{"summary":"s"}`)},
	FieldImplementation:    {Implementation: json.RawMessage(`{"summary":"s"}`)},
	FieldTest:              {Test: Optional{Sent: true, Record: &TestRecord{Plan: "p"}}},
	FieldJustification:     {Justification: &Justification{Reason: "r"}},
}

// Verifies: ORC-011
func TestEveryRoleAndField(t *testing.T) {
	require.Len(t, changesOf, len(owners))
	for field, change := range changesOf {
		for _, role := range Roles() {
			change.Fields = []string{field}
			if field == FieldStatus && role == Tester {
				change.Status = TestedPass
			}
			_, err := V1.Apply(complete(TestInProgress, Results{Passed: 1}), Actor{"someone", role}, change, noon)
			want := "field_forbidden"
			mayAlone := ""
			if field == FieldJustification {
				mayAlone = "invalid_entry" // it is allowed, and changes nothing
			}
			for _, owner := range owners[field] {
				if owner == role {
					want = mayAlone
				}
			}
			require.Equal(t, want, codeOf(t, err), "%s sends %s", role, field)
		}
	}
}

// Verifies: ORC-001
func TestImportedFieldsBelongToNobody(t *testing.T) {
	for _, field := range importedFields {
		for _, role := range Roles() {
			_, err := V1.Apply(complete(Planned, Results{}), Actor{"someone", role}, Change{Fields: []string{field}}, noon)
			require.Equal(t, "field_forbidden", codeOf(t, err), "%s sends %s", role, field)
		}
	}
}

// Verifies: ORC-011
func TestOneForbiddenFieldRefusesAllAndAllAreNamed(t *testing.T) {
	req := complete(ImplementationInProgress, Results{})
	change := changesOf[FieldImplementation]
	change.Fields = []string{"approvals", "implementation", "nonsense", "title"}
	_, err := V1.Apply(req, Actor{"cody", Coder}, change, noon)
	require.ErrorIs(t, err, fault.Forbidden)
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, []string{"/approvals", "/title"}, []string{f.Fields[0].Pointer, f.Fields[1].Pointer})
	require.Len(t, f.Fields, 2, "a name that means nothing is the schema's to refuse")
}

func TestNothingIsAppliedToTheRequirementThatWasGiven(t *testing.T) {
	req := complete(Planned, Results{})
	req.PMNotes = make([]Note, 1, 8)
	req.Approvals = append(make([]Approval, 0, 8), req.Approvals...)
	req.History = append(make([]HistoryEntry, 0, 8), req.History...)
	req.Deviations = []Deviation{{ID: "D1", Text: "t"}}
	before, err := json.Marshal(req)
	require.NoError(t, err)
	change := Change{
		Fields: []string{FieldPMNotes, FieldDeviations, FieldApprovals}, PMNotes: []NewNote{{"a"}}, Approvals: []NewApproval{{Rejected, "no"}},
		Deviations: []DeviationChange{{ID: "D1", Resolution: &NewResolution{"fixed", "x"}}, {ID: "D2", Text: "new"}},
	}
	next, err := V1.Apply(req, Actor{"paula", PM}, change, noon)
	require.NoError(t, err)
	after, err := json.Marshal(req)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	require.Equal(t, "fixed", next.Deviations[0].Resolution.Outcome)
	require.Equal(t, "t", next.Deviations[0].Text)
	require.Equal(t, "D2", next.Deviations[1].ID)
	require.Len(t, next.PMNotes, 2)
	require.Empty(t, req.PMNotes[:2][1].Text, "not even beyond its length")
	require.Empty(t, req.Approvals[:2][1].Decision)
	moved, err := V1.Apply(req, Actor{"paula", PM}, justified(DesignInProgress), noon)
	require.NoError(t, err)
	require.Len(t, moved.History, 2)
	require.Empty(t, req.History[:2][1].To)
}

func TestPartsAreReplacedWholeAndClearedByNull(t *testing.T) {
	req := complete(Planned, Results{})
	for _, c := range []struct {
		who    Actor
		change Change
		read   func(Requirement) (bool, Stamp)
	}{
		{Actor{"a", Architect}, Change{Fields: []string{FieldDesignSpec}, DesignSpec: json.RawMessage("null")},
			func(r Requirement) (bool, Stamp) { return r.DesignSpec != nil, r.Stamps.DesignSpec }},
		{Actor{"c", Coder}, Change{Fields: []string{FieldImplementation}, Implementation: json.RawMessage("null")},
			func(r Requirement) (bool, Stamp) { return r.Implementation != nil, r.Stamps.Implementation }},
		{Actor{"t", Tester}, Change{Fields: []string{FieldTest}, Test: Optional{Sent: true}},
			func(r Requirement) (bool, Stamp) { return r.Test != nil, r.Stamps.Test }},
	} {
		next, err := V1.Apply(req, c.who, c.change, noon)
		require.NoError(t, err)
		there, stamp := c.read(next)
		require.False(t, there)
		require.Equal(t, Stamp{Revision: 10, Rules: LatestRules, By: c.who.Name, Role: c.who.Role, At: noon, Fingerprint: "fp"}, stamp)
	}
}

// Verifies: ORC-016
func TestSealedAndRetired(t *testing.T) {
	done := complete(Done, Results{Passed: 1})
	for _, c := range []struct {
		role  Role
		field string
	}{{Architect, FieldDesignSpec}, {Coder, FieldImplementation}, {Tester, FieldTest}} {
		change := changesOf[c.field]
		change.Fields = []string{c.field}
		_, err := V1.Apply(done, Actor{"x", c.role}, change, noon)
		require.Equal(t, "sealed", codeOf(t, err))
		gone := complete(Implemented, Results{})
		gone.Retired = true
		_, err = V1.Apply(gone, Actor{"x", c.role}, change, noon)
		require.Equal(t, "retired", codeOf(t, err))
	}
	gone := complete(Implemented, Results{})
	gone.Retired = true
	_, err := V1.Apply(gone, Actor{"paula", PM}, justified(TestInProgress), noon)
	require.Equal(t, "retired", codeOf(t, err))
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, []fault.Move{{To: "blocked", By: "pm"}, {To: "deferred", By: "pm"}, {To: "needs_changes", By: "pm"}}, f.Allowed)
	_, err = V1.Apply(gone, Actor{"paula", PM}, justified(Deferred), noon)
	require.NoError(t, err)
	_, err = V1.Apply(done, Actor{"paula", PM}, justified(NeedsChanges), noon)
	require.NoError(t, err)
}

// Verifies: ORC-026
func TestDeviations(t *testing.T) {
	req := complete(Planned, Results{})
	req.Deviations = []Deviation{{ID: "D1", Text: "as recorded"}}
	resolve := &NewResolution{"accepted", "fine"}
	for name, c := range map[string]struct {
		changes []DeviationChange
		pointer string
	}{
		"a new one without text":      {[]DeviationChange{{ID: "D2"}}, "/deviations/0/text"},
		"a known one with other text": {[]DeviationChange{{ID: "D1", Text: "other", Resolution: resolve}}, "/deviations/0/text"},
		"a known one, nothing to do":  {[]DeviationChange{{ID: "D1"}}, "/deviations/0/resolution"},
		"one id twice":                {[]DeviationChange{{ID: "D3", Text: "a"}, {ID: "D3", Text: "a"}}, "/deviations/1/id"},
	} {
		_, err := V1.Apply(req, Actor{"paula", PM}, Change{Fields: []string{FieldDeviations}, Deviations: c.changes}, noon)
		require.Equal(t, "invalid_entry", codeOf(t, err), name)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		require.Equal(t, c.pointer, f.Fields[0].Pointer, name)
	}
	for _, ok := range [][]DeviationChange{
		{{ID: "D1", Resolution: resolve}},
		{{ID: "D1", Text: "as recorded", Resolution: resolve}},
		{{ID: "D2", Text: "new, resolved at once", Resolution: resolve}},
	} {
		_, err := V1.Apply(req, Actor{"paula", PM}, Change{Fields: []string{FieldDeviations}, Deviations: ok}, noon)
		require.NoError(t, err)
	}
}

func TestAcceptFingerprint(t *testing.T) {
	suspect := complete(Planned, Results{})
	suspect.Suspect = true
	accept := func(c Change) error {
		c.Fields = []string{FieldAcceptFingerprint}
		next, err := V1.Apply(suspect, Actor{"paula", PM}, c, noon)
		require.False(t, next.Suspect)
		return err
	}
	require.Equal(t, "fingerprint_mismatch", codeOf(t, accept(Change{AcceptFingerprint: "old", PMNotes: []NewNote{{"n"}}})))
	require.Equal(t, "invalid_entry", codeOf(t, accept(Change{AcceptFingerprint: "fp"})))
	require.Equal(t, "invalid_entry", codeOf(t, accept(Change{AcceptFingerprint: "fp", Approvals: []NewApproval{{Rejected, "no"}}})))
	require.NoError(t, accept(Change{AcceptFingerprint: "fp", PMNotes: []NewNote{{"n"}}}))
	require.NoError(t, accept(Change{AcceptFingerprint: "fp", Approvals: []NewApproval{{Approved, ""}}}))
	note := changesOf[FieldPMNotes]
	note.Fields = []string{FieldPMNotes}
	next, err := V1.Apply(suspect, Actor{"paula", PM}, note, noon)
	require.NoError(t, err)
	require.True(t, next.Suspect, "a note that does not name the text accepts nothing")
}
