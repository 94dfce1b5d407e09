package storage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
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
	require.Equal(t, storage.Memory{Store: place.String(), Size: 7, Root: audit.Hash{1}}, m)
	for _, broken := range []string{"", "{", `{"size":7,"other":1}`} {
		require.NoError(t, os.WriteFile(place.MemoryPath(), []byte(broken), 0o600))
		_, _, err = place.Remembered(t.Context())
		require.True(t, fault.Is(err, "store_memory"), "%q: %v", broken, err)
	}
}
