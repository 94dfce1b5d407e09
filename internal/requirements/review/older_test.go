package review_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

// olderDone returns a requirement that rules 2 let become done although its design was replaced, with evidence that
// only rules 3 hold against it.
func olderDone(t *testing.T) lifecycle.Requirement {
	req := reviewtest.At(t, 1, lifecycle.TestedPass)
	by := func(c lifecycle.Change) lifecycle.Change { c.Rules, c.Record = lifecycle.Rules2, 99; return c }
	req = reviewtest.Apply(t, req, lifecycle.Architect, by(lifecycle.Change{Fields: []string{lifecycle.FieldDesignSpec}, DesignSpec: []byte(`null`)}))
	req = reviewtest.Apply(t, req, lifecycle.PM, by(lifecycle.Change{Status: lifecycle.Done, Approvals: []lifecycle.NewApproval{{Decision: lifecycle.Approved}}}))
	test := *req.Test // the steps share it
	test.Evidence = slices.Clone(test.Evidence)
	test.Evidence[0].Found = &lifecycle.Found{In: lifecycle.InAttached, Modified: reviewtest.Noon.AddDate(1, 0, 0)}
	req.Test = &test
	req, news := req.Rechecked(lifecycle.Recheck{Revision: req.Revision, Stale: []lifecycle.Stale{{Part: lifecycle.FieldTest,
		Pointer: "/test/evidence/0", Reason: lifecycle.CodeUnknown, Detail: "nobody knows"}}}, lifecycle.LatestRules)
	require.True(t, news)
	return req
}

// TestWhatOlderRulesLetBecomeDonePasses by those rules, and is shown with what the latest ask for.
//
// Verifies: ORC-043
func TestWhatOlderRulesLetBecomeDonePasses(t *testing.T) {
	req := olderDone(t)
	full := review.Full(reviewtest.InputOf(req, reviewtest.At(t, 2, lifecycle.Done)))
	row := full.Requirements[0]
	require.Equal(t, lifecycle.Rules2, row.Rules)
	require.Empty(t, row.Stale)
	require.Empty(t, row.Missing)
	require.True(t, row.OK)
	var gates []string
	for _, m := range row.ByLatest.Missing {
		gates = append(gates, m.Gate)
	}
	require.Equal(t, []string{"design_there", "implementation_after_design"}, gates)
	require.Equal(t, lifecycle.LatestRules, full.Requirements[1].Rules)
	require.Nil(t, full.Requirements[1].ByLatest)

	got := review.Gate(full, review.GateOptions{Require: review.RequireDone})
	require.True(t, got.Pass)
	require.Equal(t, 1, got.Older)
	got = review.Gate(full, review.GateOptions{Require: review.RequireDone, Rules: review.RulesLatest})
	require.False(t, got.Pass)
	require.Equal(t, 1, got.Failed)
	require.Contains(t, got.Cases[0].Message(), "the architect must design it")
	require.Contains(t, got.Cases[0].Message(), "nothing says which code the test record is of")
	got = review.Gate(full, review.GateOptions{Require: review.RequireDone, Rules: review.RulesLatest, AllowStale: true})
	require.NotContains(t, got.Cases[0].Message(), "nothing says")

	for _, g := range review.One(lifecycle.V1, req, review.Seen{}).Gates {
		require.Less(t, g.Since, lifecycle.Rules3, "the dossier shows the gates that decided")
		require.True(t, g.Met)
	}
	reopened := reviewtest.Apply(t, req, lifecycle.PM, lifecycle.Change{Status: lifecycle.NeedsChanges})
	require.Zero(t, review.Full(reviewtest.InputOf(reopened)).Requirements[0].Rules, "the next change is judged by the latest rules")
	require.NotEmpty(t, reopened.Unsettling())
}

// TestTheGateWantsCoverageWhereAsked of what is tested or done alone.
//
// Verifies: ORC-119
func TestTheGateWantsCoverageWhereAsked(t *testing.T) {
	full := review.Full(reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done), reviewtest.At(t, 2, lifecycle.Done),
		reviewtest.At(t, 3, lifecycle.Planned)))
	require.False(t, *full.Requirements[0].Covered)
	require.True(t, *full.Requirements[1].Covered)
	require.Nil(t, full.Requirements[2].Covered)
	codes := func(o review.GateOptions) (all []string) {
		for _, c := range review.Gate(full, o).Cases {
			for _, f := range c.Failures {
				all = append(all, c.ID+" "+string(f.Code))
			}
		}
		return all
	}
	require.Equal(t, []string{"REQ-3 not_done"}, codes(review.GateOptions{Require: review.RequireDone}))
	require.Equal(t, []string{"REQ-1 not_covered", "REQ-3 not_done"}, codes(review.GateOptions{Require: review.RequireDone, Covers: true}))
}

func TestAGateJudgesByKnownRules(t *testing.T) {
	for _, rules := range []string{"", review.RulesRecorded, review.RulesLatest} {
		require.NoError(t, review.GateOptions{Require: review.RequireDone, Rules: rules}.Check())
	}
	require.Error(t, review.GateOptions{Require: review.RequireDone, Rules: "1"}.Check())
}

// TestUncommittedChangesAreShown and hold nothing up.
func TestUncommittedChangesAreShown(t *testing.T) {
	req := reviewtest.At(t, 2, lifecycle.Done)
	req.ImplementationEvidence = []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: "a.go"}, {Kind: lifecycle.EvidenceFile, Path: "a.go", Lines: "3"},
		{Kind: lifecycle.EvidenceFile, Path: "b.go"}}
	in := reviewtest.InputOf(req)
	in.Dirty = map[string]bool{"a.go": true}
	full := review.Full(in)
	require.Equal(t, []string{"a.go"}, full.Requirements[0].Dirty)
	require.True(t, review.Gate(full, review.GateOptions{Require: review.RequireDone}).Pass)
	req.Moved = []lifecycle.Relocated{{Pointer: "/implementation_evidence/2", To: "c.go:3-4"}}
	require.Equal(t, []string{"a.go", "c.go"}, review.FilesOf(req), "where they are now")
	require.Equal(t, []string{"a.go"}, review.One(lifecycle.V1, req, review.Seen{Dirty: in.Dirty}).Standing.Dirty)
}
