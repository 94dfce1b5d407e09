package ledger

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// What is remembered of an actor's budget is what the database says, whoever has updated what on which day.
func TestTheRememberedBudgetIsTheStoredOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		now := time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC)
		s := store.NewMemory()
		l, err := Open(t.Context(), s, func() time.Time { return now })
		require.NoError(rt, err)
		l.LimitSpending(uint64(rapid.IntRange(1, 1000).Draw(rt, "limit")))
		actors := []audit.Actor{{Name: "ada", Role: "pm"}, {Name: "ada", Role: "coder"}, {Name: "bob", Role: "pm"}}
		for range rapid.IntRange(1, 12).Draw(rt, "updates") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8).Draw(rt, "hours")) * time.Hour)
			actor, account := rapid.SampledFrom(actors).Draw(rt, "actor"), rapid.SampledFrom(actors).Draw(rt, "account")
			kept, whatever := rapid.Bool().Draw(rt, "charged to another"), rapid.Bool().Draw(rt, "whatever it costs")
			fails := rapid.Bool().Draw(rt, "fails")
			size := rapid.IntRange(0, 300).Draw(rt, "size")
			_ = l.Update(t.Context(), func(tx *Tx) error {
				if kept {
					tx.ChargeTo(account)
				}
				if whatever {
					tx.Finish()
				}
				if err := tx.Append(Event{Kind: "thing.set", Actor: actor, Data: strings.Repeat("x", size)}); err != nil || fails {
					return errors.Join(err, errors.New("it fails"))
				}
				return nil
			})
			requireRemembered(rt, t.Context(), l, actors, now)
		}
		again, err := Open(t.Context(), s, func() time.Time { return now })
		require.NoError(rt, err)
		again.LimitSpending(l.budget)
		requireRemembered(rt, t.Context(), again, actors, now)
	})
}

func requireRemembered(t *rapid.T, ctx context.Context, l *Ledger, actors []audit.Actor, now time.Time) {
	t.Helper()
	for _, actor := range actors {
		b, err := l.BudgetOf(ctx, actor)
		require.NoError(t, err)
		require.NoError(t, l.View(ctx, func(r store.Reader) error {
			stored, err := spentBy(r, actor, now)
			require.Equal(t, stored.Bytes, b.Spent, actor)
			return err
		}))
	}
}

// However many actors there are, few are remembered, and the others are read.
func TestFewBudgetsAreRemembered(t *testing.T) {
	l := open(t, store.NewMemory())
	l.LimitSpending(1)
	for n := range maxCharged + 2 {
		actor := audit.Actor{Name: strconv.Itoa(n), Role: "pm"}
		require.NoError(t, l.Update(t.Context(), func(tx *Tx) error { return tx.Append(Event{Kind: "thing.set", Actor: actor}) }))
	}
	require.Len(t, l.charged.all, 2)
	for _, name := range []string{"0", strconv.Itoa(maxCharged + 1)} {
		require.ErrorIs(t, l.CheckBudget(t.Context(), audit.Actor{Name: name, Role: "pm"}), fault.RateLimited)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := l.BudgetOf(ended, audit.Actor{Name: strconv.Itoa(maxCharged + 1), Role: "pm"})
	require.ErrorIs(t, err, context.Canceled)
}
