package pgstore_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/storetest"
)

// Verifies: ORC-340
func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, pgtest.URL(t), pgstore.Options{}) })
}

// Verifies: ORC-340, ORC-344
func TestSharedContract(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T, n int) []store.Shared {
		url := pgtest.URL(t)
		all := make([]store.Shared, n)
		for i := range all {
			all[i] = open(t, url, pgstore.Options{})
		}
		return all
	})
}

// A View takes its snapshot with its first read, and several values of any tables come at once.
func TestAViewTakesFewTrips(t *testing.T) {
	s := open(t, pgtest.URL(t), pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	require.Equal(t, "1", get(t, s, "a")) // by now there is a connection
	trips := func(fn func(store.Reader) error) uint64 {
		before := s.Stats().Trips
		require.NoError(t, s.View(t.Context(), fn))
		return s.Stats().Trips - before
	}
	require.EqualValues(t, 2, trips(func(r store.Reader) error {
		values, err := store.GetMany(r, append(store.Places("t", "a", "b"), store.Places("u", "a")...))
		require.Equal(t, [][]byte{[]byte("1"), nil, nil}, values)
		return err
	}), "one to begin and read, one to end")
	require.EqualValues(t, 2, trips(func(store.Reader) error { return nil }), "whoever reads nothing asks, too")
}

// A View that cannot take its snapshot, or read on, is over with that, whatever its function makes of it: it runs again
// with another connection.
//
// Verifies: ORC-346
func TestAViewThatBreaksRunsAgain(t *testing.T) {
	url := pgtest.URL(t)
	through, way := behind(t, url)
	s := open(t, through, pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	require.Equal(t, "1", get(t, s, "a")) // by now there is a connection
	errOwn := errors.New("of the function")
	for reads := range 2 { // before the connection breaks
		for _, own := range []error{nil, errOwn} {
			runs, seen := 0, ""
			err := s.View(t.Context(), func(r store.Reader) error {
				if runs++; runs > 1 {
					value, err := r.Get("t", "a")
					seen = string(value)
					return err
				}
				for range reads {
					if _, err := r.Get("t", "a"); err != nil {
						return err
					}
				}
				way.Reset()
				for range 2 {
					value, err := r.Get("t", "a")
					require.Error(t, err)
					require.Nil(t, value)
					_, err = store.GetMany(r, store.Places("t", "a"))
					require.Error(t, err)
					require.Error(t, r.Scan("t", "", "", func(string, []byte) error { return errOwn }))
				}
				return own
			})
			require.NoError(t, err)
			require.Equal(t, 2, runs)
			require.Equal(t, "1", seen)
		}
	}
	runs := 0
	require.NoError(t, s.View(t.Context(), func(store.Reader) error {
		if runs++; runs == 1 {
			way.Reset()
		}
		return nil
	}))
	require.Equal(t, 2, runs, "whoever reads nothing is told, too")
}
