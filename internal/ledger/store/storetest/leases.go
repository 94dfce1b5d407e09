package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

const duty = "duty"

func acquire(t *testing.T, s store.Shared, ttl time.Duration) store.Lease {
	t.Helper()
	lease, err := s.Acquire(t.Context(), duty, "http://one", ttl)
	require.NoError(t, err)
	require.Equal(t, duty, lease.Name)
	require.NotZero(t, lease.Fence)
	return lease
}

// takeOver takes the lease as soon as it has ended.
func takeOver(t *testing.T, s store.Shared, ttl time.Duration) store.Lease {
	t.Helper()
	var lease store.Lease
	require.Eventually(t, func() (ok bool) {
		var err error
		if lease, err = s.Acquire(t.Context(), duty, "http://two", ttl); errors.Is(err, store.ErrHeld) {
			return false
		}
		require.NoError(t, err)
		return true
	}, wait, 10*time.Millisecond)
	return lease
}

func testOneHolder(t *testing.T, all []store.Shared) {
	none, err := all[2].Holder(t.Context(), duty)
	require.NoError(t, err)
	require.Zero(t, none)
	lease := acquire(t, all[0], long)
	for _, other := range all {
		_, err := other.Acquire(t.Context(), duty, "http://two", long)
		require.ErrorIs(t, err, store.ErrHeld)
		holder, err := other.Holder(t.Context(), duty)
		require.NoError(t, err)
		require.Equal(t, lease, holder)
	}
	second, err := all[1].Acquire(t.Context(), "another name", "http://two", long)
	require.NoError(t, err)
	require.Equal(t, "another name", second.Name)
}

func testExpiry(t *testing.T, all []store.Shared) {
	first := acquire(t, all[0], short)
	began := time.Now()
	second := takeOver(t, all[1], long)
	require.Greater(t, time.Since(began), short/2, "it lasted")
	require.Greater(t, second.Fence, first.Fence)
	require.Equal(t, "http://two", second.Holder)
	require.ErrorIs(t, all[0].Renew(t.Context(), first, long), store.ErrFenced)
	require.NoError(t, all[0].Release(t.Context(), first), "it has ended anyway")
	holder, err := all[2].Holder(t.Context(), duty)
	require.NoError(t, err)
	require.Equal(t, second, holder, "and what ended it is untouched")
}

func testRenewal(t *testing.T, all []store.Shared) {
	lease := acquire(t, all[0], short)
	require.NoError(t, all[0].Renew(t.Context(), lease, long))
	time.Sleep(2 * short)
	_, err := all[1].Acquire(t.Context(), duty, "http://two", long)
	require.ErrorIs(t, err, store.ErrHeld)
	require.NoError(t, all[0].Renew(t.Context(), lease, short), "a lease may be made shorter")
	time.Sleep(2 * short)
	none, err := all[1].Holder(t.Context(), duty)
	require.NoError(t, err)
	require.Zero(t, none)
	require.NoError(t, all[0].Renew(t.Context(), lease, long), "nobody has taken it")
	holder, err := all[1].Holder(t.Context(), duty)
	require.NoError(t, err)
	require.Equal(t, lease, holder)
}

func testRelease(t *testing.T, all []store.Shared) {
	first := acquire(t, all[0], long)
	require.NoError(t, all[0].Release(t.Context(), first))
	none, err := all[1].Holder(t.Context(), duty)
	require.NoError(t, err)
	require.Zero(t, none)
	second, err := all[1].Acquire(t.Context(), duty, "http://two", long)
	require.NoError(t, err)
	require.Greater(t, second.Fence, first.Fence)
	require.NoError(t, all[0].Release(t.Context(), store.Lease{Name: "never given"}))
}

func testRace(t *testing.T, all []store.Shared) {
	const clients = 12
	fences := make([]uint64, clients)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			lease, err := all[c%len(all)].Acquire(t.Context(), duty, fmt.Sprint(c), long)
			if err != nil && !errors.Is(err, store.ErrHeld) {
				t.Error(err)
			}
			fences[c] = lease.Fence
		})
	}
	wg.Wait()
	require.Len(t, slices.DeleteFunc(fences, func(n uint64) bool { return n == 0 }), 1, "who has the lease")
}

func testFence(t *testing.T, all []store.Shared) {
	first := acquire(t, all[0], short)
	under := store.Under(t.Context(), first)
	set := func(value string) func(store.Tx) error {
		return func(tx store.Tx) error { return errors.Join(tx.Put("t", "a", []byte(value)), tx.Put("t", value, nil)) }
	}
	require.NoError(t, all[0].Update(under, set("held")))
	time.Sleep(2 * short)
	require.NoError(t, all[0].Update(under, set("ended")), "nobody else has it")
	second := takeOver(t, all[1], long)

	before := dump(t, all[2], "t")
	err := all[0].Update(under, set("fenced"))
	require.ErrorIs(t, err, store.ErrFenced)
	require.NotErrorIs(t, err, store.ErrCommit)
	require.Equal(t, before, dump(t, all[2], "t"))
	require.NoError(t, all[1].Update(store.Under(t.Context(), second), set("taken over")))

	// The control: without the fence, the one who was stopped and woke writes.
	require.NoError(t, all[0].Update(t.Context(), set("not fenced")))
	require.Equal(t, "not fenced", get(t, all[2], "t", "a"))
}

// testFencedNeighbours sends many updates at once, every other one under a lease that was lost.
func testFencedNeighbours(t *testing.T, all []store.Shared) {
	lost := acquire(t, all[0], short)
	holds := takeOver(t, all[1], long)
	const n = 96
	outcomes := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		ctx := t.Context()
		switch i % 4 {
		case 1, 3:
			ctx = store.Under(ctx, lost)
		case 2:
			ctx = store.Under(ctx, holds)
		}
		wg.Go(func() {
			outcomes[i] = all[0].Update(
				ctx,
				func(tx store.Tx) error { return tx.Put("t", fmt.Sprintf("%03d", i), nil) },
			)
		})
	}
	wg.Wait()
	var want []string
	for i, err := range outcomes {
		if i%2 == 1 {
			require.ErrorIs(t, err, store.ErrFenced)
			continue
		}
		require.NoError(t, err)
		want = append(want, fmt.Sprintf("%03d=", i))
	}
	require.Equal(t, want, dump(t, all[2], "t"))
}

// testTakeover takes the lease while an update under it runs: what the update writes is there before the takeover, or
// never.
func testTakeover(t *testing.T, all []store.Shared) {
	for range 5 {
		first := takeOver(t, all[0], short/10)
		put(t, all[2], "t", "a", "old")
		started := make(chan struct{})
		var once sync.Once
		outcome := make(chan error, 1)
		go func() {
			outcome <- all[0].Update(store.Under(context.WithoutCancel(t.Context()), first), func(tx store.Tx) error {
				once.Do(func() { close(started) })
				time.Sleep(short / 2)
				return tx.Put("t", "a", []byte("new"))
			})
		}()
		<-started
		second := takeOver(t, all[1], long)
		seen := get(t, all[1], "t", "a")
		if err := <-outcome; err != nil {
			require.ErrorIs(t, err, store.ErrFenced)
		} else {
			require.Equal(t, "new", seen)
		}
		require.Equal(t, seen, get(t, all[2], "t", "a"), "nothing comes after the takeover")
		require.NoError(t, all[1].Release(t.Context(), second))
	}
}
