package auditor

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// files are a log as a bundle or a server has it, by path. They are a Source.
type files map[string][]byte

func (f files) Name() string { return "files" }

func (f files) Read(_ context.Context, path string) ([]byte, error) {
	if content, found := f[path]; found {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

// copied is the whole log, taken apart.
type copied struct {
	records    [][]byte
	tree       [][]byte // what the tiles are computed from
	blobs      map[string][]byte
	checkpoint []byte
	key, state []byte
	size       uint64        // by which the files are named
	changed    files         // files that are other than all that says; nil content: missing
	first      int           // the record that is the first bad one; -1 where nobody could know
	from       uint64        // checkpoints of more records than that show that the log is another
	gap        bool          // a database lacks the first bad record, and has those after it under their numbers
	base       *store.Memory // the database that it was taken from
	rebuilt    bool          // the database is as the log is: it was made anew together with it
}

// copy takes the log out of the service.
func (l *living) copy() copied {
	l.t.Helper()
	ctx := context.Background()
	var state bytes.Buffer
	_, write := l.service.Project()
	require.NoError(l.t, write(&state))
	c := copied{blobs: map[string][]byte{}, key: []byte(l.signer.Key + "\n"), state: state.Bytes(), size: l.size(), base: l.store, changed: files{}}
	var err error
	c.checkpoint, err = l.service.Checkpoint()
	require.NoError(l.t, err)
	for n := range l.size() {
		raw, err := l.ledger.Record(ctx, n)
		require.NoError(l.t, err)
		c.records = append(c.records, raw)
		record, err := audit.Decode(raw)
		require.NoError(l.t, err)
		if digest := ledger.BlobOf(record); digest != "" {
			c.blobs[digest], err = l.ledger.Blob(ctx, digest)
			require.NoError(l.t, err)
		}
	}
	c.tree = c.records
	return c
}

// clone is a copy to tamper with; bytes of records are to be replaced, not changed.
func (c copied) clone() copied {
	c.records, c.tree = slices.Clone(c.records), slices.Clone(c.tree)
	c.blobs, c.changed = maps.Clone(c.blobs), files{}
	return c
}

// headOf is the tree over records.
func headOf(t testing.TB, records [][]byte) (audit.Head, map[uint64]audit.Hash) {
	t.Helper()
	var head audit.Head
	nodes := map[uint64]audit.Hash{}
	for _, raw := range records {
		next, stored, err := head.Seal(raw, dawn)
		require.NoError(t, err)
		head = next
		for _, node := range stored {
			nodes[node.Index] = node.Hash
		}
	}
	return head, nodes
}

// lay writes the files of the log.
func (c copied) lay(t testing.TB) files {
	t.Helper()
	f := files{pathCheckpoint: c.checkpoint, pathKey: c.key}
	if c.state != nil {
		f[pathState] = c.state
	}
	for digest, data := range c.blobs {
		f[blobPrefix+digest] = data
	}
	left := c.records
	for tile := range tiles(c.size) {
		n := min(len(left), audit.TileWidth)
		if tile.Needs() == c.size {
			n = len(left)
		}
		var bundle []byte
		for _, raw := range left[:n] {
			bundle = audit.AppendEntry(bundle, raw)
		}
		left = left[n:]
		f[tilePrefix+tile.Path()] = bundle
	}
	_, nodes := headOf(t, c.tree)
	reader := nodeReader(nodes)
	for _, tile := range audit.TilesFor(0, uint64(len(c.tree))) {
		hashes, err := tile.Hashes(reader)
		require.NoError(t, err)
		if claimed := tile.In(c.size); claimed.Width > 0 {
			tile = claimed
		}
		f[tilePrefix+tile.Path()] = hashes
	}
	for path, content := range c.changed {
		if f[path] = content; content == nil {
			delete(f, path)
		}
	}
	return f
}

type nodeReader map[uint64]audit.Hash

func (n nodeReader) ReadHashes(indexes []int64) ([]audit.Hash, error) {
	hashes := make([]audit.Hash, len(indexes))
	for i, index := range indexes {
		hash, found := n[uint64(index)]
		if !found {
			return nil, fs.ErrNotExist
		}
		hashes[i] = hash
	}
	return hashes, nil
}
