package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

func TestMemoryRerunsEveryThirdUpdate(t *testing.T) {
	s := store.NewMemory()
	var runs []int
	for i := range 6 {
		var head []byte
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) (err error) {
			runs = append(runs, i)
			if head, err = tx.Get("t", "head"); err != nil {
				return err
			}
			return tx.Put("t", "head", append([]byte("x"), head...))
		}))
	}
	require.Equal(t, []int{0, 1, 2, 2, 3, 4, 5, 5}, runs)
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		head, err := r.Get("t", "head")
		require.Equal(t, "xxxxxx", string(head), "a thrown away run leaves nothing")
		return err
	}))
}

func TestMemorySpoilsWhatItHandedOut(t *testing.T) {
	s := store.NewMemory()
	put := func(tx store.Tx) error { return tx.Put("t", "a", []byte("abc")) }
	require.NoError(t, s.Update(t.Context(), put))
	var kept []byte
	read := func(r store.Reader) (err error) {
		kept, err = r.Get("t", "a")
		require.Equal(t, "abc", string(kept))
		return err
	}
	for range 2 {
		require.NoError(t, s.View(t.Context(), read))
		require.Equal(t, "\xDB\xDB\xDB", string(kept))
	}
}
