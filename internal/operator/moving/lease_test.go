package moving

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

// onHub is a place of which every process has a handle of its own, and leases.
func onHub(name string) (Place, *storetest.Hub) {
	hub := storetest.NewHub()
	return Shared(name, func(context.Context, bool) (store.Store, error) { return hub.Open(), nil }), hub
}

// takeLease takes the lease of a move, as a service does once the process that moves was stopped for long.
func takeLease(ctx context.Context, hub *storetest.Hub) (release func() error, err error) {
	h := hub.Open()
	moves, err := h.Holder(ctx, leaseName)
	if err == nil {
		err = h.Release(ctx, moves)
	}
	if err != nil {
		return nil, err
	}
	lease, err := h.Acquire(ctx, leaseName, "http://10.0.0.7:8080", time.Hour)
	return func() error { return h.Release(ctx, lease) }, err
}

// A move that has lost the lease of one of its ends writes nothing there any more, and can be gone on with.
//
// Verifies: ORC-376
func TestAMoveThatLosesTheLeaseWritesNothing(t *testing.T) {
	for step, ofSource := range map[string]bool{"verified": false, "checked": true, "left": false} {
		t.Run(step, func(t *testing.T) {
			from, source := onHub("memory://from")
			to, target := onHub("memory://to")
			_, err := Move(t.Context(), InFolder(lived(t, 5)), from, plain)
			require.NoError(t, err)
			lost := target
			if ofSource {
				lost = source
			}
			before := source.Memory.Dump()
			var there map[string]map[string]string
			var release func() error
			_, err = Move(t.Context(), from, to, Options{Now: time.Now, lease: time.Minute,
				reached: func(done string) (err error) {
					if done == step {
						release, err = takeLease(t.Context(), lost)
						there = lost.Memory.Dump()
					}
					return err
				}})
			require.Error(t, err)
			require.Equal(t, there, lost.Memory.Dump())
			require.NoError(t, release())
			_, err = Move(t.Context(), from, to, plain)
			require.NoError(t, err)
			require.Equal(t, before["audit"], target.Memory.Dump()["audit"])
		})
	}
}

// A log does not appear in a data folder that lacks its tokens.
//
// Verifies: ORC-375
func TestNoLogComesBeforeItsTokens(t *testing.T) {
	data := lived(t, 1)
	require.NoError(t, os.WriteFile(data.Tokens(), []byte(`{"tokens":[]}`), 0o600))
	away, _ := inMemory("memory://away")
	_, err := Move(t.Context(), InFolder(data), away, plain)
	require.NoError(t, err)
	to := datadir.Dir(filepath.Join(t.TempDir(), "to"))
	require.NoError(t, os.MkdirAll(to.Tokens(), 0o700)) // in the way
	_, err = Move(t.Context(), away, InFolder(to), plain)
	require.Error(t, err)
	require.NoFileExists(t, to.Database())
	require.NoError(t, os.Remove(to.Tokens()))
	_, err = Move(t.Context(), away, InFolder(to), plain)
	require.NoError(t, err)
	info, err := os.Stat(to.Tokens())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "nobody else reads the tokens")
}
