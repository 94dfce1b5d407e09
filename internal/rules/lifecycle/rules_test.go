package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// unmetBy names the gates that a move lacks under a version of the rules.
func unmetBy(v Rules, r Requirement, mover Actor, to Status) (names []string) {
	for _, l := range (candidate{r, mover, v}).unmet(to) {
		names = append(names, l.Gate)
	}
	return names
}

// Verifies: ORC-015
func TestNamesThatDifferInCaseOrWidthAreOnePerson(t *testing.T) {
	for _, other := range []string{"CODY", "Cody", "ｃｏｄｙ", "ＣＯＤＹ"} {
		r := rested()
		r.Stamps.Test.By = other
		require.Contains(t, unmetBy(Rules2, r, Actor{"paula", PM}, Done), "separation_of_duties", other)
		require.NotContains(t, unmetBy(Rules1, r, Actor{"paula", PM}, Done), "separation_of_duties", other)

		r = rested()
		require.Contains(t, unmetBy(Rules2, r, Actor{other, PM}, Done), "independent_approval", other)
		require.NotContains(t, unmetBy(Rules1, r, Actor{other, PM}, Done), "independent_approval", other)

		r.Approvals[len(r.Approvals)-1].By = other
		require.Contains(t, unmetBy(Rules2, r, Actor{"paula", PM}, Done), "independent_approval", other)
		require.NotContains(t, unmetBy(Rules1, r, Actor{"paula", PM}, Done), "independent_approval", other)
	}
	require.Empty(t, unmetBy(Rules2, rested(), Actor{"paula", PM}, Done))
	require.False(t, Rules2.samePerson("cody", "cödy"))
}

func TestTheSameNameIsTheSamePersonUnderAllRules(t *testing.T) {
	r := rested()
	r.Stamps.Test.By = r.Stamps.Implementation.By
	for v := Rules1; v <= LatestRules; v++ {
		require.Contains(t, unmetBy(v, r, Actor{"paula", PM}, Done), "separation_of_duties")
	}
	require.False(t, Rules(0).Known())
	require.False(t, (LatestRules + 1).Known())
}

// TestAttachedReportsAreOrderedByTheirRecords: whatever the clock said of them.
func TestAttachedReportsAreOrderedByTheirRecords(t *testing.T) {
	r := rested()
	r.Stamps.Implementation.Record = 10
	report := r.Test.Evidence[0].Found
	report.In, report.Modified = InAttached, noon.AddDate(-10, 0, 0)

	report.Record = 11
	require.Empty(t, unmetBy(Rules2, r, Actor{"paula", PM}, Done))
	require.Equal(t, []string{"test_after_implementation"}, unmetBy(Rules1, r, Actor{"paula", PM}, Done))

	report.Record, report.Modified = 9, noon.AddDate(10, 0, 0)
	require.Equal(t, []string{"test_after_implementation"}, unmetBy(Rules2, r, Actor{"paula", PM}, Done))
	require.Empty(t, unmetBy(Rules1, r, Actor{"paula", PM}, Done))

	report.Record, report.Modified = 0, noon.AddDate(-10, 0, 0) // known by its time alone
	require.Equal(t, []string{"test_after_implementation"}, unmetBy(Rules2, r, Actor{"paula", PM}, Done))
}

// TestAClockThatWasSetBackStrandsNoRequirement: an implementation that is dated in the future can be tested.
func TestAClockThatWasSetBackStrandsNoRequirement(t *testing.T) {
	r := rested()
	r.Stamps.Implementation.At = r.Stamps.Test.At.AddDate(1, 0, 0)
	require.Empty(t, unmetBy(Rules2, r, Actor{"paula", PM}, Done))
	require.Equal(t, []string{"test_after_implementation"}, unmetBy(Rules1, r, Actor{"paula", PM}, Done))
	r.Stamps.Test.Revision = r.Stamps.Implementation.Revision - 1
	require.Contains(t, unmetBy(Rules2, r, Actor{"paula", PM}, Done), "test_after_implementation")
}

func TestStampsNameTheirRecords(t *testing.T) {
	attached := Evidence{Kind: EvidenceTest, Name: "T", Result: ResultPass, Report: "sha256:aa"}
	change := tested(TestRecord{Evidence: []Evidence{attached}}, Finding{Pointer: "/test/evidence/0", Found: &Found{
		In: InAttached, SHA256: "aa", Modified: noon.Add(time.Hour), Counts: &Results{1, 1, 0, 0},
	}})
	r := rested()
	r.Status = TestInProgress
	change.Record = 42
	next, err := V1.Apply(r, Actor{"tess", Tester}, change, noon)
	require.NoError(t, err)
	require.EqualValues(t, 42, next.Stamps.Test.Record)
	require.EqualValues(t, 42, next.Test.Evidence[0].Found.Record)
	require.Zero(t, change.Looked.Findings[0].Found.Record, "the change stays as it is recorded")

	change.Looked.Findings[0].Found.Record = 7 // attached before
	next, err = V1.Apply(r, Actor{"tess", Tester}, change, noon)
	require.NoError(t, err)
	require.EqualValues(t, 7, next.Test.Evidence[0].Found.Record)

	change.Looked.Findings[0].Found.Record, change.Rules = 0, Rules1
	next, err = V1.Apply(r, Actor{"tess", Tester}, change, noon)
	require.NoError(t, err)
	require.Zero(t, next.Stamps.Test.Record)
	require.Zero(t, next.Test.Evidence[0].Found.Record)
}

// filling are changes that fill each share, many of them at once where entries are appended.
func filling(s Share, bytes int) Change {
	text := strings.Repeat("x", bytes)
	c := Change{Fields: []string{s.Field}}
	switch s.Field {
	case FieldStatus:
		c = justified(Blocked)
		if s.Role == Tester {
			c = justified(TestedFail)
		}
		c.Justification.Reason = text
	case FieldPMNotes:
		c.PMNotes = []NewNote{{text}}
	case FieldDeviations:
		c.Deviations = []DeviationChange{{ID: "D1", Text: text, Resolution: &NewResolution{"fixed", "y"}}}
	case FieldApprovals:
		c.Approvals = []NewApproval{{Approved, text}}
	case FieldDesignSpec:
		c.DesignSpec = []byte(`"` + text + `"`)
	case FieldImplementation:
		c.Implementation = []byte(`"` + text + `"`)
	case FieldTest:
		c.Test = Optional{true, &TestRecord{Plan: text}}
	}
	return c
}

// TestEachRoleHasAShareOfItsOwn: whoever fills a requirement hinders himself alone.
//
// Verifies: ORC-112
func TestEachRoleHasAShareOfItsOwn(t *testing.T) {
	sum := 0
	for _, s := range Shares() {
		sum += s.Bytes
		r := complete(TestInProgress, Results{Passed: 1, Failed: 1})
		who := Actor{"full", s.Role}
		_, err := V1.Apply(r, who, filling(s, s.Bytes+1), noon)
		require.Equal(t, "requirement_full", codeOf(t, err), "%s %s", s.Role, s.Field)
		require.ErrorContains(t, err, s.Field)

		old := filling(s, s.Bytes+1)
		old.Rules = Rules1
		_, err = V1.Apply(r, who, old, noon)
		require.NoError(t, err, "%s %s", s.Role, s.Field)

		full, err := V1.Apply(r, who, filling(s, s.Bytes/2), noon)
		require.NoError(t, err, "%s %s", s.Role, s.Field)
		full.Status = TestInProgress
		for _, other := range Shares() {
			if other.Role != s.Role {
				_, err = V1.Apply(full, Actor{"other", other.Role}, filling(other, other.Bytes/2), noon)
				require.NoError(t, err, "%s %s after %s %s", other.Role, other.Field, s.Role, s.Field)
			}
		}
	}
	require.Less(t, 6*sum, 64<<20, "all shares full, each byte escaped")
}

// TestAFullHistoryStillMoves: the last quarter of the share is kept for short justifications.
//
// Verifies: ORC-112
func TestAFullHistoryStillMoves(t *testing.T) {
	s := Share{Role: PM, Field: FieldStatus, Bytes: 1 << 20}
	r := complete(TestInProgress, Results{Passed: 1})
	r, err := V1.Apply(r, Actor{"paula", PM}, filling(s, 700<<10), noon)
	require.NoError(t, err)
	to := []Status{Deferred, Blocked}
	again := filling(s, 100<<10)
	again.Status = Deferred
	_, err = V1.Apply(r, Actor{"paula", PM}, again, noon)
	require.Equal(t, "requirement_full", codeOf(t, err))
	for i := range 100 {
		r, err = V1.Apply(r, Actor{"paula", PM}, justified(to[i%2]), noon)
		require.NoError(t, err)
	}
}
