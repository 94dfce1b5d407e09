package tokens

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
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/token"
)

// Verifies: ORC-370
func TestCommandsWorkOnASharedStore(t *testing.T) {
	hub := storetest.NewHub()
	data := datadir.Dir(t.TempDir())
	in := storage.Opening(data, "memory", func(context.Context) (store.Shared, error) { return hub.Open(), nil })
	at := func(do func(Place) error) error { return At(t.Context(), data, in, do) }
	list := func(at Place) error { _, err := at.List(t.Context()); return err }
	err := at(list)
	require.True(t, fault.Is(err, "tokens_missing"), "%v", err)
	require.ErrorContains(t, err, "memory has no log yet")

	l, err := ledger.Open(t.Context(), hub.Open(), time.Now)
	require.NoError(t, err)
	require.True(t, fault.Is(at(list), "tokens_missing"))
	created, _, err := InLedger(l).Begin(t.Context(), token.NewFile(data), []string{"pm"}, time.Now())
	require.NoError(t, err)
	require.Len(t, created, 1)

	out := filepath.Join(t.TempDir(), "ada.token")
	var made token.Token
	require.NoError(t, at(func(at Place) (err error) {
		_, made, err = Add(t.Context(), at, Order{Role: "coder", Name: "ada", Out: out}, time.Now())
		return err
	}))
	require.FileExists(t, out)
	require.NoFileExists(t, data.Tokens())
	all, err := InLedger(l).List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, made, all[1])
	require.NoError(t, at(func(at Place) error {
		revoked, err := Revoke(t.Context(), at, "", "ada")
		require.Equal(t, []token.Token{made}, revoked)
		return err
	}))
	all, err = InLedger(l).List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NoError(t, l.Close())

	require.NoError(t, in.Remember(2, audit.Hash{}))
	err = At(t.Context(), data, storage.InFolder(data), list)
	require.True(t, fault.Is(err, "store_elsewhere"), "%v", err)
}

// TestATokenWithoutItsFileIsRevoked: where the file of the order cannot be written, nobody has the token.
func TestATokenWithoutItsFileIsRevoked(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	require.NoError(t, At(t.Context(), data, storage.InFolder(data), func(at Place) error {
		_, _, err := Add(t.Context(), at, Order{Role: "coder", Name: "ada", Out: filepath.Join(string(data), "no", "file")},
			time.Now())
		require.True(t, fault.Is(err, "token_out"), "%v", err)
		return nil
	}))
	_, err := os.Stat(data.Tokens())
	require.ErrorIs(t, err, os.ErrNotExist)
}
