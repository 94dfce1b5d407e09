package repeating

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// TestARepeatedMove makes moves, and sends them again with a difference each.
func TestARepeatedMove(t *testing.T) {
	paula, tess := lifecycle.Actor{Name: "paula", Role: lifecycle.PM}, lifecycle.Actor{Name: "tess", Role: lifecycle.Tester}
	why := &lifecycle.Justification{Reason: "because", Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceCommit, Commit: "abcdef1"}}}
	full := func() lifecycle.Change {
		return lifecycle.Change{
			Fields: []string{"status"}, Status: lifecycle.NeedsChanges, Justification: why, PMNotes: []lifecycle.NewNote{{Text: "n"}},
			Approvals:  []lifecycle.NewApproval{{Decision: lifecycle.Rejected, Text: "no"}},
			Deviations: []lifecycle.DeviationChange{{ID: "D1", Text: "t"}, {ID: "D2", Resolution: &lifecycle.NewResolution{Outcome: "fixed", Text: "r"}}},
		}
	}
	before := lifecycle.Requirement{Status: lifecycle.Implemented, Revision: 9}
	before.Fingerprint, before.Test = "fp", &lifecycle.TestRecord{}
	before.Deviations = []lifecycle.Deviation{{ID: "D2", Text: "old"}}
	after, err := lifecycle.Rework.Apply(before, paula, full(), time.Time{})
	require.NoError(t, err)
	require.Equal(t, before.Revision, MadeFrom(after))
	require.True(t, Is(after, paula, full()))
	require.False(t, Is(before, paula, full()))
	require.False(t, Is(lifecycle.Requirement{Status: lifecycle.NeedsChanges}, paula, full()), "it never moved")
	require.Zero(t, MadeFrom(lifecycle.Requirement{}))

	for name, c := range map[string]struct {
		same   bool
		change func(*lifecycle.Change)
	}{
		"less":              {true, func(c *lifecycle.Change) { c.PMNotes, c.Approvals, c.Deviations = nil, nil, nil }},
		"the present text":  {true, func(c *lifecycle.Change) { c.AcceptFingerprint = after.Fingerprint }},
		"another text":      {false, func(c *lifecycle.Change) { c.AcceptFingerprint = "other" }},
		"no move":           {false, func(c *lifecycle.Change) { c.Status = "" }},
		"another move":      {false, func(c *lifecycle.Change) { c.Status = lifecycle.Blocked }},
		"what is no change": {false, func(c *lifecycle.Change) { c.Violations = []fault.Field{{}} }},
		"no reason":         {false, func(c *lifecycle.Change) { c.Justification = nil }},
		"another reason": {false, func(c *lifecycle.Change) {
			c.Justification = &lifecycle.Justification{Reason: "for fun", Evidence: why.Evidence}
		}},
		"other evidence": {false, func(c *lifecycle.Change) {
			c.Justification = &lifecycle.Justification{Reason: "because", Evidence: nil}
		}},
		"a design":          {false, func(c *lifecycle.Change) { c.DesignSpec = []byte("{}") }},
		"an implementation": {false, func(c *lifecycle.Change) { c.Implementation = []byte("{}") }},
		"another note":      {false, func(c *lifecycle.Change) { c.PMNotes = []lifecycle.NewNote{{Text: "m"}} }},
		"a note more":       {false, func(c *lifecycle.Change) { c.PMNotes = append(c.PMNotes, lifecycle.NewNote{Text: "n"}) }},
		"another approval": {false, func(c *lifecycle.Change) {
			c.Approvals = []lifecycle.NewApproval{{Decision: lifecycle.Approved, Text: "no"}}
		}},
		"another deviation":  {false, func(c *lifecycle.Change) { c.Deviations[0].ID = "D3" }},
		"another text of it": {false, func(c *lifecycle.Change) { c.Deviations[0].Text = "u" }},
		"an older deviation": {false, func(c *lifecycle.Change) { c.Deviations = []lifecycle.DeviationChange{{ID: "D2", Text: "old"}} }},
		"another resolution": {false, func(c *lifecycle.Change) {
			c.Deviations[1].Resolution = &lifecycle.NewResolution{Outcome: "fixed", Text: "s"}
		}},
		"a resolution of another": {false, func(c *lifecycle.Change) {
			c.Deviations[0].Resolution = &lifecycle.NewResolution{Outcome: "fixed", Text: "r"}
		}},
		"a test": {false, func(c *lifecycle.Change) { c.Test.Sent = true }},
	} {
		again := full()
		c.change(&again)
		require.Equal(t, c.same, Is(after, paula, again), name)
	}
	require.False(t, Is(after, lifecycle.Actor{Name: "pia", Role: lifecycle.PM}, full()))
	require.False(t, Is(after, lifecycle.Actor{Name: "paula", Role: lifecycle.Tester}, full()))

	record := &lifecycle.TestRecord{Plan: "p", Results: &lifecycle.Results{Passed: 2}, Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceTest, Name: "T", Result: lifecycle.ResultPass}}}
	tested := lifecycle.Change{Fields: []string{"status", "test"}, Status: lifecycle.TestedPass, Justification: why, Test: lifecycle.Optional{Sent: true, Record: record}}
	done := lifecycle.Requirement{Status: lifecycle.TestedPass, Test: record, History: []lifecycle.HistoryEntry{{
		Stamp: lifecycle.Stamp{Revision: 9, By: "tess", Role: lifecycle.Tester}, From: lifecycle.TestInProgress, To: lifecycle.TestedPass, Justification: *why}}}
	require.True(t, Is(done, tess, tested))
	for name, other := range map[string]*lifecycle.TestRecord{
		"nothing":         nil,
		"another plan":    {Plan: "q", Results: record.Results, Evidence: record.Evidence},
		"other results":   {Plan: "p", Results: &lifecycle.Results{Passed: 3}, Evidence: record.Evidence},
		"other notes":     {Plan: "p", Results: record.Results, Evidence: record.Evidence, Notes: "n"},
		"other evidence":  {Plan: "p", Results: record.Results},
		"failed as well":  {Plan: "p", Results: &lifecycle.Results{Passed: 2, Failed: 1}, Evidence: record.Evidence},
		"skipped as well": {Plan: "p", Results: &lifecycle.Results{Passed: 2, Skipped: 1}, Evidence: record.Evidence},
	} {
		again := tested
		again.Test.Record = other
		require.False(t, Is(done, tess, again), name)
	}
	counted := tested
	counted.Test.Record = &lifecycle.TestRecord{Plan: "p", Evidence: record.Evidence}
	require.True(t, Is(done, tess, counted), "the service counted them")
	cleared := done
	cleared.Test = nil
	require.False(t, Is(cleared, tess, tested))
	counted.Test.Record = nil
	require.True(t, Is(cleared, tess, counted))
}
