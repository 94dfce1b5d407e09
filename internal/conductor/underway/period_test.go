package underway

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

// A run that comes when the period is over does not begin, however soon after, and is not waited for.
//
// Verifies: ORC-364
func TestNoRunBeginsAfterThePeriod(t *testing.T) {
	for range 1000 {
		p := NewPeriod(t.Context())
		p.Stop()
		under, leave := p.Enter(context.Background(), true)
		require.ErrorIs(t, under.Err(), context.Canceled)
		leave()
		p.Stop()
	}
}

func TestARunEndsWithThePeriodOrItsCaller(t *testing.T) {
	lease := store.Lease{Name: "duty", Fence: 7}
	p := NewPeriod(store.Under(t.Context(), lease))
	caller, hangUp := context.WithCancel(context.Background())
	kept, leaveKept := p.Enter(caller, true)
	loose, leaveLoose := p.Enter(caller, false)
	hangUp()
	require.NoError(t, kept.Err())
	require.ErrorIs(t, loose.Err(), context.Canceled)
	leaveLoose()
	got, is := store.LeaseOf(kept)
	require.True(t, is)
	require.Equal(t, lease, got)

	stopped := make(chan struct{})
	go func() {
		p.Stop()
		close(stopped)
	}()
	<-kept.Done()
	select {
	case <-stopped:
		t.Fatal("it is waited for")
	case <-time.After(10 * time.Millisecond):
	}
	leaveKept()
	<-stopped
}
