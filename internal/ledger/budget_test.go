package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Whose budget an update is charged to is not part of the record: the system acts, and another account is charged.
func TestAnUpdateIsChargedToTheAccountItNames(t *testing.T) {
	l := open(t, store.NewMemory())
	l.LimitSpending(1)
	account := audit.Actor{Name: "account", Role: "system"}
	act := func(charged bool) error {
		return l.Update(t.Context(), func(tx *Tx) error {
			if charged {
				tx.ChargeTo(account)
			}
			return tx.Append(Event{Kind: "thing.set", Actor: System(), Subject: "a"})
		})
	}
	require.NoError(t, act(true))
	require.ErrorIs(t, act(true), fault.RateLimited)
	require.NoError(t, act(false), "the system itself has no budget")
	b, err := l.BudgetOf(t.Context(), account)
	require.NoError(t, err)
	require.Greater(t, b.Spent, uint64(1))
	require.NoError(t, set(t.Context(), l, "b", 1), "others have their own")
	page, err := l.History(t.Context(), "a", 0, 10)
	require.NoError(t, err)
	require.Len(t, page.Records, 2)
	for _, r := range page.Records {
		require.Contains(t, string(r), System().Name)
		require.NotContains(t, string(r), account.Name)
	}
}
