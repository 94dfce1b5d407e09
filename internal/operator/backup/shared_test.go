package backup

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/moving"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/choices"
)

// in is the store with a URL, of a data folder.
func in(t *testing.T, dir, url string) storage.Place {
	t.Helper()
	place, err := storage.Find(t.Context(), datadir.Dir(dir), storage.Given{URL: url})
	require.NoError(t, err)
	return place
}

// onDatabase is a data folder of which the log is in a database.
func onDatabase(t *testing.T, n int) (dir string, place storage.Place) {
	t.Helper()
	dir = data(t, 3)
	place = in(t, dir, pgtest.URL(t))
	_, err := moving.Move(t.Context(), moving.InFolder(datadir.Dir(dir)), moving.At(place), moving.Options{Now: time.Now})
	require.NoError(t, err)
	s, err := place.Open(t.Context(), storage.Options{})
	require.NoError(t, err)
	changeIn(t, s, dir, n)
	return dir, place
}

// A log in a database is backed up, with the tokens that are there, and restored into a database and into a file.
//
// Verifies: ORC-378
func TestBackUpAndRestoreADatabase(t *testing.T) {
	dir, place := onDatabase(t, 40)
	require.NoError(t, os.Remove(filepath.Join(dir, datadir.Tokens)), "those of the database count")
	src, end, err := database.Source(t.Context(), place)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "log.zip")
	w, err := Write(t.Context(), path, src, WriteOptions{Folder: dir, Store: place, TakenAt: taken, Decide: true})
	require.NoError(t, err)
	require.NoError(t, end())
	require.Equal(t, []string{datadir.Key, datadir.PublicKey, datadir.Tokens}, w.Private)

	for _, to := range []func(string) storage.Place{
		func(dir string) storage.Place { return in(t, dir, pgtest.URL(t)) },
		func(dir string) storage.Place { return storage.InFolder(datadir.Dir(dir)) },
	} {
		folder := filepath.Join(t.TempDir(), "restored")
		there := to(folder)
		o := RestoreOptions{Folder: folder, Store: there, Now: time.Now}
		done, err := Restore(t.Context(), path, o)
		require.NoError(t, err)
		require.Equal(t, there.String(), done.Database)
		require.Equal(t, w.Records, done.Records)
		require.Equal(t, w.Root, done.Root)
		require.FileExists(t, filepath.Join(folder, datadir.Key))
		require.JSONEq(t, `{"tokens":[]}`, read(t, filepath.Join(folder, datadir.Tokens)))
		require.Equal(t, !there.IsShared(), storage.InFolder(datadir.Dir(folder)).Exists())
		report, err := database.Verify(t.Context(), there, "none.json", auditor.Options{})
		require.NoError(t, err)
		require.Equal(t, w.Records+1, report.Records, "it says what it was restored from")

		_, err = Restore(t.Context(), path, o)
		requireFault(t, err, "restore_not_empty")
		o.Replace = there.IsShared()
		_, err = Restore(t.Context(), path, o)
		requireFault(t, err, "restore_not_empty")
	}
}

// A restore into a database that is killed leaves no log there, and the next one takes its place.
//
// Verifies: ORC-378
func TestARestoreIntoADatabaseThatFailed(t *testing.T) {
	path, _ := backedUp(t, data(t, 30))
	folder := filepath.Join(t.TempDir(), "restored")
	url := pgtest.URL(t)
	place := in(t, folder, url)
	other, err := moving.Find(t.Context(), moving.Given{Text: "bbolt:" + data(t, 10)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	_, err = moving.Move(ctx, other, moving.At(place), moving.Options{Now: time.Now,
		Compared: func(int, int) { stop() }})
	require.ErrorIs(t, err, context.Canceled, "what an earlier one left")

	_, err = Restore(t.Context(), path, RestoreOptions{Folder: folder, Store: place, Now: time.Now})
	require.NoError(t, err)
	_, err = database.Verify(t.Context(), place, "none.json", auditor.Options{})
	require.NoError(t, err)
}

// What a data folder remembers of a log in a database is lost with an older backup, and said.
//
// Verifies: ORC-378
func TestARestoreSaysWhatTheFolderRemembers(t *testing.T) {
	dir := data(t, 10)
	path, w := backedUp(t, dir)
	place := in(t, dir, pgtest.URL(t))
	head := change(t, dir, 3)
	require.NoError(t, place.Remember(head.Size, head.Root))
	done, err := Restore(t.Context(), path, RestoreOptions{Folder: dir, Store: place, Now: time.Now})
	require.NoError(t, err)
	require.Less(t, w.Records, head.Size)
	require.Equal(t, []Loss{{choices.Moment{Where: place.MemoryPath(), Size: head.Size, Root: head.Root}, true}}, done.Lost)
	require.True(t, done.StartRefused)
	s, err := place.Open(t.Context(), storage.Options{ReadOnly: true})
	require.NoError(t, err)
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, w.Records+1, l.Head().Size)
	require.NoError(t, s.Close())
}
