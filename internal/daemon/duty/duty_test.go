package duty_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

const ttl = 5 * time.Second

// replica is one process, whose renewals can be kept from the store as if it had been stopped.
type replica struct {
	store.Shared
	keeper  *duty.Keeper
	stopped chan struct{} // closed while it runs
	fails   atomic.Bool   // each renewal fails at once
	late    atomic.Int64  // how long an answer of the store takes to come back

	mu     sync.Mutex
	ended  []error
	doubts int
}

// pass waits while the replica is stopped.
func (r *replica) pass() {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	<-stopped
}

func (r *replica) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (store.Lease, error) {
	r.pass()
	defer r.wait()
	return r.Shared.Acquire(ctx, name, holder, ttl)
}

func (r *replica) Renew(ctx context.Context, l store.Lease, ttl time.Duration) error {
	r.pass()
	if r.fails.Load() {
		return errors.New("the network is down")
	}
	defer r.wait()
	return r.Shared.Renew(ctx, l, ttl)
}

func (r *replica) wait() { time.Sleep(time.Duration(r.late.Load())) }

func (r *replica) stop() (wake func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = make(chan struct{})
	return func() { close(r.stopped) }
}

func newReplica(hub *storetest.Hub, name string) *replica {
	r := &replica{Shared: hub.Open(), stopped: make(chan struct{})}
	close(r.stopped)
	r.keeper = duty.New(r, name, ttl, duty.Events{
		Began: func(store.Lease) {},
		Ended: func(_ store.Lease, why error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ended = append(r.ended, why)
		},
		Doubt: func(error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.doubts++
		},
	})
	return r
}

// reasons returns why the terms of a replica have ended.
func (r *replica) reasons() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ended)
}

// run keeps a replica on duty whenever it can be, and returns how many terms it has begun.
func (r *replica) run(ctx context.Context, do func(context.Context)) (terms *atomic.Int64) {
	terms = &atomic.Int64{}
	go func() {
		_ = r.keeper.Run(ctx, func(ctx context.Context) error {
			terms.Add(1)
			do(ctx)
			return nil
		})
	}()
	return terms
}

func untilDone(ctx context.Context) { <-ctx.Done() }

func write(ctx context.Context, s store.Store, value string) error {
	return s.Update(ctx, func(tx store.Tx) error { return tx.Put("t", "k", []byte(value)) })
}

// Verifies: ORC-363
func TestOneReplicaIsOnDuty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		hub := storetest.NewHub()
		one, two := newReplica(hub, "http://one"), newReplica(hub, "http://two")
		on, err := one.keeper.Try(ctx)
		require.NoError(t, err)
		require.True(t, on)
		first, second := one.run(ctx, untilDone), two.run(ctx, untilDone)
		time.Sleep(10 * ttl)
		require.True(t, one.keeper.OnDuty(), "it renews")
		require.False(t, two.keeper.OnDuty())
		holder, err := two.keeper.Holder(ctx)
		require.NoError(t, err)
		require.Equal(t, "http://one", holder)

		wake := one.stop()
		for range 2 * ttl / (10 * time.Millisecond) {
			time.Sleep(10 * time.Millisecond)
			require.False(t, one.keeper.OnDuty() && two.keeper.OnDuty(), "never both")
		}
		require.True(t, two.keeper.OnDuty())
		wake()
		time.Sleep(ttl)
		require.False(t, one.keeper.OnDuty())
		require.EqualValues(t, 1, first.Load())
		require.EqualValues(t, 1, second.Load())
		require.Len(t, one.reasons(), 1)
		require.Error(t, one.reasons()[0])
	})
}

// Verifies: ORC-363
func TestTheDutyIsTakenOverWithinALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		hub := storetest.NewHub()
		one, two := newReplica(hub, "http://one"), newReplica(hub, "http://two")
		one.run(ctx, untilDone)
		synctest.Wait()
		two.run(ctx, untilDone)
		time.Sleep(ttl)
		wake := one.stop()
		defer wake()
		begun := time.Now()
		for !two.keeper.OnDuty() {
			time.Sleep(10 * time.Millisecond)
		}
		require.LessOrEqual(t, time.Since(begun), ttl+time.Second)
	})
}

// Verifies: ORC-364
func TestWhoWakesAfterATakeoverWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		hub := storetest.NewHub()
		one, two := newReplica(hub, "http://one"), newReplica(hub, "http://two")
		wrote := make(chan error, 2)
		one.run(ctx, func(ctx context.Context) {
			time.Sleep(4 * ttl) // as if it had been stopped
			wrote <- write(context.WithoutCancel(ctx), one, "late")
			wrote <- write(context.WithoutCancel(t.Context()), one, "unfenced")
		})
		synctest.Wait()
		wake := one.stop()
		two.run(ctx, untilDone)
		time.Sleep(3 * ttl)
		require.True(t, two.keeper.OnDuty())
		require.ErrorIs(t, <-wrote, store.ErrFenced)
		require.NoError(t, <-wrote, "the control: without the lease it writes")
		wake()
	})
}

func TestWhatIsDoneOnDutyEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		hub := storetest.NewHub()
		one, two := newReplica(hub, "http://one"), newReplica(hub, "http://two")
		_, _, err := two.keeper.Enter(ctx)
		require.True(t, fault.Is(err, duty.CodeOffDuty), "%v", err)
		_, err = one.keeper.Try(ctx)
		require.NoError(t, err)
		under, leave, err := one.keeper.Enter(ctx)
		require.NoError(t, err)
		defer leave()
		lease, is := store.LeaseOf(under)
		require.True(t, is)
		require.Equal(t, "http://one", lease.Holder)
		wake := one.stop()
		time.Sleep(ttl)
		require.ErrorIs(t, context.Cause(under), store.ErrFenced)
		_, _, err = one.keeper.Enter(ctx)
		require.True(t, fault.Is(err, duty.CodeOffDuty), "%v", err)
		wake()
	})
}

// Verifies: ORC-363
func TestATermEndsWhenTheStoreSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		hub := storetest.NewHub()
		one, other := newReplica(hub, "http://one"), hub.Open()
		one.run(ctx, untilDone)
		time.Sleep(ttl)
		lease, err := other.Holder(ctx, "duty")
		require.NoError(t, err)
		require.NoError(t, other.Release(ctx, lease)) // as an operator could
		_, err = other.Acquire(ctx, "duty", "http://other", 100*ttl)
		require.NoError(t, err)
		time.Sleep(ttl / 2)
		require.False(t, one.keeper.OnDuty(), "it does not wait until its lease has run out")
		require.Len(t, one.reasons(), 1)
		require.ErrorIs(t, one.reasons()[0], store.ErrFenced)
	})
}

func TestANetworkThatIsDownForAMomentEndsNoTerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		one := newReplica(storetest.NewHub(), "http://one")
		terms := one.run(ctx, untilDone)
		time.Sleep(ttl)
		one.fails.Store(true)
		time.Sleep(ttl / 2)
		one.fails.Store(false)
		time.Sleep(10 * ttl)
		require.True(t, one.keeper.OnDuty())
		require.EqualValues(t, 1, terms.Load())
		require.Positive(t, one.doubts)
		one.fails.Store(true)
		time.Sleep(ttl)
		require.Len(t, one.reasons(), 1)
		one.fails.Store(false)
		time.Sleep(2 * ttl)
		require.True(t, one.keeper.OnDuty(), "nobody else has taken it")
		require.EqualValues(t, 2, terms.Load())
	})
}

// Verifies: ORC-363
func TestTheDutyIsGivenUpAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := storetest.NewHub()
		one, two := newReplica(hub, "http://one"), newReplica(hub, "http://two")
		ctx, end := context.WithCancel(t.Context())
		flushed := make(chan error, 1)
		one.run(ctx, func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(2 * ttl) // as the last export may take
			flushed <- write(context.WithoutCancel(ctx), one, "last")
		})
		synctest.Wait()
		other, stop := context.WithCancel(t.Context())
		defer stop()
		two.run(other, untilDone)
		end()
		require.NoError(t, <-flushed, "it is renewed until all is done")
		time.Sleep(time.Second)
		require.True(t, two.keeper.OnDuty(), "it need not run out")
		require.Equal(t, []error{nil}, one.reasons())
	})
}

func TestTheOnlyProcessIsAlwaysOnDuty(t *testing.T) {
	var k *duty.Keeper
	require.True(t, k.OnDuty())
	ctx, leave, err := k.Enter(t.Context())
	require.NoError(t, err)
	require.Equal(t, t.Context(), ctx)
	leave()
	ran := errors.New("ran")
	require.ErrorIs(t, k.Run(t.Context(), func(context.Context) error { return ran }), ran)
	k.Close()
}

// A lease runs from the moment at which the store gave it, which the answer comes after.
//
// Verifies: ORC-363
func TestADutyEndsBeforeItsLease(t *testing.T) {
	for name, renewed := range map[string]bool{"acquired": false, "renewed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hub := storetest.NewHub()
				one, other := newReplica(hub, "http://one"), hub.Open()
				if renewed {
					time.AfterFunc(0, func() { one.late.Store(int64(ttl / 2)) })
				} else {
					one.late.Store(int64(ttl / 2))
				}
				_, err := one.keeper.Try(t.Context())
				require.NoError(t, err)
				if renewed {
					time.Sleep(ttl / 2) // a renewal is under way
				}
				one.fails.Store(true)
				var off, ended time.Time
				for ended.IsZero() {
					time.Sleep(10 * time.Millisecond)
					if off.IsZero() && !one.keeper.OnDuty() {
						off = time.Now()
					}
					lease, err := other.Holder(t.Context(), "duty")
					require.NoError(t, err)
					if lease.Holder == "" {
						ended = time.Now()
					}
				}
				require.False(t, off.IsZero(), "the store may have given the lease to another already")
				require.GreaterOrEqual(t, ended.Sub(off), ttl/20, "clocks do not run alike")
				one.keeper.Close()
			})
		})
	}
}

func TestWhatIsWrittenUnderTheDutyIsFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := newReplica(storetest.NewHub(), "http://one")
		_, under := store.LeaseOf(one.keeper.Under(t.Context()))
		require.False(t, under, "another may be on duty")
		_, err := one.keeper.Try(t.Context())
		require.NoError(t, err)
		lease, under := store.LeaseOf(one.keeper.Under(t.Context()))
		require.True(t, under)
		require.Equal(t, "http://one", lease.Holder)
		one.keeper.Close()
	})
}

// What failed in a term that is over says nothing of how the process ends.
func TestTheErrorOfAnEarlierTermIsNotThatOfTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := storetest.NewHub()
		one := newReplica(hub, "http://one")
		ctx, end := context.WithCancel(t.Context())
		ran := errors.New("ran")
		time.AfterFunc(ttl, end)
		require.NoError(t, one.keeper.Run(ctx, func(under context.Context) error {
			lease, _ := store.LeaseOf(under)
			require.NoError(t, one.Release(ctx, lease))
			_, err := hub.Open().Acquire(ctx, lease.Name, "http://other", time.Hour)
			require.NoError(t, err)
			<-under.Done()
			return ran
		}))

		ctx, end = context.WithCancel(t.Context())
		two := newReplica(storetest.NewHub(), "http://two")
		require.ErrorIs(t, two.keeper.Run(ctx, func(context.Context) error {
			end()
			return ran
		}), ran)
	})
}
