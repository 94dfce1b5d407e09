package pgstore_test

import (
	"testing"

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
