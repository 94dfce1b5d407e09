package ledger

import (
	"cmp"
	"context"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/store"
)

// tableSpent has how many bytes each actor has added on a day: actor NUL role. It says nothing of the state, so the log
// does not account for it, no replay makes it, and it has no check sum; a database that was restored begins with none.
const tableSpent = "spent"

// spent is a day's bytes of one actor.
type spent = order.Spent

var spending = Table[spent]{Name: tableSpent}

// Budget is what an actor may add to the database on a day, and has added.
type Budget struct {
	Limit  uint64    // bytes a day; 0 is no limit
	Spent  uint64    // bytes of this day
	Resets time.Time // when the next day begins
}

// LimitSpending bounds how many bytes each actor, which is a name in a role, may add on a day: records, data beside
// them, and what tables grow by. It is set before the first Update. An update of an actor who has spent the budget is
// refused with fault.RateLimited; the one that reaches it is not, so that no work is lost half done. The system has no
// budget; what it does at the will of others is charged with Tx.ChargeTo.
func (l *Ledger) LimitSpending(bytesADay uint64) { l.budget = bytesADay }

// BudgetOf returns the budget of an actor now.
func (l *Ledger) BudgetOf(ctx context.Context, actor audit.Actor) (b Budget, err error) {
	now := l.clock().UTC()
	b = Budget{Limit: l.budget, Resets: nextDay(now)}
	if l.budget == 0 {
		return b, nil
	}
	if s, known := l.charged.of(spender(actor)); known {
		b.Spent = onDay(s, now).Bytes
		return b, cmp.Or(ctx.Err(), l.Err())
	}
	err = l.View(ctx, func(r store.Reader) error {
		s, err := spentBy(r, actor, now)
		b.Spent = s.Bytes
		return err
	})
	return b, err
}

// charges have what actors have spent, by spender, after the last published update that was charged to each. They are
// those of some actors.
type charges struct {
	mu  sync.Mutex
	all map[string]spent
}

// maxCharged bounds the actors in charges.
const maxCharged = 1000

// of returns what a spender has spent, if that is known.
func (c *charges) of(spender string) (s spent, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, known = c.all[spender]
	return s, known
}

// add takes over what an actor has spent with a commit. What other processes have charged is read when it is asked for.
func (c *charges) add(commit Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, spender := range commit.Spenders {
		delete(c.all, spender)
	}
	if commit.Whole || len(c.all) >= maxCharged {
		clear(c.all)
	}
	if commit.Spender == "" {
		return
	}
	if c.all == nil {
		c.all = map[string]spent{}
	}
	c.all[commit.Spender] = commit.Spent
}

// CheckBudget refuses an actor who has spent the budget, before work is begun that has to be recorded when it is done.
func (l *Ledger) CheckBudget(ctx context.Context, actor audit.Actor) error {
	b, err := l.BudgetOf(ctx, actor)
	if err == nil && b.Limit > 0 && b.Spent >= b.Limit {
		err = b.refusal(l.clock())
	}
	return err
}

func (b Budget) refusal(now time.Time) *fault.Error {
	return fault.New(fault.RateLimited, "log_budget_spent", "this actor has added %d bytes to the log today, of %d",
		b.Spent, b.Limit).
		WithFix("wait until %s, as Retry-After says; nothing of this request was applied or recorded. An operator "+
			"can raise --log-budget", b.Resets.Format(time.RFC3339)).
		After(b.Resets.Sub(now))
}

// ChargeTo charges this update to an account that is not the actor of its records. The records do not say so.
func (tx *Tx) ChargeTo(account audit.Actor) { tx.account = account }

// charge counts an update for the account it names, or else the actor of its first record, or refuses it. It returns
// what that one has spent with it; nobody is charged if by is "".
func (tx *Tx) charge() (by string, s spent, err error) {
	actor := cmp.Or(tx.account, tx.records[0].Actor)
	if tx.budget == 0 || actor == System() {
		return "", s, nil
	}
	if s, err = spentBy(tx.store, actor, tx.now); err != nil {
		return "", s, err
	}
	if s.Bytes >= tx.budget && !tx.unbounded {
		return "", s, Budget{tx.budget, s.Bytes, nextDay(tx.now)}.refusal(tx.now)
	}
	s.Bytes += uint64(tx.grown)
	raw, err := Encode(s)
	if err != nil {
		return "", s, err
	}
	by = spender(actor)
	return by, s, tx.store.Put(tableSpent, by, raw)
}

// Finish commits this update whatever its actor has spent: it records what has been done already.
func (tx *Tx) Finish() { tx.unbounded = true }

// spentBy returns what an actor has spent on the day of a moment.
func spentBy(from store.Getter, actor audit.Actor, now time.Time) (spent, error) {
	s, _, err := spending.Get(from, spender(actor))
	return onDay(s, now), err
}

// onDay returns what of it was spent on the day of a moment.
func onDay(s spent, now time.Time) spent {
	if today := now.UTC().Format(time.DateOnly); s.Day != today {
		return spent{Day: today}
	}
	return s
}

func spender(actor audit.Actor) string { return actor.Name + "\x00" + actor.Role }

func nextDay(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) }
