package ledger

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

func TestAReadEndsWithItsContext(t *testing.T) {
	l, err := Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	visited := 0
	err = l.View(ctx, func(r store.Reader) error {
		_, err := r.Get(tableMeta, keyHead)
		require.NoError(t, err)
		err = r.Scan(tableMeta, "", "", func(string, []byte) error {
			visited++
			end()
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		_, err = r.Get(tableMeta, keyHead)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, visited)
}
