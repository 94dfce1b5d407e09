package storetest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := store.NewMemory()
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	})
}

func TestFaultyWithoutFaults(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return storetest.NewFaulty(store.NewMemory()) })
}

func TestFaults(t *testing.T) {
	errDisk, errRefused := errors.New("disk"), errors.New("refused")
	for name, fault := range map[string]storetest.Fault{
		"commit failed":              {Apply: false, Err: errDisk},
		"commit failed but happened": {Apply: true, Err: errDisk},
	} {
		t.Run(name, func(t *testing.T) {
			f := storetest.NewFaulty(store.NewMemory())
			f.Next(fault)
			put := func(tx store.Tx) error { return tx.Put("t", "a", []byte("1")) }

			require.ErrorIs(t, f.Update(t.Context(), func(store.Tx) error { return errRefused }), errRefused)
			err := f.Update(t.Context(), put)
			require.ErrorIs(t, err, store.ErrCommit)
			require.ErrorIs(t, err, errDisk)
			require.Equal(t, fault.Apply, has(t, f, "a"))
			require.NoError(t, f.Update(t.Context(), put))
			require.True(t, has(t, f, "a"))
		})
	}
}

func has(t *testing.T, s store.Store, key string) (found bool) {
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		value, err := r.Get("t", key)
		found = value != nil
		return err
	}))
	return found
}

// TestHandles: what tests of replicas rest on keeps the contracts that the stores of a service keep.
// Verifies: ORC-349
func TestHandles(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		h := storetest.NewHub().Open()
		t.Cleanup(func() { require.NoError(t, h.Close()) })
		return h
	})
	storetest.RunShared(t, func(t *testing.T, n int) []store.Shared {
		hub, all := storetest.NewHub(), []store.Shared(nil)
		for range n {
			h := hub.Open()
			t.Cleanup(func() { require.NoError(t, h.Close()) })
			all = append(all, h)
		}
		return all
	})
}

func TestAHandleCanBeDisturbed(t *testing.T) {
	hub := storetest.NewHub()
	a, b := hub.Open(), hub.Open()
	put := func(tx store.Tx) error { return tx.Put("t", "a", []byte("1")) }
	b.Delay(time.Millisecond)
	require.NoError(t, a.Update(t.Context(), put))
	<-b.Bell()
	b.Deafen()
	require.NoError(t, a.Update(t.Context(), put))
	require.Never(t, func() bool { return len(b.Bell()) > 0 }, 20*time.Millisecond, 5*time.Millisecond)

	resume := b.Hold()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.View(ctx, func(store.Reader) error { return nil }), context.DeadlineExceeded)
	resume()
	require.True(t, has(t, b, "a"))
	require.EqualValues(t, 1, b.Trips())

	errCut := errors.New("cut off")
	b.Cut(errCut)
	require.ErrorIs(t, b.Update(t.Context(), put), errCut)
	b.Cut(nil)
	require.NoError(t, b.Update(t.Context(), put))
}
