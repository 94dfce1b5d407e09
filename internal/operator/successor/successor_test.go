package successor_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/successor"
)

func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(b)
	}
	return all
}

func open(t *testing.T, files map[string]string) (*successor.Successor, string) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	s, err := successor.Open(folder, "restore", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.Equal(t, filepath.Join(folder, "state.db.wal"), boltstore.WALOf(s.Place))
	require.NoError(t, os.WriteFile(s.Temp, []byte("new"), 0o600))
	return s, folder
}

const kept = "state.db.before-restore-20260102T030405.000Z"

// A crash may have left a write-ahead log with the old database. They stay together, and the new one has none.
func TestTheOldDatabaseKeepsItsWriteAheadLog(t *testing.T) {
	s, folder := open(t, map[string]string{"state.db": "old", "state.db.wal": "old log"})
	require.NoError(t, s.Replace(func() error { return nil }))
	require.Equal(t, map[string]string{"state.db": "new", kept: "old", kept + ".wal": "old log"}, contents(t, folder))
	require.Len(t, s.Kept, 2)

	s, folder = open(t, map[string]string{"state.db": "old"})
	require.NoError(t, s.Replace(func() error { return nil }))
	require.Equal(t, map[string]string{"state.db": "new", kept: "old"}, contents(t, folder))
}

// What fails before the new database has its place leaves the old one as it was.
func TestUndo(t *testing.T) {
	s, folder := open(t, map[string]string{"state.db": "old", "state.db.wal": "old log"})
	refused := errors.New("refused")
	require.ErrorIs(t, s.Replace(func() error { return refused }), refused)
	s.Undo()
	require.NoError(t, s.RemoveTemp())
	require.Equal(t, map[string]string{"state.db": "old", "state.db.wal": "old log"}, contents(t, folder))
}

// A write-ahead log without its database is set aside, not given to another.
func TestAWriteAheadLogOfNoDatabaseIsSetAside(t *testing.T) {
	s, folder := open(t, map[string]string{"state.db.wal": "lonely"})
	require.NoError(t, s.Put())
	require.Equal(t, map[string]string{"state.db": "new", kept + ".wal": "lonely"}, contents(t, folder))
}

// What a kill left between keeping and replacing is removed, and nothing else.
func TestRemoveStale(t *testing.T) {
	s, folder := open(t, map[string]string{"state.db": "old", "state.db.wal": "old log"})
	require.NoError(t, s.Keep(s.Place))
	require.NoError(t, s.RemoveStale())
	require.NoError(t, s.RemoveTemp())
	require.Equal(t, map[string]string{"state.db": "old", "state.db.wal": "old log"}, contents(t, folder))
}

// A kill after the new database has its place, and before the write-ahead log of the old one is gone, leaves the old
// one and its log together.
func TestAKillBeforeTheOldWriteAheadLogIsRemoved(t *testing.T) {
	s, folder := open(t, map[string]string{"state.db": "old", "state.db.wal": "old log"})
	require.NoError(t, s.Keep(s.Place))
	require.NoError(t, os.Rename(s.Temp, s.Place))
	require.NoError(t, s.RemoveStale())
	require.Equal(t, map[string]string{"state.db": "new", kept: "old", kept + ".wal": "old log"}, contents(t, folder))
}

// Once the new database has its place nothing takes the old one away.
func TestAWriteAheadLogThatCannotBeRemoved(t *testing.T) {
	s, folder := open(t, map[string]string{"state.db": "old", "state.db.wal": "old log"})
	wal := filepath.Join(folder, "state.db.wal")
	err := s.Replace(func() error {
		return errors.Join(os.Remove(wal), os.MkdirAll(filepath.Join(wal, "another's"), 0o700))
	})
	if err != nil {
		s.Undo() // as every caller does
	}
	require.FileExists(t, filepath.Join(folder, kept))
	require.FileExists(t, filepath.Join(folder, kept+".wal"))
}
