package keptreview

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

func TestRowsAreDroppedWhenNobodyReviews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		snap, err := projection.New(projection.Project{}, nil, audit.Head{})
		require.NoError(t, err)
		var rows Rows
		ask := func() {
			rows.Full(review.Input{Workflow: lifecycle.Rework}, snap, func([]string) map[string]bool { return nil })
		}
		ask()
		time.Sleep(keep - time.Second)
		ask()
		time.Sleep(keep - time.Second)
		require.NotEqual(t, review.Rows{}, rows.rows)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, review.Rows{}, rows.rows)
	})
}
