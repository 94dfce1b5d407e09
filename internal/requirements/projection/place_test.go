package projection

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

// exporting runs an exporter whose log grows by one record with each call of grow.
func exporting(t *testing.T, path string) (x *Exporter, grow func() uint64) {
	t.Helper()
	var size atomic.Uint64
	size.Store(1)
	newest := newestOf(t, size.Load)
	sign := func(s *Snapshot) ([]byte, error) { return fmt.Appendf(nil, "%d", s.Head.Size), nil }
	x = NewExporter(Exporting{Path: path, Newest: newest, Sign: sign})
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	t.Cleanup(func() {
		end()
		require.NoError(t, <-done)
	})
	return x, func() uint64 {
		n := size.Add(1)
		x.Wake()
		return n
	}
}

func eventually(t *testing.T, holds func() bool, why string) {
	t.Helper()
	require.Eventually(t, holds, time.Minute, time.Millisecond, why)
}

// A link in the place of export or checkpoint leads to the database: it is replaced and reported, and the database keeps
// every byte.
func TestTheExportIsNeverWrittenThroughALink(t *testing.T) {
	dir := t.TempDir()
	database := filepath.Join(dir, "state.db")
	require.NoError(t, os.WriteFile(database, []byte("the log"), 0o600))
	path := filepath.Join(dir, "status.json")
	x, grow := exporting(t, path)
	eventually(t, func() bool { return x.State().Signed == 1 }, "the first export")
	for _, file := range []string{path, CheckpointPath(path)} {
		require.NoError(t, os.Symlink("state.db", file+"~"))
		require.NoError(t, os.Rename(file+"~", file))
	}
	n := grow()
	eventually(t, func() bool { return x.State().Signed == n }, "both are written")
	raw, err := os.ReadFile(database)
	require.NoError(t, err)
	require.Equal(t, "the log", string(raw))
	for _, file := range []string{path, CheckpointPath(path)} {
		info, err := os.Lstat(file)
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular(), file)
	}
	what := "a symbolic link to state.db"
	require.Equal(t, []Displaced{{CheckpointPath(path), what, 1}, {path, what, 1}}, x.State().Displaced)

	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	n = grow()
	eventually(t, func() bool { return x.State().Size == n }, "a pipe keeps nobody waiting")
	require.Equal(t, Displaced{path, "a pipe", 2}, x.State().Displaced[1])
}

// A folder in the place of the export, or another folder in the place of its folder, is a failed export, which is tried
// again until the place is free; nothing is written elsewhere.
func TestTheExportFailsUntilItsPlaceIsFreeAgain(t *testing.T) {
	base := t.TempDir()
	dir, other := filepath.Join(base, "out"), filepath.Join(base, "other")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Mkdir(other, 0o700))
	path := filepath.Join(dir, "status.json")
	x, grow := exporting(t, path)
	eventually(t, func() bool { return x.State().Signed == 1 }, "the first export")
	recovers := func(block, free func() error, cause string) {
		require.NoError(t, block())
		n := grow()
		eventually(t, func() bool { return x.State().Err != nil }, cause)
		require.ErrorContains(t, x.State().Err, cause)
		require.Less(t, x.State().Size, n)
		require.NoError(t, free())
		eventually(t, func() bool { return x.State().Signed == n && x.State().Err == nil }, "it recovers")
	}
	move := func(from, to string) func() error { return func() error { return os.Rename(from, to) } }
	recovers(func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		func() error { return os.Remove(path) }, "is a folder")
	recovers(func() error { return errors.Join(os.Rename(dir, dir+".away"), os.Symlink("other", dir)) },
		func() error { return errors.Join(os.Remove(dir), os.Rename(dir+".away", dir)) }, "not the folder that was opened")
	recovers(move(dir, dir+".away"), move(dir+".away", dir), "not the folder that was opened")
	entries, err := os.ReadDir(other)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Empty(t, x.State().Displaced)
}

// What nobody has changed for a while is brought to the disk. A file that is gone by then is written anew.
func TestAnExportAtRestIsSynced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "status.json")
	x, grow := exporting(t, path)
	size := grow()
	require.Equal(t, ExportWritten, x.Wait(t.Context(), size, time.Minute))
	require.Less(t, x.State().Synced, size, "nobody waits for the disk")
	require.NoError(t, os.Remove(path))
	eventually(t, func() bool { return x.State().Synced == size }, "at rest")
	require.FileExists(t, path)
	require.NotZero(t, x.State().Failures)
}

// With Synced, what is written is on the disk.
func TestASyncedExport(t *testing.T) {
	snap, err := New(Project{Name: "Demo"}, nil, audit.Head{Size: 3})
	require.NoError(t, err)
	x := NewExporter(Exporting{Path: filepath.Join(t.TempDir(), "x.json"), Newest: func() *Snapshot { return snap },
		Synced: true})
	require.NoError(t, x.writeNewest())
	require.EqualValues(t, 3, x.State().Synced)
	x.Close()
}
