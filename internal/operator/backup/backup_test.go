package backup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func requireFault(t *testing.T, err error, code fault.Code) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, f.Code, err)
	require.NotEmpty(t, f.Fix)
}

func TestABackupIsABundleThatAnybodyCanVerify(t *testing.T) {
	dir := data(t, 300)
	path, w := backedUp(t, dir)
	require.Equal(t, []string{datadir.Key, datadir.PublicKey, datadir.Tokens}, w.Private)
	require.Empty(t, w.Without)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.Equal(t, info.Size(), w.Bytes)

	// What the log does not have is no part of what is verified: another private file changes nothing.
	other := changed(t, path, func(name string, content []byte) []byte {
		if strings.HasPrefix(name, "private/") || name == auditor.PathAbout {
			return []byte("something else")
		}
		return content
	})
	for _, path := range []string{path, other} {
		bundle, err := auditor.OpenBundle(path)
		require.NoError(t, err)
		report, err := auditor.Verify(t.Context(), bundle, auditor.Options{Key: signerOf(t, dir).Key})
		require.NoError(t, err)
		require.NoError(t, bundle.Close())
		require.Equal(t, w.Records, report.Records)
		require.Equal(t, w.Root, report.Root)
		require.Equal(t, "matches", report.State)
	}
}

func TestABackupWithoutKeys(t *testing.T) {
	dir, another := data(t, 1), data(t, 1)
	src, end := source(t, dir)
	defer end()
	path := filepath.Join(t.TempDir(), "log.zip")
	for folder, without := range map[string]string{
		"":          "it was told to leave the keys out",
		another:     filepath.Join(another, datadir.Key) + " is not the key of this log",
		t.TempDir(): "there is no ",
	} {
		w, err := Write(t.Context(), path, src, WriteOptions{Folder: folder, TakenAt: taken, Decide: true})
		require.NoError(t, err)
		require.Empty(t, w.Private)
		require.Contains(t, w.Without, without)
		bundle, err := auditor.OpenBundle(path)
		require.NoError(t, err)
		for _, name := range []string{datadir.Key, datadir.PublicKey, datadir.Tokens} {
			_, err = bundle.Read(t.Context(), inBackup[name])
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		require.NoError(t, bundle.Close())
	}
}

// spoiled is a source that gives something else for the paths that begin with path.
type spoiled struct {
	auditor.Source

	path  string
	spoil func([]byte) ([]byte, error)
}

func (s spoiled) Read(ctx context.Context, path string) ([]byte, error) {
	content, err := s.Source.Read(ctx, path)
	if err == nil && strings.HasPrefix(path, s.path) {
		return s.spoil(content)
	}
	return content, err
}

// Whatever goes wrong, the backup of before is there, whole, and nothing else.
func TestABackupTakesThePlaceOfAnotherOnlyWhole(t *testing.T) {
	dir := data(t, 10)
	src, end := source(t, dir)
	defer end()
	boom := errors.New("boom")
	fails := func([]byte) ([]byte, error) { return nil, boom }
	flips := func(old, now string) func([]byte) ([]byte, error) {
		return func(content []byte) ([]byte, error) {
			require.Contains(t, string(content), old)
			return bytes.Replace(content, []byte(old), []byte(now), 1), nil
		}
	}
	for name, c := range map[string]struct {
		src  auditor.Source
		code string
	}{
		"the source ends":     {spoiled{src, "tile/0/", fails}, "backup_not_written"},
		"the key is missing":  {spoiled{src, "key", fails}, ""},
		"a record is another": {spoiled{src, "tile/entries/", flips("note 3", "note 4")}, "log_record_changed"},
		"data is another":     {spoiled{src, "blobs/", flips("ddd", "dxd")}, "log_blob"},
		"a leaf is another": {spoiled{src, "tile/0/", func(content []byte) ([]byte, error) {
			content = bytes.Clone(content)
			content[0] ^= 1
			return content, nil
		}}, "log_record_changed"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			put(t, folder, "log.zip", "the backup of yesterday")
			before := digests(t, folder)
			_, err := Write(t.Context(), filepath.Join(folder, "log.zip"), c.src, WriteOptions{Folder: dir, TakenAt: taken})
			require.Error(t, err)
			if c.code != "" {
				requireFault(t, err, fault.Code(c.code))
			}
			require.Equal(t, before, digests(t, folder))
		})
	}
	folder := t.TempDir()
	put(t, folder, "log.zip", "the backup of yesterday")
	w, err := Write(t.Context(), filepath.Join(folder, "log.zip"), src, WriteOptions{Folder: dir, TakenAt: taken})
	require.NoError(t, err)
	require.Len(t, digests(t, folder), 1)
	bundle, err := auditor.OpenBundle(filepath.Join(folder, "log.zip"))
	require.NoError(t, err)
	digest, size, err := bundle.SHA256()
	require.NoError(t, err)
	require.NoError(t, bundle.Close())
	require.Equal(t, w.SHA256, digest)
	require.Equal(t, w.Bytes, size)
}

func TestABackupIntoAFolderThatIsNotThere(t *testing.T) {
	dir := data(t, 1)
	src, end := source(t, dir)
	defer end()
	_, err := Write(t.Context(), filepath.Join(t.TempDir(), "none", "log.zip"), src, WriteOptions{Folder: dir, TakenAt: taken})
	requireFault(t, err, "backup_not_written")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Written bytes that the disk changed are found before they take another's place.
func TestABackupIsReadBack(t *testing.T) {
	dir := data(t, 1)
	path, w := backedUp(t, dir)
	besides := []auditor.File{{Path: auditor.PathKey, Content: []byte(read(t, filepath.Join(dir, datadir.Key)))}}
	require.NoError(t, w.readBack(t.Context(), path, besides, false))
	other := changed(t, path, func(name string, content []byte) []byte {
		if name == auditor.PathKey {
			content[3] ^= 1
		}
		return content
	})
	requireFault(t, w.readBack(t.Context(), other, besides, false), "backup_differs")
	cut := changed(t, path, func(name string, content []byte) []byte {
		if name == "project_status.json" {
			return content[:len(content)-20]
		}
		return content
	})
	for _, decide := range []bool{false, true} {
		require.ErrorContains(t, w.readBack(t.Context(), cut, besides, decide), "it is not whole")
	}
	w.Records++
	requireFault(t, w.readBack(t.Context(), path, besides, false), "backup_differs")
}
