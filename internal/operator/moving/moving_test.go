package moving

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

func headOf(t *testing.T, raw []byte) moved.Head {
	t.Helper()
	head, err := moved.ReadHead(raw)
	require.NoError(t, err)
	return head
}

// kept is a store in memory that outlives those who open it.
type kept struct{ *store.Memory }

func (kept) Close() error { return nil }

// inMemory is a place in memory.
func inMemory(name string) (Place, kept) {
	k := kept{store.NewMemory()}
	return Shared(name, func(context.Context, bool) (store.Store, error) { return k, nil }), k
}

var plain = Options{Now: time.Now, lease: time.Second}

// A log is moved to another store and back. Records, root and all tables are the same bytes in both, the log is in
// order in both, and changes go on in the last one alone.
//
// Verifies: ORC-375
func TestALogIsMovedAndMovedBack(t *testing.T) {
	data := lived(t, 1100)
	before := heldIn(t, data)
	require.Greater(t, len(before["audit"]), 1000)
	require.Greater(t, len(before["blobs"]), 1)
	require.NotEmpty(t, before["spent"])
	away, memory := inMemory("memory://away")

	done, err := Move(t.Context(), InFolder(data), away, plain)
	require.NoError(t, err)
	require.Equal(t, len(before["audit"]), int(done.Records))
	require.Equal(t, len(before["requirements"]), done.Tables["requirements"])
	require.False(t, done.Resumed)
	requireSame(t, before, held(t, memory))
	require.Equal(t, done.Root, requireOrder(t, memory).Root)

	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	_, err = ledger.Open(t.Context(), s, time.Now)
	require.ErrorContains(t, requireFault(t, err, moved.Code), "memory://away")
	requireOrder(t, s) // it can still be verified
	require.NoError(t, s.Close())

	again, err := Move(t.Context(), InFolder(data), away, plain)
	require.NoError(t, err)
	require.True(t, again.Already, "what was moved is not moved again")

	changeIn(t, memory, 10)
	grown := held(t, memory)
	back, err := Move(t.Context(), away, InFolder(data), plain)
	require.NoError(t, err)
	requireSame(t, grown, heldIn(t, data))
	require.Len(t, back.Kept, 1)
	require.FileExists(t, back.Kept[0])
	require.NoFileExists(t, filepath.Join(string(data), ".state.db.migrate"))
	_, err = ledger.Open(t.Context(), memory, time.Now)
	requireFault(t, err, moved.Code)
	change(t, data, 1)
}

// Every table that a log has lived with is moved.
func TestNoTableIsLeftBehind(t *testing.T) {
	data := lived(t, 5)
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	c, err := s.Compact(t.Context(), func(store.Store) error { return nil })
	require.NoError(t, err)
	require.NoError(t, s.Close())
	known := heldIn(t, data)
	for table, entries := range c.Entries {
		require.Len(t, known[table], entries, table)
	}
	require.Greater(t, len(c.Entries), 8)
}

// Wherever a move stops, no ledger opens what is half copied, at most one of the two stores can be written to, and the
// same move goes on.
//
// Verifies: ORC-376
func TestAMoveGoesOnAfterEveryStep(t *testing.T) {
	for _, step := range []string{"noted", "verified", "copied", "compared", "checked", "left", "published", "placed"} {
		for _, back := range []bool{false, true} {
			data := lived(t, 30)
			other, memory := inMemory("memory://other")
			from, to := InFolder(data), other
			if back {
				_, err := Move(t.Context(), from, to, plain)
				require.NoError(t, err)
				from, to = to, from
			}
			before := held(t, opened(t, from))
			_, err := Move(t.Context(), from, to, stopAt(step))
			require.ErrorIs(t, err, errStop)
			require.LessOrEqual(t, canBeWritten(t, data, memory), 1, step)
			done, err := Move(t.Context(), from, to, plain)
			require.NoError(t, err, step)
			require.True(t, done.Resumed || done.Already, step)
			requireSame(t, before, held(t, opened(t, to)))
			require.Equal(t, 1, canBeWritten(t, data, memory), step)
		}
	}
}

// opened is a place, opened for this test.
func opened(t *testing.T, p Place) store.Store {
	t.Helper()
	if p.open != nil {
		s, err := p.open(t.Context(), true)
		require.NoError(t, err)
		return s
	}
	s, err := boltstore.Open(p.folder.Database(), boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	copied := store.NewMemory()
	for table, entries := range held(t, s) {
		require.NoError(t, copied.Update(t.Context(), func(tx store.Tx) error {
			for key, value := range entries {
				if err := tx.Put(table, key, []byte(value)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	require.NoError(t, s.Close())
	return copied
}

// canBeWritten counts the stores in which a ledger can be opened to write.
func canBeWritten(t *testing.T, data datadir.Dir, memory store.Store) (n int) {
	t.Helper()
	if _, err := os.Stat(data.Database()); err == nil {
		s, err := boltstore.Open(data.Database(), boltstore.Options{})
		require.NoError(t, err)
		if _, err = ledger.Open(t.Context(), s, time.Now); err == nil {
			n++
		} else {
			require.True(t, fault.Is(err, moved.Code), err)
		}
		require.NoError(t, s.Close())
	}
	empty := memory.View(t.Context(), func(r store.Reader) error {
		for _, key := range []string{keyHead, keyFormat} {
			if raw, err := r.Get(tableMeta, key); raw != nil || err != nil {
				return errStop
			}
		}
		return nil
	})
	if _, err := ledger.OpenReadOnly(t.Context(), memory); fault.Is(err, ledger.CodeEmpty) || empty == nil {
		return n
	}
	_, err := ledger.Open(t.Context(), memory, time.Now)
	if err == nil {
		n++
	} else {
		require.True(t, fault.Is(err, moved.Code, moved.CodeUnfinished), err)
	}
	return n
}
