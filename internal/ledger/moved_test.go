package ledger

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
)

// rewriteHead changes the stored head of a log past the ledger.
func rewriteHead(t *testing.T, s store.Store, change func(*moved.Head)) (before, after []byte) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		raw, err := tx.Get(tableMeta, keyHead)
		require.NoError(t, err)
		before = append([]byte(nil), raw...)
		head, err := moved.ReadHead(raw)
		require.NoError(t, err)
		change(&head)
		after, err = head.Encode()
		require.NoError(t, err)
		return tx.Put(tableMeta, keyHead, append([]byte(nil), after...))
	}))
	return before, after
}

// Verifies: ORC-377
func TestNobodyWritesToALogThatWasMoved(t *testing.T) {
	s := store.NewMemory()
	l := open(t, s)
	require.NoError(t, set(t.Context(), l, "k", 1))
	before, after := rewriteHead(t, s, func(*moved.Head) {})
	require.Equal(t, string(before), string(after), "both encode a head in the same way")

	rewriteHead(t, s, func(h *moved.Head) { h.Moved = "postgres://db/shop" })
	size := l.Head().Size
	err := set(t.Context(), l, "k", 2)
	require.True(t, fault.Is(err, "ledger_failed"), err)
	require.ErrorContains(t, err, "postgres://db/shop", "a ledger that was open is told where the log is")
	select {
	case <-l.Failed():
	default:
		require.Fail(t, "the ledger goes on")
	}

	_, err = Open(t.Context(), s, time.Now)
	require.True(t, fault.Is(err, moved.Code), err)
	require.ErrorContains(t, err, "postgres://db/shop")

	read, err := OpenReadOnly(t.Context(), s)
	require.NoError(t, err, "it can still be verified, and copied")
	require.Equal(t, size, read.Head().Size)
	require.NoError(t, verify(t, read))
}

func TestALogThatIsBeingCopiedIsNotOpened(t *testing.T) {
	s := store.NewMemory()
	note, err := moved.Note{From: "state.db", Size: 7}.Encode()
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put(moved.Table, moved.Key, note) }))
	_, err = Open(t.Context(), s, time.Now)
	require.True(t, fault.Is(err, moved.CodeUnfinished), err)
	_, err = OpenReadOnly(t.Context(), s)
	require.True(t, fault.Is(err, moved.CodeUnfinished), err)
}
