package storage_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/storage"
)

// Verifies: ORC-361
func TestAPasswordDoesNotStandWhereOthersReadIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store")
	require.NoError(t, os.WriteFile(file, []byte("postgres://u:secret@db/shop\n"), 0o600))
	for _, test := range []struct {
		given storage.Given
		code  fault.Code
	}{
		{storage.Given{}, ""},
		{storage.Given{URL: "postgres://u@db/shop", Typed: true}, ""},
		{storage.Given{URL: "postgres://u:secret@db/shop"}, ""}, // of the environment
		{storage.Given{URL: "postgres://a:5432,b:5433/shop?target_session_attrs=read-write", Typed: true}, ""},
		{storage.Given{File: file}, ""},
		{storage.Given{URL: "postgres://u:secret@db/shop", Typed: true}, storage.CodePassword},
		{storage.Given{URL: "postgres://u:secret@db/shop", Saved: true}, storage.CodePassword},
		{storage.Given{URL: "postgres://u:@db/shop", Typed: true}, storage.CodePassword},
		{storage.Given{URL: "postgres://db/shop?password=secret", Typed: true}, storage.CodePassword},
		{storage.Given{URL: "postgres://db/shop?sslpassword=secret", Typed: true}, storage.CodePassword},
		{storage.Given{URL: "postgres://u:secret%zz@db/shop", Typed: true}, storage.CodePassword},
		{storage.Given{URL: "mysql://db/shop"}, storage.CodePlace},
		{storage.Given{URL: "host=db dbname=shop"}, storage.CodePlace},
		{storage.Given{URL: "state.db", Typed: true}, storage.CodePlace},
		{storage.Given{File: file + ".none"}, storage.CodePlace},
		{storage.Given{URL: "postgres://db/shop", File: file}, fault.CodeUsage},
	} {
		place, err := storage.Find(t.Context(), "data", test.given)
		if test.code != "" {
			require.True(t, fault.Is(err, test.code), "%+v: %v", test.given, err)
			require.NotContains(t, err.Error()+fault.As(err).Fix, "secret")
			continue
		}
		require.NoError(t, err, "%+v", test.given)
		require.Equal(t, test.given != storage.Given{}, place.IsShared())
		require.NotContains(t, place.String(), "secret")
		require.NotContains(t, place.String(), "u@")
	}
}

func TestAPlaceIsShownWithItsSchemaAndWithoutSecrets(t *testing.T) {
	for url, shown := range map[string]string{
		"postgres://u:secret@db:5433/shop?password=x&sslmode=require": "postgres://db:5433/shop?search_path=orchestrator",
		"postgresql://a:1,b:2/shop?search_path=one":                   "postgres://a:1,b:2/shop?search_path=one",
		"": "",
	} {
		require.Equal(t, shown, storage.Shown(url))
	}
	require.Equal(t, filepath.Join("d", "state.db"), storage.InFolder("d").String())
}

func TestAFileIsOpenedAndCounted(t *testing.T) {
	place := storage.Place{}.In(datadir.Dir(t.TempDir()))
	require.False(t, place.IsShared())
	require.False(t, place.Exists())
	s, err := place.Open(t.Context(), storage.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.True(t, place.Exists())
	require.Nil(t, storage.Shared(s))
	empty, err := storage.IsEmpty(t.Context(), s)
	require.NoError(t, err)
	require.True(t, empty)
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("t", "k", []byte("v")) }))
	require.EqualValues(t, 1, s.Stats().Updates)
	require.Positive(t, s.Stats().Size)
}

// Verifies: ORC-362
func TestADataFolderRemembersItsLog(t *testing.T) {
	place := storage.InFolder(datadir.Dir(t.TempDir()))
	_, known, err := place.Remembered(t.Context())
	require.NoError(t, err)
	require.False(t, known)
	require.NoError(t, place.Remember(7, audit.Hash{1}))
	m, known, err := place.Remembered(t.Context())
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, storage.Memory{Store: place.String(), Size: 7, Root: audit.Hash{1}, Where: place.MemoryPath()}, m)
	for _, broken := range []string{"", "{", `{"size":7,"other":1}`} {
		require.NoError(t, os.WriteFile(place.MemoryPath(), []byte(broken), 0o600))
		_, _, err = place.Remembered(t.Context())
		require.True(t, fault.Is(err, "store_memory"), "%q: %v", broken, err)
	}
}

// moveAway marks the log in the file of a data folder as one that was moved.
func moveAway(t *testing.T, data datadir.Dir, to string) {
	t.Helper()
	s, err := storage.InFolder(data).Open(t.Context(), storage.Options{})
	require.NoError(t, err)
	head, err := moved.Head{Head: audit.Head{Size: 7, Root: audit.Hash{1}}, Moved: to}.Encode()
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("meta", "head", head) }))
	require.NoError(t, s.Close())
}

// TestAMovedLogLeavesItsPlace: the file that migrate leaves behind is no second log, and remembers how far it came.
//
// Verifies: ORC-362
func TestAMovedLogLeavesItsPlace(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	shared := notOpened(data)
	require.NoError(t, shared.CheckOne(t.Context()))
	_, known, err := shared.Remembered(t.Context())
	require.NoError(t, err)
	require.False(t, known)

	moveAway(t, data, "")
	err = shared.CheckOne(t.Context())
	require.True(t, fault.Is(err, "store_twice"), "%v", err)
	_, known, err = shared.Remembered(t.Context())
	require.NoError(t, err)
	require.False(t, known)

	moveAway(t, data, "memory")
	require.NoError(t, shared.CheckOne(t.Context()))
	m, known, err := shared.Remembered(t.Context())
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, storage.Memory{Store: "memory", Size: 7, Root: audit.Hash{1}, Where: data.Database()}, m)
	require.True(t, fault.Is(shared.CheckForgotten(t.Context()), "database_missing"))
}

// TestWhatBelongsToALogElsewhereIsNotHere: a folder that serves a database has no tokens of its own.
//
// Verifies: ORC-362
func TestWhatBelongsToALogElsewhereIsNotHere(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	file, shared := storage.InFolder(data), notOpened(data)
	require.NoError(t, file.CheckHere(t.Context()))
	require.NoError(t, shared.Remember(7, audit.Hash{1}))
	err := file.CheckHere(t.Context())
	require.True(t, fault.Is(err, "store_elsewhere"), "%v", err)
	require.Contains(t, fault.As(err).Fix, "--store memory")
	require.NoError(t, shared.CheckHere(t.Context()))

	moveAway(t, data, "") // as after migrate back, or restore
	require.NoError(t, file.CheckHere(t.Context()))
	s, err := file.Open(t.Context(), storage.Options{})
	require.NoError(t, err)
	require.NoError(t, file.CheckHere(t.Context())) // a service has it open
	require.NoError(t, s.Close())
	moveAway(t, data, "memory")
	require.True(t, fault.Is(file.CheckHere(t.Context()), "store_elsewhere"))
}

func notOpened(data datadir.Dir) storage.Place {
	return storage.Opening(data, "memory", func(context.Context) (store.Shared, error) { panic("it is not opened") })
}
