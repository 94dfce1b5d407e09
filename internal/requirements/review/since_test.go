package review_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

func pointOf(in review.Input) review.Point {
	p := review.Point{Project: review.Full(in), Touches: map[string]review.Touch{}}
	for req := range in.Requirements {
		p.Touches[req.ID] = review.TouchOf(req)
	}
	return p
}

// Against itself no requirement of a project fails, and each that does fail passes as before.
//
// Verifies: ORC-166
func TestNothingIsWorseThanItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pointOf(anyProject(t))
		o := review.GateOptions{Require: rapid.SampledFrom(review.GateLevels()).Draw(t, "level")}
		plain, since := review.Gate(p.Project, o), review.GateSince(p, p, o)
		require.Zero(t, since.Failed)
		require.Equal(t, plain.Failed, since.AsBefore)
		require.Equal(t, since.Total, since.Passed+since.Failed+since.Deferred+since.Retired+since.AsBefore)
		s := since.Since
		require.Empty(t, append(append(append(append(s.New, s.Retired...), s.Worse...), s.Passing...), s.Touched...))
		require.Equal(t, len(plain.Problems) == 0, since.Pass)
	})
}

// Each thing that people or documents do touches a requirement; where it stands, and what the repository makes of its
// evidence, does not.
//
// Verifies: ORC-166
func TestWhatTouches(t *testing.T) {
	req := reviewtest.At(t, 1, lifecycle.Done)
	for name, c := range map[string]struct {
		change  func(*lifecycle.Requirement)
		touches bool
	}{
		"another line": {func(r *lifecycle.Requirement) { r.Source.Line, r.Revision = 99, 99 }, false},
		"stale":        {func(r *lifecycle.Requirement) { r.Stale = []lifecycle.Stale{{Part: "test"}} }, false},
		"text":         {func(r *lifecycle.Requirement) { r.Fingerprint = "other" }, true},
		"suspect":      {func(r *lifecycle.Requirement) { r.Suspect = true }, true},
		"retired":      {func(r *lifecycle.Requirement) { r.Retired = true }, true},
		"status":       {func(r *lifecycle.Requirement) { r.Status = lifecycle.Blocked }, true},
		"design":       {func(r *lifecycle.Requirement) { r.Stamps.DesignSpec.Revision++ }, true},
		"code":         {func(r *lifecycle.Requirement) { r.Stamps.Implementation.Revision++ }, true},
		"test":         {func(r *lifecycle.Requirement) { r.Stamps.Test.Revision++ }, true},
		"approval":     {func(r *lifecycle.Requirement) { r.Approvals = nil }, true},
		"deviation":    {func(r *lifecycle.Requirement) { r.Deviations = make([]lifecycle.Deviation, 1) }, true},
	} {
		now := req
		c.change(&now)
		require.Equal(t, c.touches, review.TouchOf(req) != review.TouchOf(now), name)
	}
}

// What nobody touched fails when it got worse: evidence that went stale. It fails as before when it was so already.
//
// Verifies: ORC-166
func TestWorseWithoutATouch(t *testing.T) {
	good := reviewtest.At(t, 1, lifecycle.Done)
	bad := good
	bad.Stale = []lifecycle.Stale{{Part: lifecycle.FieldTest, Reason: lifecycle.ReportGone}}
	other := good
	other.Stale = []lifecycle.Stale{{Part: lifecycle.FieldImplementation, Reason: lifecycle.FileGone}}
	o := review.GateOptions{Require: review.RequireDone}
	gate := func(now, base lifecycle.Requirement) review.GateResult {
		return review.GateSince(pointOf(reviewtest.InputOf(now)), pointOf(reviewtest.InputOf(base)), o)
	}
	require.Equal(t, []string{"REQ-1"}, gate(bad, good).Since.Worse)
	require.False(t, gate(bad, good).Pass)
	require.True(t, gate(bad, bad).Pass)
	require.False(t, gate(other, bad).Pass, "for another reason than at the base")
	require.Equal(t, []string{"REQ-1"}, gate(good, bad).Since.Passing)
}

// Verifies: ORC-175

// A requirement that was renamed since the base is the one that it was, and neither new nor touched for that.
func TestARenamedRequirementIsTheOneOfTheBase(t *testing.T) {
	before := reviewtest.At(t, 1, lifecycle.Planned)
	after, other := before, reviewtest.At(t, 2, lifecycle.Planned)
	after.ID, after.FormerIDs = "NEW", []lifecycle.FormerID{{ID: "OLDER", Record: 2}, {ID: before.ID, Record: 9}}
	base, now := pointOf(reviewtest.InputOf(before)), pointOf(reviewtest.InputOf(after, other))
	o := review.GateOptions{Require: review.RequireDone}
	s := review.GateSince(now, base, o)
	require.Equal(t, []string{"NEW", other.ID}, s.Since.New, "nobody said who it was")
	now.Former = map[string][]string{"NEW": {"OLDER", before.ID}}
	s = review.GateSince(now, base, o)
	require.Equal(t, []string{other.ID}, s.Since.New)
	require.Empty(t, s.Since.Touched)
	require.Equal(t, review.PassesAsBefore, s.Cases[0].Outcome)
}
