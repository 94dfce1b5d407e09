package storetest_test

import (
	"errors"
	"testing"

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
