package ledger

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

// slow is a store whose answers can be kept back once the store has given them.
type slow struct {
	*storetest.Handle
	newest, views atomic.Pointer[chan struct{}] // closed to let answers through; nil keeps none back
	kept          atomic.Int64
}

func (s *slow) wait(at *atomic.Pointer[chan struct{}]) {
	if gate := at.Load(); gate != nil {
		s.kept.Add(1)
		<-*gate
	}
}

func (s *slow) Newest(ctx context.Context, table, key string) ([]byte, error) {
	defer s.wait(&s.newest)
	return s.Handle.Newest(ctx, table, key)
}

func (s *slow) View(ctx context.Context, fn func(store.Reader) error) error {
	defer s.wait(&s.views)
	return s.Handle.View(ctx, fn)
}

// keep keeps back what is asked from now on, until through is called.
func (s *slow) keep(at *atomic.Pointer[chan struct{}]) (through func()) {
	gate := make(chan struct{})
	at.Store(&gate)
	return func() {
		at.Store(nil)
		close(gate)
	}
}

func (s *slow) awaitKept(t *testing.T, n int64) {
	t.Helper()
	require.Eventually(t, func() bool { return s.kept.Load() == n }, 10*time.Second, time.Millisecond)
}

// slowReplica returns a replica on a slow store that no bell rings for, and what it was told.
func slowReplica(t *testing.T, hub *storetest.Hub) (*slow, *replica) {
	t.Helper()
	s := &slow{Handle: hub.Open()}
	r := &replica{Ledger: open(t, s), store: s.Handle}
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.NoError(t, r.follow(t.Context()))
	require.NoError(t, r.CatchUp(t.Context()))
	return s, r
}

// A reader that comes while a question is under way waits for the next one.
//
// Verifies: ORC-351
func TestAQuestionIsThatOfThoseWhoCameBefore(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub)
	s, b := slowReplica(t, hub)
	s.Deafen()
	for n := range 20 {
		s.kept.Store(0)
		through := s.keep(&s.newest)
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- b.CatchUp(t.Context()) }()
		s.awaitKept(t, 2) // the question, and that of the poll
		require.NoError(t, set(t.Context(), a.Ledger, "a", n))
		go func() { second <- b.CatchUp(t.Context()) }()
		time.Sleep(time.Millisecond)
		through()
		require.NoError(t, <-second)
		require.Equal(t, stored(t, a, "a"), b.seen("a"))
		require.NoError(t, <-first)
	}
}

func stored(t *testing.T, r *replica, key string) (value string) {
	t.Helper()
	require.NoError(t, r.View(t.Context(), func(from store.Reader) error {
		state, err := thingsIn(from)
		value = state[key]
		return err
	}))
	return value
}

// What the store says was so when it was asked, and not when the answer came.
//
// Verifies: ORC-351
func TestAnAnswerConfirmsWhenItWasAskedFor(t *testing.T) {
	for name, gate := range map[string]func(*slow) *atomic.Pointer[chan struct{}]{
		"newest": func(s *slow) *atomic.Pointer[chan struct{}] { return &s.newest },
		"view":   func(s *slow) *atomic.Pointer[chan struct{}] { return &s.views },
	} {
		t.Run(name, func(t *testing.T) {
			hub := storetest.NewHub()
			a := join(t, hub)
			s, b := slowReplica(t, hub)
			through := s.keep(gate(s))
			require.NoError(t, set(t.Context(), a.Ledger, "a", 1)) // rings the bell, or is found by the poll
			s.awaitKept(t, 1)
			s.Deafen()
			require.NoError(t, set(t.Context(), a.Ledger, "a", 2))
			acknowledged, want := time.Now(), stored(t, a, "a")
			through()
			require.Eventually(t, func() bool {
				confirmed, seen := b.Confirmed(), b.seen("a")
				require.False(t, confirmed.After(acknowledged) && seen != want, "an older state was confirmed")
				return seen == want
			}, 10*time.Second, 10*time.Microsecond)
		})
	}
}

// Who asks while it is known that the store does not answer is told at once, and answered when it does again.
//
// Verifies: ORC-351
func TestNobodyWaitsForAStoreThatIsKnownToBeLost(t *testing.T) {
	s, b := slowReplica(t, storetest.NewHub())
	s.Cut(errors.New("the server is gone"))
	lost := b.order.Await(b.Head().Size + 1) // returns when that is known
	require.True(t, fault.Is(lost, following.CodeUnreachable), "%v", lost)
	through := s.keep(&s.newest)
	err := b.CatchUp(t.Context())
	require.True(t, fault.Is(err, following.CodeUnreachable), "%v", err)
	s.Cut(nil)
	through()
	require.Eventually(t, func() bool { return b.CatchUp(t.Context()) == nil }, 10*time.Second, time.Millisecond)
}
