package linear

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

var counters = ledger.Table[uint64]{Name: counterTable}

// replica is a ledger with a snapshot of the counters, from which it answers reads.
type replica struct {
	*ledger.Ledger
	asks bool // the head, before it reads

	mu  sync.Mutex
	now Counters
}

func join(t *testing.T, s store.Shared, asks bool) *replica {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	r := &replica{Ledger: l, asks: asks}
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	require.NoError(
		t,
		l.Follow(t.Context(), ledger.Follower{Load: r.load, Told: r.told, Tables: []string{counterTable}}),
	)
	return r
}

func (r *replica) load(from store.Reader, _ audit.Head) error {
	now, err := storedCounters(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
	return err
}

func storedCounters(from store.Getter) (now Counters, err error) {
	for i, key := range counterKeys {
		if now[i], _, err = counters.Get(from, key); err != nil {
			return now, err
		}
	}
	return now, nil
}

func (r *replica) told(commits []ledger.Commit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range commits {
		for _, w := range c.Writes {
			for i, key := range counterKeys {
				if w.Key == key {
					r.now[i], _, _ = counters.Decode(key, w.Value)
				}
			}
		}
	}
}

// read answers from the snapshot.
func (r *replica) read(ctx context.Context) (Counters, error) {
	if r.asks {
		if err := r.CatchUp(ctx); err != nil {
			return Counters{}, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now, nil
}

// add makes one update.
func (r *replica) add(ctx context.Context, in Transaction) (was Counters, err error) {
	err = r.Update(ctx, func(tx *ledger.Tx) (err error) {
		if was, err = storedCounters(tx); err != nil {
			return err
		}
		for i, key := range counterKeys {
			if !in.Adds[i] {
				continue
			}
			if _, err := counters.Put(tx, key, was[i]+1); err != nil {
				return err
			}
		}
		return tx.Append(ledger.Event{Kind: "counters.added", Actor: ledger.System(), Data: in})
	})
	return was, err
}

// historyOf has clients read and add at replicas, each request at any of them.
func historyOf(t *testing.T, replicas []*replica, clients, each int) *Recorder[Transaction, Counters] {
	t.Helper()
	r := &Recorder[Transaction, Counters]{}
	var running sync.WaitGroup
	for c := range clients {
		rng := rand.New(rand.NewPCG(11, uint64(c)))
		running.Go(func() {
			for range each {
				in := drawn(rng)
				in.Reads = [Cells]bool{true, true, true}
				at := replicas[rng.IntN(len(replicas))]
				call := r.Begin(c, in)
				var out Counters
				var err error
				if in.Adds == [Cells]bool{} {
					out, err = at.read(t.Context())
				} else {
					out, err = at.add(t.Context(), in)
				}
				switch {
				case err == nil:
					call.End(out)
				case !errors.Is(err, fault.Unavailable):
					call.Void()
				}
			}
		})
	}
	running.Wait()
	return r
}

// What replicas answer from their snapshots, one ledger could have answered, also while one of them is cut off.
//
// Verifies: ORC-386
func TestReplicasThatAskAreLinearizable(t *testing.T) {
	hub := storetest.NewHub()
	handles := []*storetest.Handle{hub.Open(), hub.Open(), hub.Open()}
	handles[1].Deafen()
	handles[2].Delay(5 * time.Millisecond)
	var replicas []*replica
	for _, h := range handles {
		replicas = append(replicas, join(t, h, true))
	}
	done := make(chan struct{})
	var cutting sync.WaitGroup
	cutting.Go(func() {
		for {
			handles[0].Cut(errors.New("the network is gone"))
			time.Sleep(2 * time.Millisecond)
			handles[0].Cut(nil)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	r := historyOf(t, replicas, 6, 150)
	close(done)
	cutting.Wait()
	sent, answered := r.Len()
	require.Greater(t, answered, sent/4)
	verdict, why := Check(Store, r, time.Minute)
	require.Equal(t, Linearizable, verdict, why)
}

// The control: a replica that does not ask the head is found.
//
// Verifies: ORC-386
func TestAReplicaThatDoesNotAskIsFound(t *testing.T) {
	hub := storetest.NewHub()
	deaf := hub.Open()
	deaf.Deafen()
	replicas := []*replica{join(t, hub.Open(), true), join(t, deaf, false)}
	verdict, why := Check(Store, historyOf(t, replicas, 6, 150), time.Minute)
	require.Equal(t, Impossible, verdict)
	t.Logf("found:\n%s", why)
}
