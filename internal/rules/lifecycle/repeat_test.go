package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// TestARepeatedMove makes moves, and sends them again with a difference each.
func TestARepeatedMove(t *testing.T) {
	paula, tess := Actor{"paula", PM}, Actor{"tess", Tester}
	why := &Justification{Reason: "because", Evidence: []Evidence{{Kind: EvidenceCommit, Commit: "abcdef1"}}}
	full := func() Change {
		return Change{
			Fields: []string{"status"}, Status: NeedsChanges, Justification: why, PMNotes: []NewNote{{"n"}},
			Approvals:  []NewApproval{{Rejected, "no"}},
			Deviations: []DeviationChange{{ID: "D1", Text: "t"}, {ID: "D2", Resolution: &NewResolution{"fixed", "r"}}},
		}
	}
	before := complete(Implemented, Results{Passed: 1})
	before.Deviations = []Deviation{{ID: "D2", Text: "old"}}
	after, err := Rework.Apply(before, paula, full(), noon)
	require.NoError(t, err)
	require.Equal(t, before.Revision, after.MadeFrom())
	require.True(t, after.Repeats(paula, full()))
	require.False(t, before.Repeats(paula, full()))
	require.False(t, Requirement{Status: NeedsChanges}.Repeats(paula, full()), "it never moved")
	require.Zero(t, Requirement{}.MadeFrom())

	for name, c := range map[string]struct {
		same   bool
		change func(*Change)
	}{
		"less":                    {true, func(c *Change) { c.PMNotes, c.Approvals, c.Deviations = nil, nil, nil }},
		"the present text":        {true, func(c *Change) { c.AcceptFingerprint = after.Fingerprint }},
		"another text":            {false, func(c *Change) { c.AcceptFingerprint = "other" }},
		"no move":                 {false, func(c *Change) { c.Status = "" }},
		"another move":            {false, func(c *Change) { c.Status = Blocked }},
		"what is no change":       {false, func(c *Change) { c.Violations = []fault.Field{{}} }},
		"no reason":               {false, func(c *Change) { c.Justification = nil }},
		"another reason":          {false, func(c *Change) { c.Justification = &Justification{"for fun", why.Evidence} }},
		"other evidence":          {false, func(c *Change) { c.Justification = &Justification{"because", nil} }},
		"a design":                {false, func(c *Change) { c.DesignSpec = []byte("{}") }},
		"an implementation":       {false, func(c *Change) { c.Implementation = []byte("{}") }},
		"another note":            {false, func(c *Change) { c.PMNotes = []NewNote{{"m"}} }},
		"a note more":             {false, func(c *Change) { c.PMNotes = append(c.PMNotes, NewNote{"n"}) }},
		"another approval":        {false, func(c *Change) { c.Approvals = []NewApproval{{Approved, "no"}} }},
		"another deviation":       {false, func(c *Change) { c.Deviations[0].ID = "D3" }},
		"another text of it":      {false, func(c *Change) { c.Deviations[0].Text = "u" }},
		"an older deviation":      {false, func(c *Change) { c.Deviations = []DeviationChange{{ID: "D2", Text: "old"}} }},
		"another resolution":      {false, func(c *Change) { c.Deviations[1].Resolution = &NewResolution{"fixed", "s"} }},
		"a resolution of another": {false, func(c *Change) { c.Deviations[0].Resolution = &NewResolution{"fixed", "r"} }},
		"a test":                  {false, func(c *Change) { c.Test.Sent = true }},
	} {
		again := full()
		c.change(&again)
		require.Equal(t, c.same, after.Repeats(paula, again), name)
	}
	require.False(t, after.Repeats(Actor{"pia", PM}, full()))
	require.False(t, after.Repeats(Actor{"paula", Tester}, full()))

	record := &TestRecord{Plan: "p", Results: &Results{Passed: 2}, Evidence: []Evidence{{Kind: EvidenceTest, Name: "T", Result: ResultPass}}}
	tested := Change{Fields: []string{"status", "test"}, Status: TestedPass, Justification: why, Test: Optional{true, record}}
	begun := complete(TestInProgress, Results{})
	done, err := V1.Apply(begun, tess, tested, noon.Add(time.Hour))
	require.NoError(t, err)
	require.True(t, done.Repeats(tess, tested))
	for name, other := range map[string]*TestRecord{
		"nothing":         nil,
		"another plan":    {Plan: "q", Results: record.Results, Evidence: record.Evidence},
		"other results":   {Plan: "p", Results: &Results{Passed: 3}, Evidence: record.Evidence},
		"other notes":     {Plan: "p", Results: record.Results, Evidence: record.Evidence, Notes: "n"},
		"other evidence":  {Plan: "p", Results: record.Results},
		"failed as well":  {Plan: "p", Results: &Results{Passed: 2, Failed: 1}, Evidence: record.Evidence},
		"skipped as well": {Plan: "p", Results: &Results{Passed: 2, Skipped: 1}, Evidence: record.Evidence},
	} {
		again := tested
		again.Test.Record = other
		require.False(t, done.Repeats(tess, again), name)
	}
	counted := tested
	counted.Test.Record = &TestRecord{Plan: "p", Evidence: record.Evidence}
	require.True(t, done.Repeats(tess, counted), "the service counted them")
	cleared := done
	cleared.Test = nil
	require.False(t, cleared.Repeats(tess, tested))
	counted.Test.Record = nil
	require.True(t, cleared.Repeats(tess, counted))
}
