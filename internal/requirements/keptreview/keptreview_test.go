package keptreview

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// asking returns what reviews an empty project, and asks dirty about its files.
func asking(t *testing.T) (rows *Rows, ask func(ctx context.Context, dirty func()) error) {
	t.Helper()
	snap, err := projection.New(projection.Project{}, nil, audit.Head{})
	require.NoError(t, err)
	rows = New()
	return rows, func(ctx context.Context, dirty func()) error {
		_, err := rows.Full(ctx, review.Input{Workflow: lifecycle.Rework}, snap, func([]string) map[string]bool {
			dirty()
			return nil
		})
		return err
	}
}

func atOnce() {}

func TestRowsAreDroppedWhenNobodyReviews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, ask := asking(t)
		kept := func() review.Rows {
			require.NoError(t, rows.turn.Take(t.Context()))
			defer rows.turn.Leave()
			return rows.rows
		}
		require.NoError(t, ask(t.Context(), atOnce))
		time.Sleep(keep - time.Second)
		require.NoError(t, ask(t.Context(), atOnce))
		time.Sleep(keep - time.Second)
		require.NotEqual(t, review.Rows{}, kept())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, review.Rows{}, kept())
	})
}

// A review that waits for git keeps no other one waiting, and is over when its context is.
func TestNoReviewWaitsForTheGitOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ask := asking(t)
		slow, give := context.WithTimeout(t.Context(), time.Hour)
		defer give()
		begun, ended := make(chan bool), make(chan error, 1)
		go func() {
			ended <- ask(slow, func() {
				close(begun)
				<-slow.Done() // as git is ended then
			})
		}()
		<-begun
		asked := time.Now()
		require.NoError(t, ask(t.Context(), atOnce))
		require.Zero(t, time.Since(asked))
		require.ErrorIs(t, <-ended, context.DeadlineExceeded, "what git did not say is no answer")
		require.NoError(t, ask(t.Context(), atOnce))
	})
}

// A review that waited for git does not put its rows in the place of newer ones.
func TestNewerRowsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, ask := asking(t)
		begun, answered, ended := make(chan bool), make(chan bool), make(chan error, 1)
		go func() {
			ended <- ask(t.Context(), func() {
				close(begun)
				<-answered
			})
		}()
		<-begun
		require.NoError(t, ask(t.Context(), atOnce))
		since := func() uint64 {
			require.NoError(t, rows.turn.Take(t.Context()))
			defer rows.turn.Leave()
			return rows.since
		}
		left := since()
		close(answered)
		require.NoError(t, <-ended)
		require.Equal(t, left, since())
		require.NoError(t, ask(t.Context(), atOnce))
		require.Equal(t, left+2, since(), "before git is asked, and at the end")
		time.Sleep(2 * keep)
	})
}

// Who waits for its turn leaves when its context ends.
func TestWhoWaitsForAReviewLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, ask := asking(t)
		require.NoError(t, rows.turn.Take(t.Context()))
		soon, give := context.WithTimeout(t.Context(), time.Minute)
		defer give()
		require.ErrorIs(t, ask(soon, atOnce), context.DeadlineExceeded)
		rows.turn.Leave()
		require.NoError(t, ask(t.Context(), atOnce))
	})
}
