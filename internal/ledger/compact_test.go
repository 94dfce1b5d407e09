package ledger

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// proofs is all that an outsider can ask of a log: every record, its proof in the whole tree, and the proof that every
// earlier tree is a part of it.
func proofs(t *testing.T, path string) (all []any) {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	l, err := OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, verify(t, l))
	size := int64(l.Head().Size)
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		found := []any{l.Head()}
		for n := range size {
			raw, _, err := RecordAt(r, uint64(n))
			require.NoError(t, err)
			inclusion, err := tlog.ProveRecord(size, n, rows.Nodes{From: r})
			require.NoError(t, err)
			require.NoError(t, tlog.CheckRecord(inclusion, size, l.Head().Root, n, nodeOf(raw)))
			consistency, err := tlog.ProveTree(size, n+1, rows.Nodes{From: r})
			require.NoError(t, err)
			found = append(found, string(raw), inclusion, consistency)
		}
		all = found
		return nil
	}))
	require.NoError(t, l.Close())
	return all
}

func TestCompactKeepsEveryRecordNodeAndProof(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	l := open(t, s)
	for i := range 150 {
		require.NoError(t, set(t.Context(), l, strings.Repeat("k", 1+i%7), i))
	}
	require.NoError(t, l.Close())
	before := proofs(t, path)
	require.Len(t, before, 1+151*3)

	s, err = boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	c, err := s.Compact(t.Context(), func(copied store.Store) error {
		_, err := OpenReadOnly(t.Context(), copied)
		return err
	})
	require.NoError(t, err)
	require.Less(t, c.After, c.Before)
	require.Equal(t, 151, c.Entries[rows.Table])
	require.NoError(t, s.Close())
	require.Equal(t, before, proofs(t, path))
}
