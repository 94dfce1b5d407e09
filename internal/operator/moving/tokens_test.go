package moving

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/token"
)

// Tokens move with the log: those of the data folder into the table of a shared store, and back. What was revoked there
// does not come back with an older file, which is kept under another name.
//
// Verifies: ORC-375
func TestTokensMoveWithTheLog(t *testing.T) {
	data := lived(t, 1)
	files := token.NewFile(data)
	now := time.Now()
	_, ada, err := files.Add("ada", "coder", time.Time{}, now)
	require.NoError(t, err)
	_, _, err = files.Add("paula", "pm", time.Time{}, now)
	require.NoError(t, err)
	before, err := os.ReadFile(files.Path())
	require.NoError(t, err)
	one, shared := inMemory("memory://one")
	_, err = Move(t.Context(), InFolder(data), one, plain)
	require.NoError(t, err)
	err = storage.InFolder(data).CheckHere(t.Context())
	require.True(t, fault.Is(err, "store_elsewhere"), "what is revoked in the file stays valid there: %v", err)
	require.ErrorContains(t, err, "memory://one")
	kept, err := read(t.Context(), shared, credentials.Table, credentials.Key)
	require.NoError(t, err)
	want, err := token.SharedOf("", before)
	require.NoError(t, err)
	require.Equal(t, string(want), string(kept))

	two, other := inMemory("memory://two")
	_, err = Move(t.Context(), one, two, plain)
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), other, time.Now)
	require.NoError(t, err)
	left, err := token.NewFile(data).Revoke(ada.ID)
	require.NoError(t, err)
	require.Equal(t, "ada", left.Name)
	after, err := os.ReadFile(files.Path())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files.Path(), before, 0o600))
	revoked, err := token.SharedOf("", after)
	require.NoError(t, err)
	require.NoError(t, credentials.Change(t.Context(), l, func([]byte) ([]byte, []record.Credential, error) {
		return revoked, []record.Credential{{ID: "paula", Name: "paula", Role: "pm"}}, nil
	}))

	done, err := Move(t.Context(), two, InFolder(data), plain)
	require.NoError(t, err)
	require.NoError(t, storage.InFolder(data).CheckHere(t.Context()))
	require.Len(t, done.Kept, 2, "the old file of tokens, and the old database")
	restored, err := os.ReadFile(files.Path())
	require.NoError(t, err)
	require.Equal(t, string(after), string(restored))
	old, err := os.ReadFile(done.Kept[0])
	require.NoError(t, err)
	require.Equal(t, string(before), string(old))
}
