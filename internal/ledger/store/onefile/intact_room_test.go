package onefile_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

// TestGrowingIsNoOtherHand: readers that come while the file is extended do not take that for the work of another.
func TestGrowingIsNoOtherHand(t *testing.T) {
	s, err := onefile.Open(filepath.Join(t.TempDir(), "state.db"), onefile.Options{})
	require.NoError(t, err)
	defer s.Close()
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = s.View(t.Context(), func(store.Reader) error { return nil })
				}
			}
		})
	}
	value := make([]byte, 256<<10)
	for i := range 200 {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("t", fmt.Sprint(i), value) }))
		require.False(t, s.Foreign(), "after %d updates", i)
	}
	close(done)
	readers.Wait()
	require.False(t, s.Foreign())
}

// TestNothingIsConfirmedOnceTheStoreHasFailed: also not what was about to be committed when it failed.
func TestNothingIsConfirmedOnceTheStoreHasFailed(t *testing.T) {
	s, err := onefile.Open(filepath.Join(t.TempDir(), "state.db"), onefile.Options{})
	require.NoError(t, err)
	broken := errors.New("broken meanwhile")
	s.OnDisk(func(free func() (int64, error), allocate func(int64) error) (func() (int64, error), func(int64) error) {
		return func() (int64, error) {
			s.Fail(broken)
			return free()
		}, allocate
	})
	err = s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("t", "k", []byte("v")) })
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, s.Err(), broken)
	_ = s.Close()
}
