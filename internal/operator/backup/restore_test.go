package backup

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/successor"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/record"
)

// tables is all that a database holds but the log itself, and the records of the log from one on.
func tables(t *testing.T, path string, from uint64) (entries map[string]string, records []audit.Record) {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, s.Check())
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), l, nil, nil)
	require.NoError(t, err)
	entries = map[string]string{}
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		for _, table := range []string{"requirements", "idempotency", "reports", "project", "blobs", "subjects"} {
			if err := r.Scan(table, "", "", func(key string, value []byte) error { entries[table+" "+key] = string(value); return nil }); err != nil {
				return err
			}
		}
		for seq := from; seq < l.Head().Size; seq++ {
			_, record, err := ledger.RecordAt(r, seq)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		return nil
	}))
	require.NoError(t, s.Close())
	return entries, records
}

func restored(t *testing.T, path string, o RestoreOptions) (Restored, error) {
	t.Helper()
	o.Now = time.Now
	return Restore(t.Context(), path, o)
}

func TestARestoredDatabaseIsTheOneThatWasBackedUp(t *testing.T) {
	dir := data(t, 600)
	before, _ := tables(t, filepath.Join(dir, datadir.Database), 0)
	path, w := backedUp(t, dir)
	to := filepath.Join(t.TempDir(), "of", "no", "folder")
	done, err := restored(t, path, RestoreOptions{Folder: to, Options: auditor.Options{Key: signerOf(t, dir).Key}})
	require.NoError(t, err)
	require.Equal(t, []string{datadir.Tokens, datadir.Key, datadir.PublicKey}, done.Put)
	require.Empty(t, slices.Concat(done.Left, done.Kept))
	require.Empty(t, done.Lost)
	require.False(t, done.KeyMissing)
	require.True(t, done.Trusted)

	after, added := tables(t, filepath.Join(to, datadir.Database), w.Records)
	require.Equal(t, before, after)
	require.Len(t, added, 1)
	require.Equal(t, "log.restored", added[0].Kind)
	require.Equal(t, ledger.System(), added[0].Actor)
	var says record.Restored
	require.NoError(t, json.Unmarshal(added[0].Data, &says))
	require.Equal(t, record.Restored{Size: w.Records, Root: w.Root, SHA256: w.SHA256, TakenAt: taken}, says)

	var names []string
	for path, digest := range digests(t, to) {
		names = append(names, filepath.Base(path))
		if filepath.Base(path) != datadir.PublicKey {
			require.True(t, strings.HasPrefix(digest, "-rw------- "), path)
		}
	}
	require.ElementsMatch(t, []string{datadir.Database, datadir.Key, datadir.PublicKey, datadir.Tokens}, names)
	info, err := os.Stat(to)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for _, name := range []string{datadir.Key, datadir.PublicKey, datadir.Tokens} {
		require.Equal(t, read(t, filepath.Join(dir, name)), read(t, filepath.Join(to, name)))
	}
	change(t, to, 3) // it lives on
	again, _ := backedUp(t, to)
	_, err = restored(t, again, RestoreOptions{Folder: filepath.Join(t.TempDir(), "again")})
	require.NoError(t, err)
}

// What cannot be verified, or is not what was asked for, is not restored, and nothing is changed or left.
func TestRestoreRefuses(t *testing.T) {
	dir, elsewhere := data(t, 300), data(t, 1)
	path, w := backedUp(t, dir)
	whole := read(t, path)
	mine := func(content string) string {
		path := filepath.Join(t.TempDir(), "log.zip")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	change(t, dir, 1)
	later, _ := backedUp(t, dir)
	for name, c := range map[string]struct {
		path, code string
		o          auditor.Options
	}{
		"no file":            {filepath.Join(dir, "none.zip"), "bundle_missing", auditor.Options{}},
		"a folder":           {dir, "bundle_unreadable", auditor.Options{}},
		"empty":              {mine(""), "bundle_unreadable", auditor.Options{}},
		"cut short":          {mine(whole[:len(whole)-100]), "bundle_unreadable", auditor.Options{}},
		"without its middle": {mine(whole[:1000] + whole[2000:]), "log_bundle", auditor.Options{}},
		"a flipped bit":      {mine(whole[:len(whole)/2] + string(whole[len(whole)/2]^4) + whole[len(whole)/2+1:]), "log_bundle", auditor.Options{}},
		"a foreign file":     {changed(t, path, func(name string, content []byte) []byte { return nil }), "log_missing", auditor.Options{}},
		"a changed record": {changed(t, path, func(name string, content []byte) []byte {
			return []byte(strings.Replace(string(content), `note 11"`, `note 99"`, 1))
		}), "log_record_changed", auditor.Options{}},
		"a missing tile": {changed(t, path, func(name string, content []byte) []byte {
			if strings.HasPrefix(name, "tile/entries/001") {
				return nil
			}
			return content
		}), "log_missing", auditor.Options{}},
		"another's private key": {changed(t, path, func(name string, content []byte) []byte {
			if name == auditor.PathKey {
				return []byte(read(t, filepath.Join(elsewhere, datadir.Key)))
			}
			return content
		}), "backup_key_differs", auditor.Options{}},
		"another log":               {path, "log_another_key", auditor.Options{Key: signerOf(t, elsewhere).Key}},
		"older than what was kept":  {path, "log_shorter", auditor.Options{Against: []auditor.Kept{{Name: "kept", Signed: checkpoint(t, later)}}}},
		"a checkpoint that is none": {path, "checkpoint_unreadable", auditor.Options{Against: []auditor.Kept{{Name: "kept", Signed: []byte("hello")}}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := digests(t, dir)
			_, err := restored(t, c.path, RestoreOptions{Options: c.o, Folder: dir, Replace: true, ReplaceTokens: true})
			requireFault(t, err, fault.Code(c.code))
			require.Equal(t, before, digests(t, dir))
			fresh := filepath.Join(t.TempDir(), "fresh")
			_, err = restored(t, c.path, RestoreOptions{Options: c.o, Folder: fresh})
			requireFault(t, err, fault.Code(c.code))
			require.NoDirExists(t, fresh)
		})
	}
	_, err := restored(t, later, RestoreOptions{Folder: dir, Replace: true, Options: auditor.Options{Against: []auditor.Kept{{Name: "kept", Signed: checkpoint(t, path)}}}})
	require.NoError(t, err, "it has gone through what was kept")
	require.NotZero(t, w.Records)
}

func checkpoint(t *testing.T, path string) []byte {
	t.Helper()
	bundle, err := auditor.OpenBundle(path)
	require.NoError(t, err)
	defer bundle.Close()
	signed, err := bundle.Read(t.Context(), "checkpoint")
	require.NoError(t, err)
	return signed
}

// A folder that somebody uses, or that has something, is left alone.
func TestRestoreLeavesWhatIsThere(t *testing.T) {
	dir := data(t, 3)
	path, _ := backedUp(t, dir)
	before := digests(t, dir)
	_, err := restored(t, path, RestoreOptions{Folder: dir})
	requireFault(t, err, "restore_not_empty")

	s, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{})
	require.NoError(t, err)
	_, err = restored(t, path, RestoreOptions{Folder: dir, Replace: true})
	requireFault(t, err, "store_locked")
	require.NoError(t, s.Close())

	lock, err := successor.Open(dir, "upgrade", time.Now())
	require.NoError(t, err)
	_, err = restored(t, path, RestoreOptions{Folder: dir, Replace: true})
	requireFault(t, err, "restore_locked")
	require.NoError(t, lock.Close())
	require.Equal(t, before, digests(t, dir))

	// Nor can anybody begin to use it meanwhile, or put something there.
	_, err = Restore(t.Context(), path, RestoreOptions{Folder: dir, Replace: true, Now: time.Now, reached: func(step string) error {
		if step == "opened" {
			_, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{LockTimeout: time.Millisecond})
			requireFault(t, err, "store_locked")
		}
		return nil
	}})
	require.NoError(t, err)
	fresh := t.TempDir()
	_, err = Restore(t.Context(), path, RestoreOptions{Folder: fresh, Replace: true, Now: time.Now, reached: func(step string) error {
		if step == "staged" {
			put(t, fresh, datadir.Database, "of a service that was started")
		}
		return nil
	}})
	requireFault(t, err, "restore_failed")
	require.Equal(t, "of a service that was started", read(t, filepath.Join(fresh, datadir.Database)))
	require.Len(t, digests(t, fresh), 1)

	file := filepath.Join(t.TempDir(), "file")
	put(t, filepath.Dir(file), "file", "")
	_, err = restored(t, path, RestoreOptions{Folder: file})
	requireFault(t, err, "data_folder")
}

// One with a damaged database is what backups are for. A copy of it is kept.
func TestRestoreOverADamagedDatabase(t *testing.T) {
	dir := data(t, 3)
	path, w := backedUp(t, dir)
	for name, damaged := range map[string]string{"garbage": strings.Repeat("x", 5000), "empty": "", "cut": read(t, filepath.Join(dir, datadir.Database))[:9000]} {
		t.Run(name, func(t *testing.T) {
			put(t, dir, datadir.Database, damaged)
			_, err := restored(t, path, RestoreOptions{Folder: dir})
			requireFault(t, err, "restore_not_empty")
			require.Equal(t, damaged, read(t, filepath.Join(dir, datadir.Database)))
			release, err := boltstore.Claim(filepath.Join(dir, datadir.Database))
			require.NoError(t, err)
			_, err = restored(t, path, RestoreOptions{Folder: dir, Replace: true})
			requireFault(t, err, "store_locked")
			require.NoError(t, release())
			done, err := restored(t, path, RestoreOptions{Folder: dir, Replace: true})
			require.NoError(t, err)
			require.Len(t, done.Kept, 1)
			require.Equal(t, damaged, read(t, done.Kept[0]))
			_, added := tables(t, filepath.Join(dir, datadir.Database), w.Records)
			require.Len(t, added, 1)
		})
	}
}

func TestRestoreSaysWhatIsLost(t *testing.T) {
	aged := newAged(t)
	dir, path, w := aged.was, aged.path, aged.w
	other := data(t, 1)
	_, theirs := backedUp(t, other)
	later, now := backedUp(t, dir)
	known := []choices.Moment{{Where: "same", Size: w.Records, Root: w.Root}, {Where: "other", Size: theirs.Records, Root: theirs.Root}, {Where: "later", Size: now.Records, Root: now.Root}}
	done, err := restored(t, path, RestoreOptions{Folder: dir, Replace: true, known: known})
	require.NoError(t, err)
	var where []string
	for _, m := range done.Lost {
		where = append(where, m.Where)
		require.Equal(t, m.Size > w.Records, m.Later, m.Where)
	}
	require.ElementsMatch(t, []string{"later", "the database that was there", "other"}, where)
	require.False(t, done.StartRefused, "what remembers them does not lie beside the database")
	done, err = restored(t, later, RestoreOptions{Folder: filepath.Join(t.TempDir(), "fresh"), known: known[:1]})
	require.NoError(t, err)
	require.Empty(t, done.Lost)
}

func TestRestoreSaysThatTheNextStartIsRefused(t *testing.T) {
	aged := newAged(t)
	later, _ := backedUp(t, aged.was)
	export := filepath.Join(t.TempDir(), "project_status.json")
	writeExport(t, aged.was, export)
	for path, refused := range map[string]bool{aged.path: true, later: false} {
		to := filepath.Join(t.TempDir(), "fresh")
		done, err := restored(t, path, RestoreOptions{Folder: to, Export: export})
		require.NoError(t, err)
		require.Equal(t, refused, done.StartRefused)
		require.Equal(t, refused, len(done.Lost) > 0 && done.Lost[0].Later)
	}
}

// writeExport writes the export of the database in a folder.
func writeExport(t *testing.T, dir, export string) {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	defer s.Close()
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	state, err := requirements.Export(t.Context(), l)
	require.NoError(t, err)
	from, err := state()
	require.NoError(t, err)
	content, err := io.ReadAll(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(export, content, 0o600))
}

// The key goes with the log, and tokens are not made valid again by accident.
func TestRestoreOfPrivateFiles(t *testing.T) {
	dir := data(t, 1)
	path, _ := backedUp(t, dir)
	key, public := read(t, filepath.Join(dir, datadir.Key)), signerOf(t, dir).Key+"\n"
	elsewhere := read(t, filepath.Join(data(t, 1), datadir.Key))
	folder := func(files map[string]string) string {
		to := t.TempDir()
		for name, content := range files {
			put(t, to, name, content)
		}
		return to
	}

	_, err := restored(t, path, RestoreOptions{Folder: folder(map[string]string{datadir.Key: elsewhere})})
	requireFault(t, err, "restore_another_key")

	to := folder(map[string]string{datadir.Key: elsewhere, datadir.PublicKey: "old", datadir.Tokens: "newer"})
	done, err := restored(t, path, RestoreOptions{Folder: to, Replace: true})
	require.NoError(t, err)
	require.Equal(t, []string{datadir.Key, datadir.PublicKey}, done.Put)
	require.Equal(t, []string{datadir.Tokens}, done.Left)
	require.Len(t, done.Kept, 1)
	require.Equal(t, elsewhere, read(t, done.Kept[0]))
	require.Equal(t, []string{key, public, "newer"}, []string{read(t, filepath.Join(to, datadir.Key)), read(t, filepath.Join(to, datadir.PublicKey)), read(t, filepath.Join(to, datadir.Tokens))})

	to = folder(map[string]string{datadir.Key: key, datadir.Tokens: "newer"})
	done, err = restored(t, path, RestoreOptions{Folder: to, ReplaceTokens: true})
	require.NoError(t, err)
	require.Equal(t, []string{datadir.PublicKey, datadir.Tokens}, done.Put)
	require.Len(t, done.Kept, 1)
	require.Equal(t, "newer", read(t, done.Kept[0]))

	to = folder(nil)
	done, err = restored(t, path, RestoreOptions{Folder: to, WithoutKeys: true})
	require.NoError(t, err)
	require.True(t, done.KeyMissing)
	require.Equal(t, []string{datadir.PublicKey}, done.Put, "which is no secret")
	require.NoFileExists(t, filepath.Join(to, datadir.Key))

	keyless := changed(t, path, func(name string, content []byte) []byte {
		if strings.HasPrefix(name, "private/") || name == auditor.PathAbout {
			return nil
		}
		return content
	})
	done, err = restored(t, keyless, RestoreOptions{Folder: filepath.Join(t.TempDir(), "fresh")})
	require.NoError(t, err)
	require.True(t, done.KeyMissing)
	require.Zero(t, done.TakenAt, "a bundle does not say when it was taken")
}

func TestRestoreEndsWhenItIsTold(t *testing.T) {
	aged := newAged(t)
	dir, path := aged.was, aged.path
	before := digests(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Restore(ctx, path, RestoreOptions{Folder: dir, Replace: true, Now: time.Now, Options: auditor.Options{Progress: func(int, int) { cancel() }}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, before, digests(t, dir))
}

// What is behind a symbolic link is restored where it is.
func TestRestoreThroughALink(t *testing.T) {
	dir := data(t, 3)
	path, w := backedUp(t, dir)
	disk := t.TempDir()
	require.NoError(t, os.Rename(filepath.Join(dir, datadir.Database), filepath.Join(disk, "real.db")))
	require.NoError(t, os.Symlink(filepath.Join(disk, "real.db"), filepath.Join(dir, datadir.Database)))
	_, err := restored(t, path, RestoreOptions{Folder: dir, Replace: true})
	require.NoError(t, err)
	_, added := tables(t, filepath.Join(disk, "real.db"), w.Records)
	require.Len(t, added, 1)
	info, err := os.Lstat(filepath.Join(dir, datadir.Database))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	require.Len(t, digests(t, disk), 2)
}

// Who restores is often root, and the service another.
func TestRestoredFilesBelongToTheOwnerOfTheFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := data(t, 1)
	path, _ := backedUp(t, dir)
	to := t.TempDir()
	require.NoError(t, os.Chown(to, 123, 456))
	_, err := restored(t, path, RestoreOptions{Folder: to})
	require.NoError(t, err)
	for path := range digests(t, to) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 123, info.Sys().(*syscall.Stat_t).Uid, path)
		require.EqualValues(t, 456, info.Sys().(*syscall.Stat_t).Gid, path)
	}
}

// TestRestoreOfOlderFormats: a bundle or a backup of an older format becomes a database of the present one, whose log
// begins as it did.
func TestRestoreOfOlderFormats(t *testing.T) {
	for format := ledger.Oldest; format < ledger.Format; format++ {
		for _, kind := range []string{"bundle", "backup"} {
			dir := filepath.Join(t.TempDir(), "data")
			path := fmt.Sprintf("../../../testdata/logs/format%d.%s.zip", format, kind)
			done, err := restored(t, path, RestoreOptions{Folder: dir})
			require.NoError(t, err)
			require.EqualValues(t, map[int]int{4: 64, 5: 65, 6: 65}[format], done.Records)
			require.Equal(t, kind == "bundle", done.KeyMissing)
			l, end := opened(t, dir)
			first, err := l.Records(t.Context(), 0, 1)
			require.NoError(t, err)
			require.Contains(t, string(first.Records[0]), fmt.Sprintf(`{"format":%d}`, format))
			require.Equal(t, ledger.Format, l.Format())
			end()
			if kind == "backup" {
				change(t, dir, 2)
			}
		}
	}
}

// TestRestoreOverAnOlderDatabase: what the database knew that is replaced is told, although no service could open it.
func TestRestoreOverAnOlderDatabase(t *testing.T) {
	dir := data(t, 1)
	path, _ := backedUp(t, dir)
	packed, err := os.Open("../../../testdata/logs/format4.db.gz")
	require.NoError(t, err)
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	require.NoError(t, err)
	older, err := io.ReadAll(z)
	require.NoError(t, err)
	put(t, dir, datadir.Database, string(older))
	done, err := restored(t, path, RestoreOptions{Folder: dir, Replace: true})
	require.NoError(t, err)
	require.Len(t, done.Lost, 1)
	require.Equal(t, "the database that was there", done.Lost[0].Where)
}

// opened opens the ledger of a folder for reading, and end lets go of it.
func opened(t *testing.T, dir string) (l *ledger.Ledger, end func()) {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	l, err = ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	return l, func() { require.NoError(t, s.Close()) }
}
