package ledger

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/storetest"
)

// crowd is several replicas of which a random test knows what it was acknowledged.
type crowd struct {
	t    *testing.T
	hub  *storetest.Hub
	all  []*replica
	held map[*replica]func() // those whose reads wait, with what ends that

	mu    sync.Mutex
	acked map[string]int // the last acknowledged value of each thing
	sizes uint64         // of the log, as acknowledged last
}

// TestReplicasTellOneLog lets replicas write and read at random, with bells that are late or lost, with reads that are
// held up, and with lags beyond the ring. Each follower is told a log without a gap, in order, and comes to what is
// stored; an update is published before it returns; who catches up sees all that was acknowledged before.
//
// Verifies: ORC-350, ORC-351
func TestReplicasTellOneLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &crowd{t: t, hub: storetest.NewHub(), held: map[*replica]func(){}, acked: map[string]int{}}
		for range rapid.IntRange(2, 3).Draw(rt, "replicas") {
			c.join(rt)
		}
		defer c.end()
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			r := rapid.SampledFrom(c.all).Draw(rt, "replica")
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0:
				c.hold(r)
			case 1:
				c.release(r)
			case 2:
				c.burst(rt, r)
			case 3:
				c.restart(rt, r)
			case 4, 5:
				c.read(r)
			default:
				c.together(rt)
			}
		}
		for _, r := range c.all {
			c.release(r)
		}
		for _, r := range c.all {
			r.same(t)
			require.Equal(rt, c.sizes, r.Head().Size)
			require.Equal(rt, c.all[0].Head(), r.Head())
		}
		require.NoError(rt, verify(t, c.all[0].Ledger))
	})
}

func (c *crowd) join(rt *rapid.T) {
	h := c.hub.Open()
	switch rapid.IntRange(0, 2).Draw(rt, "bell") {
	case 0:
		h.Deafen()
	case 1:
		h.Delay(time.Duration(rapid.IntRange(1, 5).Draw(rt, "late")) * time.Millisecond)
	}
	r := &replica{Ledger: open(c.t, h), store: h}
	require.NoError(c.t, r.follow(c.t.Context()))
	c.all = append(c.all, r)
	c.sizes = max(c.sizes, r.Head().Size)
}

func (c *crowd) end() {
	for _, r := range c.all {
		c.release(r)
		require.NoError(c.t, r.Close())
	}
}

// hold makes reads of a replica wait, so that it publishes nothing of the others.
func (c *crowd) hold(r *replica) {
	if c.held[r] == nil {
		c.held[r] = r.store.Hold()
	}
}

func (c *crowd) release(r *replica) {
	if resume := c.held[r]; resume != nil {
		resume()
		delete(c.held, r)
	}
}

// set writes a thing, and requires that it was told when the update returns.
func (c *crowd) set(r *replica, key string, n int) {
	err := r.Update(c.t.Context(), func(tx *Tx) error {
		err := error(nil)
		if n%5 == 0 {
			err = things.Delete(tx, key)
		} else {
			_, err = things.Put(tx, key, thing{n})
		}
		return errors.Join(err, tx.Append(Event{Kind: "thing.set", Actor: ada, Subject: key, Data: thing{n}}))
	})
	if err != nil {
		c.t.Error(err)
		return
	}
	r.mu.Lock()
	seen := r.size
	r.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acked[key] = n
	c.sizes = max(c.sizes, seen)
}

// together has all replicas write at once that are not held up, each to keys of its own and to one that is common.
func (c *crowd) together(rt *rapid.T) {
	n := rapid.IntRange(0, 99).Draw(rt, "n")
	var writing sync.WaitGroup
	for i, r := range c.all {
		if c.held[r] != nil {
			continue // it would wait for what the others write
		}
		for j := range 3 {
			writing.Go(func() {
				c.set(r, fmt.Sprintf("%d-%d", i, j), n+j)
				if want := text(n + j); r.seen(fmt.Sprintf("%d-%d", i, j)) != want {
					c.t.Errorf("an update was not told when it returned: %q", want)
				}
				c.set(r, "common", n+j)
			})
		}
	}
	writing.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.acked, "common") // which was the last is not known here
}

// text returns what a follower knows of a thing.
func text(n int) string {
	if n%5 == 0 {
		return ""
	}
	return fmt.Sprintf(`{"n":%d}`, n)
}

// burst writes so much that whoever is held up must load.
func (c *crowd) burst(rt *rapid.T, r *replica) {
	if c.held[r] != nil || rapid.IntRange(0, 49).Draw(rt, "a burst") != 0 {
		return
	}
	for n := range ringSize + 1 {
		c.set(r, fmt.Sprint("burst ", n%3), n)
	}
}

// restart ends a replica in order, and starts another.
func (c *crowd) restart(rt *rapid.T, r *replica) {
	c.release(r)
	require.NoError(c.t, r.Close())
	for i := range c.all {
		if c.all[i] == r {
			c.all = append(c.all[:i], c.all[i+1:]...)
			break
		}
	}
	c.join(rt)
}

// read catches up, and requires all that was acknowledged.
func (c *crowd) read(r *replica) {
	if c.held[r] != nil {
		return
	}
	require.NoError(c.t, r.CatchUp(c.t.Context()))
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, n := range c.acked {
		require.Equal(c.t, text(n), r.seen(key), key)
	}
	require.GreaterOrEqual(c.t, r.Head().Size, c.sizes)
}

// TestWhatComesOutOfOrderIsFound is the control: the follower of the tests finds gaps and repetitions.
func TestWhatComesOutOfOrderIsFound(t *testing.T) {
	batch := func(seqs ...uint64) []Commit {
		var c Commit
		for _, n := range seqs {
			c.Records, c.Head.Size = append(c.Records, audit.Record{Seq: n}), n+1
		}
		return []Commit{c}
	}
	for _, wrong := range [][]Commit{batch(2), batch(0), batch(1, 1), batch(1, 3)} {
		r := &replica{size: 1, state: map[string]string{}}
		r.take(wrong)
		require.Error(t, r.wrong)
	}
	r := &replica{size: 1, state: map[string]string{}}
	r.take(batch(1, 2))
	require.NoError(t, r.wrong)
}
