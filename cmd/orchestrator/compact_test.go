package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store/boltstore"
)

// A database whose structure is not sound is not made to look as if it were, even where all entries can be read.
func TestCompactLeavesAnUnsoundDatabaseAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	s, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
			return tx.Append(ledger.Event{Kind: "test", Actor: ledger.System(), Subject: fmt.Sprint(i)})
		}))
	}
	require.NoError(t, l.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for page := os.Getpagesize(); page < len(whole); page += os.Getpagesize() {
		if whole[page+8] == 0x10 { // a list of free pages: it forgets its last
			count := binary.NativeEndian.Uint16(whole[page+10:])
			binary.NativeEndian.PutUint16(whole[page+10:], max(count, 1)-1)
		}
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	out, code := orchestrate(t, t.TempDir(), "compact", "--data", dir)
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "is neither used nor free")
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, whole, now)
}
