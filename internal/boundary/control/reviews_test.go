package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// What a metric shows of reviews is worked out again once somebody said something, and after ten minutes; until then
// what was worked out stays.
// Verifies: ORC-215
func TestWhenReviewsAreCurrent(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var r reviews
	require.False(t, r.current(noon, 0), "nothing was worked out")
	r.set([]reviewing.Review{}, noon, 3)
	require.True(t, r.current(noon.Add(refreshed-1), 3))
	require.False(t, r.current(noon.Add(refreshed), 3))
	require.False(t, r.current(noon, 4), "a review was closed since")
}

// A review that is closed is not due any more in the metric, long before the ten minutes are over.
// Verifies: ORC-215
func TestAClosedReviewLeavesTheMetricAtOnce(t *testing.T) {
	t.Parallel()
	dir := folder.In(t.TempDir())
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	by := func(id string) Change { return Change{By: "ada", Reason: "r", At: now, ID: id} }
	_, err := SetUp(dir, boundary.DefaultPolicy(), by("0000000000000001"))
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	ids := 16
	b := New(dir, l, func() time.Time { return now }, func() string { ids++; return fmt.Sprintf("%016x", ids) })
	_, err = b.SetMode(t.Context(), "ada", ModeChange{Mode: boundary.Enforce, Reason: "r", Override: "o"})
	require.NoError(t, err)
	now = now.Add(3 * 24 * time.Hour)
	require.NoError(t, b.refreshReviews(t.Context()))
	require.Equal(t, 1, b.ReviewsDue())
	_, err = Review(dir, "", by("0000000000000003"))
	require.NoError(t, err)
	require.Equal(t, 1, b.ReviewsDue(), "it is on no record yet")
	_, err = b.Record(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.refreshReviews(t.Context()))
	require.Equal(t, 0, b.ReviewsDue())

	_, err = Review(dir, "48h", by("0000000000000004"))
	require.ErrorContains(t, err, "no review 48h of the boundary is due", "it is closed")
	_, err = Review(dir, "1w", by("0000000000000004"))
	require.ErrorContains(t, err, "the review 1w is not due before 2026-01-08")
}
