package doctor

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/operator/moving"
	"orchestrator/internal/operator/storage"
)

// TestWhatAReplicaHasNotIsNoFault: tokens lie in the store, and the replica on duty writes the export, beside itself.
//
// Verifies: ORC-380
func TestWhatAReplicaHasNotIsNoFault(t *testing.T) {
	o := newProject(t)
	hub := storetest.NewHub()
	o.Store = storage.Opening(o.Data, "memory", func(context.Context) (store.Shared, error) { return hub.Open(), nil })
	_, err := moving.Move(t.Context(), moving.InFolder(o.Data), moving.At(o.Store), moving.Options{Now: time.Now})
	require.NoError(t, err)
	require.NoError(t, os.Remove(o.Data.Database()))
	require.NoError(t, os.Remove(o.Data.Tokens()))
	require.NoError(t, os.Remove(o.Export))
	r := examine(t, o)
	for about, what := range map[string]string{"tokens": "the database has them", "export": "the replica on duty writes one"} {
		all := found(r, about)
		require.Empty(t, all, about)
		require.Contains(t, said(r.Findings), what)
	}

	o.Store = storage.InFolder(o.Data) // as if --store were forgotten
	r = examine(t, o)
	require.Empty(t, found(r, "tokens"))
	require.Contains(t, said(found(r, "database")), "the log of this data folder is in memory")
	require.Contains(t, said(found(r, "database")), "give --store memory")
}
