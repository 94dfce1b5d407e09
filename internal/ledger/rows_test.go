package ledger

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

func TestARowHasItsParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		record := append(rapid.SliceOf(rapid.Byte()).Draw(rt, "record"), '}')
		nodes := make([]audit.StoredHash, rapid.IntRange(1, rows.MostNodes).Draw(rt, "nodes"))
		var stored []byte
		for i := range nodes {
			copy(nodes[i].Hash[:], rapid.SliceOfN(rapid.Byte(), rows.NodeSize, rows.NodeSize).Draw(rt, "node"))
			stored = append(stored, nodes[i].Hash[:]...)
		}
		gotRecord, gotNodes := rows.Split(rows.Of(record, nodes))
		require.Equal(rt, record, gotRecord)
		require.Equal(rt, stored, gotNodes)
		gotRecord, gotNodes = rows.Split(record) // as formats before 7 have it
		require.Equal(rt, record, gotRecord)
		require.Nil(rt, gotNodes)
	})
}

// apart is a store as formats before 7 left it: the nodes of the tree are in a table of their own.
func apart(t *testing.T, from *store.Memory) *store.Memory {
	t.Helper()
	s := store.NewMemory()
	dump := from.Dump()
	tamper(t, s, func(tx store.Tx) error {
		for table, entries := range dump {
			for key, value := range entries {
				if table == rows.Table {
					record, nodes := rows.Split([]byte(value))
					for first := uint64(tlog.StoredHashIndex(0, int64(rows.SeqOf(key)))); len(nodes) > 0; first++ {
						require.NoError(t, tx.Put(rows.Hashes, rows.Key(first), nodes[:rows.NodeSize]))
						nodes = nodes[rows.NodeSize:]
					}
					value = string(record)
				}
				require.NoError(t, tx.Put(table, key, []byte(value)))
			}
		}
		return nil
	})
	return s
}

// The tree is the same, wherever its nodes lie.
func TestNodesAreReadFromBothPlaces(t *testing.T) {
	together := grown(t)
	size := open(t, together).Head().Size
	indexes := make([]int64, tlog.StoredHashCount(int64(size)))
	for i := range indexes {
		indexes[i] = int64(i)
	}
	read := func(s store.Store) (hashes []audit.Hash) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) (err error) {
			hashes, err = rows.Nodes{From: r}.ReadHashes(indexes)
			return err
		}))
		return hashes
	}
	old := apart(t, together)
	require.Equal(t, read(together), read(old))
	require.NoError(t, verify(t, open(t, old)))
	tamper(t, old, func(tx store.Tx) error { return tx.Put(rows.Hashes, rows.Key(9999), []byte("node")) })
	require.ErrorContains(t, verify(t, open(t, old)), "table hashes has")

	for _, index := range []int64{int64(len(indexes)), tlog.StoredHashIndex(3, 1)} {
		require.Error(t, together.View(t.Context(), func(r store.Reader) error {
			_, err := rows.Nodes{From: r}.ReadHashes([]int64{index})
			return err
		}), "node %d is not complete yet", index)
	}
}

// Whatever byte of a row is another, the verification finds it, wherever the nodes lie.
func TestEveryByteOfARowCounts(t *testing.T) {
	for place, fresh := range map[string]func() *store.Memory{
		"together": func() *store.Memory { return grown(t) },
		"apart":    func() *store.Memory { return apart(t, grown(t)) },
	} {
		dump := fresh().Dump()
		for _, table := range []string{rows.Table, rows.Hashes} {
			for key, row := range dump[table] {
				for i := range row {
					if i%7 != 0 && i < len(row)-1 {
						continue
					}
					s := fresh()
					changed := []byte(row)
					changed[i] ^= 1
					tamper(t, s, func(tx store.Tx) error { return tx.Put(table, key, changed) })
					require.Error(t, openAndVerify(t.Context(), s), "%s: %s %x, byte %d", place, table, key, i)
				}
			}
		}
	}
	short := grown(t)
	tamper(t, short, func(tx store.Tx) error {
		row, err := tx.Get(rows.Table, rows.Key(3)) // which completes three nodes
		require.NoError(t, err)
		record, nodes := rows.Split(row)
		require.Len(t, nodes, 3*rows.NodeSize)
		return tx.Put(rows.Table, rows.Key(3), append(append(bytes.Clone(record), nodes[:2*rows.NodeSize]...), 2))
	})
	require.ErrorContains(t, openAndVerify(t.Context(), short), "record 3 has 2 nodes of the tree, not 3")
}
