package ledger

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

// TestRecordsOfReplicasAreInOrderOfTime: as far as their clocks differ by less than a minute.
//
// Verifies: ORC-374
func TestRecordsOfReplicasAreInOrderOfTime(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		behind time.Duration
		want   time.Duration
	}{
		{-time.Second, time.Second},
		{0, 0},
		{time.Second, 0},
		{time.Minute - time.Second, 0},
		{time.Minute, -time.Minute},
	} {
		hub := storetest.NewHub()
		ahead, err := Open(t.Context(), hub.Open(), func() time.Time { return now })
		require.NoError(t, err)
		behind, err := Open(t.Context(), hub.Open(), func() time.Time { return now.Add(-c.behind) })
		require.NoError(t, err)
		require.NoError(t, set(t.Context(), ahead, "a", 1))
		require.NoError(t, behind.Update(t.Context(), func(tx *Tx) error {
			require.Equal(t, now.Add(c.want), tx.At(), "behind by %s", c.behind)
			return tx.Append(Event{Kind: "thing.set", Actor: ada})
		}))
		require.NoError(t, ahead.Close())
		require.NoError(t, behind.Close())
	}

	alone, err := Open(t.Context(), store.NewMemory(), func() time.Time { return now })
	require.NoError(t, err)
	require.NoError(t, set(t.Context(), alone, "a", 1))
	now = now.Add(-time.Second)
	require.NoError(t, alone.Update(t.Context(), func(tx *Tx) error {
		require.Equal(t, now, tx.At(), "a clock that was set back is on record")
		return nil
	}))
}
