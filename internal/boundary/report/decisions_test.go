package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/rules/boundary"
)

func TestNewest(t *testing.T) {
	h := busy(t)
	for name, c := range map[string]struct {
		since      time.Time
		limit      int
		violations bool
		total      int
		days       []int // from the first on, of those that are listed
	}{
		"all":               {limit: 50, total: 6, days: []int{4, 3, 1, 1, 0, 0}},
		"violations":        {limit: 50, violations: true, total: 4, days: []int{4, 3, 0, 0}},
		"the newest two":    {limit: 2, total: 6, days: []int{4, 3}},
		"from a moment on":  {since: boundarytest.Day0.Add(day), limit: 50, total: 4, days: []int{4, 3, 1, 1}},
		"after all of them": {since: boundarytest.Day0.Add(5 * day), limit: 50, days: []int{}},
	} {
		got := h.Newest(c.since, c.limit, c.violations)
		require.Equal(t, c.total, got.Total, name)
		days := []int{}
		for _, d := range got.Decisions {
			days = append(days, int(d.At.Sub(boundarytest.Day0)/day))
			found, n := h.Find(d.ID)
			require.Equal(t, 1, n, "%s: a label is given by the id", name)
			require.Equal(t, d.ID, found.ID)
		}
		require.Equal(t, c.days, days, name)
	}
	require.Equal(t, boundary.Allow, h.Newest(boundarytest.Day0, 1, false).Decisions[0].Decision, "by a bypass")
	require.NotEmpty(t, h.Newest(boundarytest.Day0, 1, false).Decisions[0].Bypass)
}
