package pgstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/storetest"
)

// open opens a store, and closes it when the test has ended.
func open(t testing.TB, url string, o pgstore.Options) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, pgtest.URL(t), pgstore.Options{}) })
}

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
