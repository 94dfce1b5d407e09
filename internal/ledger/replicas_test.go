package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

// Verifies: ORC-352
func TestAnOlderReplicaReadsAndWritesNothing(t *testing.T) {
	kinds := []string{"thing.set"}
	for name, newer := range map[string]struct {
		rules int
		event Event
	}{
		"newer rules": {5, Event{Kind: "thing.set", Actor: ada}},
		"a new kind":  {4, Event{Kind: "thing.new", Actor: ada}},
	} {
		t.Run(name, func(t *testing.T) {
			hub := storetest.NewHub()
			old := join(t, hub)
			old.Understand(4, kinds)
			require.NoError(t, set(t.Context(), old.Ledger, "a", 1))
			other := open(t, hub.Open())
			other.Understand(newer.rules, append(kinds, "thing.new"))
			require.NoError(t, other.Update(t.Context(), func(tx *Tx) error { return tx.Append(newer.event) }))

			for range 2 {
				err := set(t.Context(), old.Ledger, "a", 2)
				require.Equal(t, following.CodeOlder, fault.As(err).Code)
				require.ErrorIs(t, err, fault.Unavailable)
			}
			require.NoError(t, set(t.Context(), other, "b", 3))
			old.same(t)
			require.Equal(t, `{"n":3}`, old.seen("b"), "it reads on")
			require.Equal(t, `{"n":1}`, old.seen("a"))
			require.NoError(t, other.Close())

			again := open(t, hub.Open())
			again.Understand(4, kinds)
			require.Equal(
				t,
				following.CodeOlder,
				fault.As(set(t.Context(), again, "a", 4)).Code,
				"also after a restart",
			)
			require.NoError(t, again.Close())
		})
	}
}

// Verifies: ORC-352
func TestALogThatWasBuiltSaysWhatItNeeds(t *testing.T) {
	hub := storetest.NewHub()
	from := open(t, store.NewMemory())
	require.NoError(t, set(t.Context(), from, "a", 1))
	page, err := from.Records(t.Context(), 0, 10)
	require.NoError(t, err)
	b, err := NewBuilder(t.Context(), hub.Open(), nil)
	require.NoError(t, err)
	for _, raw := range page.Records {
		require.NoError(t, b.Append(t.Context(), raw))
	}
	require.NoError(
		t,
		b.Fill(t.Context(), things.Name, func(yield func(string, []byte) bool) { yield("a", []byte(`{"n":1}`)) }),
	)
	head, err := b.Finish(t.Context())
	require.NoError(t, err)
	require.Equal(t, from.Head(), head)

	old := join(t, hub)
	old.Understand(1, []string{"thing.other"})
	require.Equal(t, following.CodeOlder, fault.As(set(t.Context(), old.Ledger, "a", 2)).Code)
	new := join(t, hub)
	require.NoError(t, set(t.Context(), new.Ledger, "a", 3))
	old.same(t)
	new.same(t)
}

// swapped is a handle in whose place another store can come, as when a standby is promoted.
type swapped struct {
	store.Shared
	now atomic.Pointer[storetest.Handle]
}

func newSwapped(h *storetest.Handle) *swapped {
	s := &swapped{Shared: h}
	s.now.Store(h)
	return s
}

func (s *swapped) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.now.Load().View(ctx, fn)
}

func (s *swapped) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.now.Load().Update(ctx, fn)
}

func (s *swapped) Newest(ctx context.Context, table, key string) ([]byte, error) {
	return s.now.Load().Newest(ctx, table, key)
}

// Verifies: ORC-350
func TestALogThatLostCommitsEndsTheLedger(t *testing.T) {
	for name, others := range map[string][]int{
		"shorter": {1}, "as long": {1, 3}, "longer": {1, 3, 4}, "beyond the ring": nil,
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			clock := func() time.Time { return now }
			first := newSwapped(storetest.NewHub().Open())
			l, err := Open(t.Context(), first, clock)
			require.NoError(t, err)
			require.NoError(t, set(t.Context(), l, "a", 1))
			require.NoError(t, set(t.Context(), l, "a", 2))

			hub := storetest.NewHub()
			other, err := Open(t.Context(), hub.Open(), clock)
			require.NoError(t, err)
			for _, n := range others {
				require.NoError(t, set(t.Context(), other, "a", n))
			}
			if others == nil {
				for n := range ringSize + 10 {
					require.NoError(t, set(t.Context(), other, "a", -n))
				}
			}
			first.now.Store(hub.Open())
			select {
			case <-l.Failed():
			case <-time.After(5 * time.Second):
				require.Fail(t, "it goes on")
			}
			why, is := l.Err().(interface{ Unwrap() []error })
			require.True(t, is)
			require.True(t, fault.Is(errors.Join(why.Unwrap()[1:]...), store.CodeRolledBack), "%v", why.Unwrap())
			require.ErrorIs(t, l.CatchUp(t.Context()), fault.Unavailable)
			require.Error(t, set(t.Context(), l, "a", 5))
			require.NoError(t, l.Close())
			require.NoError(t, other.Close())
		})
	}
}

// mute is a store that does not say what is newest: what others have committed is found out by reading it.
type mute struct{ *swapped }

func (mute) Newest(context.Context, string, string) ([]byte, error) {
	return nil, errors.New("there is no answer")
}

// A replica that reads a log which has lost commits neither goes on nor takes it for confirmed.
//
// Verifies: ORC-350
func TestAReadFindsThatCommitsWereLost(t *testing.T) {
	for name, others := range map[string][]int{"shorter": {1}, "as long": {1, 3}} {
		t.Run(name, func(t *testing.T) {
			first := newSwapped(storetest.NewHub().Open())
			l := open(t, mute{first})
			require.NoError(t, set(t.Context(), l, "a", 1))
			require.NoError(t, set(t.Context(), l, "a", 2))
			hub := storetest.NewHub()
			other := open(t, hub.Open())
			for _, n := range others {
				require.NoError(t, set(t.Context(), other, "a", n))
			}
			first.now.Store(hub.Open())
			lost := time.Now()
			require.Eventually(t, func() bool {
				l.order.Want()
				return l.Err() != nil
			}, 5*time.Second, time.Millisecond)
			require.Less(t, l.Confirmed(), lost)
			why, is := l.Err().(interface{ Unwrap() []error })
			require.True(t, is)
			require.True(t, fault.Is(errors.Join(why.Unwrap()[1:]...), store.CodeRolledBack), "%v", why.Unwrap())
			require.NoError(t, l.Close())
			require.NoError(t, other.Close())
		})
	}
}

// torn is a store whose Views fail at their end, as long as it is said so.
type torn struct {
	*storetest.Handle
	tears  atomic.Bool
	failed atomic.Int64
}

func (s *torn) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.Handle.View(ctx, func(r store.Reader) error {
		err := fn(r)
		if s.tears.Load() {
			s.failed.Add(1)
			err = errors.Join(err, errors.New("the connection broke"))
		}
		return err
	})
}

// What was read in a View that failed is not told, and the next one begins anew.
//
// Verifies: ORC-350
func TestAReadThatFailsIsRepeated(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub)
	s := &torn{Handle: hub.Open()}
	b := &replica{Ledger: open(t, s), store: s.Handle}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	require.NoError(t, b.follow(t.Context()))
	for n := range 3 {
		seen := b.seen("a")
		s.tears.Store(true)
		require.NoError(t, set(t.Context(), a.Ledger, "a", n))
		failed := s.failed.Load()
		require.Eventually(t, func() bool { return s.failed.Load() > failed+1 }, 5*time.Second, time.Millisecond)
		require.Equal(t, seen, b.seen("a"))
		s.tears.Store(false)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		require.NoError(t, b.CatchUp(ctx))
		cancel()
		b.same(t)
	}
}

func TestAFollowerThatPanicsOverAnotherEndsTheLedger(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	b.mu.Lock()
	b.broken = true
	b.mu.Unlock()
	require.NoError(t, set(t.Context(), a.Ledger, "a", 1))
	select {
	case <-b.Failed():
	case <-time.After(5 * time.Second):
		require.Fail(t, "it goes on")
	}
	require.ErrorIs(t, b.CatchUp(t.Context()), fault.Unavailable)
	require.ErrorIs(t, set(t.Context(), b.Ledger, "b", 1), fault.Unavailable)
}

func TestAnUnknownCommitEndsOneReplicaAlone(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub)
	for _, apply := range []bool{false, true} {
		f := &faulty{Handle: hub.Open()}
		f.Faulty = storetest.NewFaulty(f.Handle)
		l := open(t, f)
		f.Next(storetest.Fault{Apply: apply, Err: errors.New("the connection was lost")})
		require.ErrorIs(t, set(t.Context(), l, fmt.Sprint(apply), 1), fault.Unavailable)
		<-l.Failed()
		require.NoError(t, l.Close())
		a.same(t)
		require.Equal(t, apply, a.seen(fmt.Sprint(apply)) != "")
	}
}

// faulty is a handle whose updates fail on order.
type faulty struct {
	*storetest.Handle
	*storetest.Faulty
}

func (f *faulty) Update(ctx context.Context, fn func(store.Tx) error) error {
	return f.Faulty.Update(ctx, fn)
}

func (f *faulty) View(ctx context.Context, fn func(store.Reader) error) error {
	return f.Handle.View(ctx, fn)
}

func (f *faulty) Close() error { return f.Handle.Close() }

// Verifies: ORC-350
func TestWhoWaitsForAStoreThatCannotBeReadIsTold(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	resume := b.store.Hold()
	require.NoError(t, set(t.Context(), a.Ledger, "a", 1))
	outcome := make(chan error, 1)
	go func() { outcome <- set(context.WithoutCancel(t.Context()), b.Ledger, "b", 2) }()
	require.Never(t, func() bool { return len(outcome) > 0 }, 50*time.Millisecond, 5*time.Millisecond,
		"what came before it is not published")
	b.store.Cut(errors.New("cut off"))
	resume()
	err := <-outcome
	require.Equal(t, following.CodeUnreachable, fault.As(err).Code)
	require.ErrorIs(t, err, fault.Unavailable)
	require.ErrorIs(t, b.CatchUp(t.Context()), fault.Unavailable)
	require.NoError(t, b.Err(), "it is not the end")
	b.store.Cut(nil)
	require.Eventually(t, func() bool { return b.CatchUp(t.Context()) == nil }, 5*time.Second, time.Millisecond)
	require.Equal(t, `{"n":2}`, b.seen("b"), "it had been committed")
	b.same(t)
	require.NoError(t, set(t.Context(), b.Ledger, "b", 3))
}

func TestARefusalWaitsForWhatItSaw(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	b.store.Deafen()
	errStale := errors.New("it moved on")
	for i := range 50 {
		require.NoError(t, set(t.Context(), a.Ledger, "a", i))
		err := b.Update(t.Context(), func(*Tx) error { return errStale })
		require.Equal(t, errStale, err)
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), b.seen("a"), "who tries again sees why")
	}
}

// Verifies: ORC-350
func TestABudgetIsOneOverAllReplicas(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	day := func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, r := range []*replica{a, b} {
		r.clock = day
		r.LimitSpending(3000)
	}
	spent := func(r *replica) uint64 {
		require.NoError(t, r.CatchUp(t.Context()))
		budget, err := r.BudgetOf(t.Context(), ada)
		require.NoError(t, err)
		return budget.Spent
	}
	refused := 0
	for i := range 40 {
		by := []*replica{a, b}[i%2]
		before := spent(by)
		require.Equal(t, spent(a), spent(b))
		err := set(t.Context(), by.Ledger, fmt.Sprint(i), i)
		if err != nil {
			require.ErrorIs(t, err, fault.RateLimited)
			require.GreaterOrEqual(t, before, uint64(3000))
			refused++
		}
	}
	require.NotZero(t, refused)
	require.Less(t, refused, 38)
}

func TestAFencedUpdateWritesNothing(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	first, err := a.store.Acquire(t.Context(), "duty", "a", time.Millisecond)
	require.NoError(t, err)
	time.Sleep(2 * time.Millisecond)
	second, err := b.store.Acquire(t.Context(), "duty", "b", time.Minute)
	require.NoError(t, err)
	require.ErrorIs(t, set(store.Under(t.Context(), first), a.Ledger, "a", 1), store.ErrFenced)
	require.NoError(t, set(store.Under(t.Context(), second), b.Ledger, "b", 1))
	a.same(t)
	require.Empty(t, a.seen("a"))
	require.NotEmpty(t, a.seen("b"))
}

func TestTheEndOfAReplica(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub)
	b := open(t, hub.Open())
	require.NoError(t, b.Close(), "before it has followed anything")
	require.Error(t, set(t.Context(), b, "b", 1))

	c := open(t, hub.Open())
	require.NoError(t, set(t.Context(), c, "c", 1))
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	require.Error(t, c.CatchUp(t.Context()))
	a.same(t)
}
