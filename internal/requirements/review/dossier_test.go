package review_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

func TestGatesAhead(t *testing.T) {
	of := func(req lifecycle.Requirement, w lifecycle.Workflow) (met, unmet int, statuses []lifecycle.Status) {
		for _, g := range review.One(w, req, review.Seen{}).Gates {
			if len(statuses) == 0 || statuses[len(statuses)-1] != g.To {
				statuses = append(statuses, g.To)
			}
			require.Equal(t, g.Met, g.Detail == "")
			if g.Met {
				met++
			} else {
				unmet++
			}
		}
		return met, unmet, statuses
	}
	_, _, statuses := of(reviewtest.Defined(1), lifecycle.V1)
	require.Equal(t, []lifecycle.Status{lifecycle.DesignReady, lifecycle.Implemented, lifecycle.TestedPass,
		lifecycle.Done}, statuses)
	met, unmet, statuses := of(reviewtest.At(t, 1, lifecycle.TestedPass), lifecycle.V1)
	require.Equal(t, []lifecycle.Status{lifecycle.Done}, statuses)
	require.Equal(t, []int{13, 1}, []int{met, unmet}, "all but the approval")
	met, unmet, _ = of(reviewtest.At(t, 1, lifecycle.Done), lifecycle.V1)
	require.Equal(t, []int{14, 0}, []int{met, unmet})
	met, unmet, _ = of(reviewtest.At(t, 1, lifecycle.Blocked), lifecycle.V1)
	require.Zero(t, met+unmet, "a dead end has nothing ahead")
	retired, _ := lifecycle.Retire(reviewtest.At(t, 1, lifecycle.TestedPass))
	met, unmet, _ = of(retired, lifecycle.V1)
	require.Zero(t, met+unmet, "nor has what is retired")
}

// The dossier's gates are those by which Apply decides.
func TestGatesAgreeWithApply(t *testing.T) {
	for n := range len(reviewtest.Steps) {
		req := reviewtest.Brought(t, reviewtest.Defined(1), n)
		row := review.Standing(lifecycle.Rework, nil, req)
		for _, next := range review.One(lifecycle.Rework, req, review.Seen{}).Next {
			for _, m := range next.Moves {
				if m.To == row.Next && m.Ready {
					require.NotContains(t, unmetOf(review.One(lifecycle.Rework, req, review.Seen{})), m.To)
				}
				if m.To == row.Next && !m.Ready {
					require.Contains(t, unmetOf(review.One(lifecycle.Rework, req, review.Seen{})), m.To)
				}
			}
		}
	}
}

func unmetOf(d review.Dossier) []lifecycle.Status {
	var all []lifecycle.Status
	for _, g := range d.Gates {
		if !g.Met {
			all = append(all, g.To)
		}
	}
	return all
}

func TestRechecksFindTheirEvidence(t *testing.T) {
	req := reviewtest.At(t, 1, lifecycle.Done)
	req.ImplementationEvidence = []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: "a.go"},
		{Kind: lifecycle.EvidenceFile, Path: "b.go"}}
	d := review.One(lifecycle.V1, req, review.Seen{Evidence: []review.Rechecked{
		{"/implementation_evidence/1", review.Stale, lifecycle.FileGone, "no b.go"}, {"/test/evidence/0", review.Holds, "", ""},
		{"/history/2/justification/evidence/0", review.Moved, "", "docs/x.md:1-3"}, {"/history/77/justification/evidence/0", review.Holds, "", ""},
	}})
	require.Equal(t, review.NotLookedUp, d.Parts[1].Evidence[0].Recheck.Verdict)
	require.Equal(t, "/implementation_evidence/0", d.Parts[1].Evidence[0].Recheck.Pointer)
	require.Equal(t, "no b.go", d.Parts[1].Evidence[1].Recheck.Detail)
	require.Equal(t, review.Holds, d.Parts[2].Evidence[0].Recheck.Verdict)
	require.Equal(t, review.Moved, d.History[2].Evidence[0].Recheck.Verdict)
	require.Equal(t, review.NotLookedUp, d.History[3].Evidence[0].Recheck.Verdict)
}

// The pointers of the citations are those of the dossier.
func TestCitationsAndDossierPointAlike(t *testing.T) {
	req := reviewtest.At(t, 1, lifecycle.Done)
	req.ImplementationEvidence = []lifecycle.Evidence{
		{Kind: lifecycle.EvidenceFile, Path: "a.go", Found: &lifecycle.Found{}}}
	req.Test.Evidence[0].Found = &lifecycle.Found{}
	t.Cleanup(func() { req.Test.Evidence[0].Found = nil })
	req.History[len(req.History)-1].Justification.Evidence[0].Found = &lifecycle.Found{}
	var checks []review.Rechecked
	for _, c := range req.Citations() {
		checks = append(checks, review.Rechecked{Pointer: c.Pointer, Verdict: review.Holds})
	}
	require.Len(t, checks, 3)
	d := review.One(lifecycle.V1, req, review.Seen{Evidence: checks})
	require.Equal(t, review.Holds, d.Parts[1].Evidence[0].Recheck.Verdict)
	require.Equal(t, review.Holds, d.Parts[2].Evidence[0].Recheck.Verdict)
	require.Equal(t, review.Holds, d.History[len(d.History)-1].Evidence[0].Recheck.Verdict)
}

func TestWhatAnApprovalCovers(t *testing.T) {
	req := reviewtest.At(t, 1, lifecycle.Done)
	of := func(change func(*lifecycle.Requirement)) review.Approval {
		next := req
		change(&next)
		return review.One(lifecycle.V1, next, review.Seen{}).Approvals[0]
	}
	a := of(func(*lifecycle.Requirement) {})
	require.True(t, a.Counts)
	require.Empty(t, a.ChangedSince)
	a = of(func(r *lifecycle.Requirement) { r.Fingerprint = "other" })
	require.False(t, a.Counts)
	require.Equal(t, []string{"text"}, a.ChangedSince)
	a = of(func(r *lifecycle.Requirement) {
		r.Stamps.Test.Revision, r.Stamps.Implementation.Revision, r.Stamps.DesignSpec.Revision = 99, 99, 99
	})
	require.False(t, a.Counts)
	require.Equal(t, []string{"design_spec", "implementation", "test"}, a.ChangedSince)
	a = of(func(r *lifecycle.Requirement) {
		r.Approvals = []lifecycle.Approval{r.Approvals[0],
			{Stamp: r.Approvals[0].Stamp, Decision: lifecycle.Rejected}, r.Approvals[0]}
	})
	require.False(t, a.Counts, "a rejection takes it back, be it of the same revision")
}

func TestNoListOfADossierIsNull(t *testing.T) {
	for _, req := range []lifecycle.Requirement{{Status: lifecycle.NotStarted}, reviewtest.At(t, 1, lifecycle.Done)} {
		// of the standard library, which writes null for nil
		raw, err := json.Marshal(review.One(lifecycle.V1, req, review.Seen{}))
		require.NoError(t, err)
		for _, list := range []string{"parts", "approvals", "deviations", "pm_notes", "gates", "next", "history",
			"evidence", "changed_since", "codes", "waiting_for"} {
			require.NotContains(t, string(raw), `"`+list+`":null`)
		}
	}
	raw, err := json.Marshal(review.Full(reviewtest.InputOf(reviewtest.Defined(1))))
	require.NoError(t, err)
	require.NotContains(t, string(raw), "null")
	var b bytes.Buffer
	require.NoError(t, reviewtest.StaleDossier(t).JSON(&b))
	var back review.Dossier
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Len(t, back.Gates, 14, "a client reads it back")
}
