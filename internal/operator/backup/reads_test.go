package backup

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// counting is a store that counts what is read in each transaction.
type counting struct {
	store.Store

	views, most int // transactions, and the most entries that one read
	open        bool
	nested      bool
}

func (c *counting) View(ctx context.Context, fn func(store.Reader) error) error {
	c.nested = c.nested || c.open
	c.open = true
	defer func() { c.open = false }()
	return c.Store.View(ctx, func(r store.Reader) error {
		counted := &countingReader{Reader: r}
		err := fn(counted)
		c.views, c.most = c.views+1, max(c.most, counted.entries)
		return err
	})
}

type countingReader struct {
	store.Reader

	entries int
}

func (r *countingReader) Get(table, key string) ([]byte, error) {
	r.entries++
	return r.Reader.Get(table, key)
}

func (r *countingReader) Scan(table, from, to string, visit func(string, []byte) error) error {
	return r.Reader.Scan(table, from, to, func(key string, value []byte) error {
		r.entries++
		return visit(key, value)
	})
}

// A backup of a log of any length holds no transaction of the store for longer than it takes to read one tile: 256
// records, or 256 nodes of the tree. A long one would keep writers from using pages again, and could hold them up.
func TestABackupReadsNoMoreThanATileAtOnce(t *testing.T) {
	dir := data(t, 1200)
	s, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	defer s.Close()
	c := &counting{Store: s}
	l, err := ledger.OpenReadOnly(t.Context(), c)
	require.NoError(t, err)
	c.views, c.most = 0, 0
	w, err := Write(t.Context(), filepath.Join(t.TempDir(), "log.zip"), auditor.FromLedger(dir, l, signerOf(t, dir), nil), WriteOptions{Folder: dir, TakenAt: taken})
	require.NoError(t, err)
	require.Greater(t, w.Records, uint64(4*audit.TileWidth))
	require.Equal(t, audit.TileWidth, c.most)
	require.Greater(t, c.views, 2*int(w.Records)/audit.TileWidth)
	require.False(t, c.nested)
}
