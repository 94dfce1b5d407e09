package keptprogress

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/keptreview"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// telling returns the progress of a project of one import.
func telling(t *testing.T) *Progress {
	t.Helper()
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: record.KindImported, Actor: ledger.System(), Data: record.Imported{Name: "Demo"}})
	}))
	return New(From{Ledger: l, Log: keptreview.NewLog(), Clock: time.Now, Newest: func() *projection.Snapshot {
		snap, err := projection.New(projection.Project{}, nil, l.Head())
		require.NoError(t, err)
		return snap
	}})
}

// Verifies: ORC-326
func TestProgressIsDroppedWhenNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := telling(t)
		kept := func() int {
			require.NoError(t, k.turn.Take(t.Context()))
			defer k.turn.Leave()
			return len(k.present.Totals())
		}
		for range 2 {
			p, err := k.Now(t.Context())
			require.NoError(t, err)
			require.Equal(t, time.Now().UTC().Truncate(time.Minute), p.At)
			require.Len(t, p.Days, 1)
			time.Sleep(keep - time.Second)
		}
		require.Equal(t, 1, kept())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Zero(t, kept())
	})
}

func TestWhoWaitsForProgressLeaves(t *testing.T) {
	k := telling(t)
	require.NoError(t, k.turn.Take(t.Context()))
	ctx, give := context.WithCancel(t.Context())
	give()
	_, err := k.Now(ctx)
	require.ErrorIs(t, err, context.Canceled)
	k.turn.Leave()
	_, err = k.Now(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = k.Now(t.Context())
	require.NoError(t, err, "what was called off leaves nothing behind")
}
