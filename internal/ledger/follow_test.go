package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

// What package following has.
const (
	ringSize  = 4096
	pollEvery = 10 * time.Millisecond
)

// replica is a ledger on a shared store, and what its follower was told.
type replica struct {
	*Ledger
	store *storetest.Handle

	mu     sync.Mutex
	size   uint64 // of the log that was told
	state  map[string]string
	loads  int
	told   int
	wrong  error
	broken bool // it panics when it is told something
}

func join(t *testing.T, hub *storetest.Hub) *replica {
	t.Helper()
	return joinWith(t, hub.Open())
}

func joinWith(t *testing.T, h *storetest.Handle) *replica {
	t.Helper()
	r := &replica{Ledger: open(t, h), store: h}
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.NoError(t, r.follow(t.Context()))
	return r
}

func (r *replica) follow(ctx context.Context) error {
	return r.Follow(ctx, Follower{Load: r.load, Told: r.take, Tables: []string{things.Name}})
}

func (r *replica) load(from store.Reader, head audit.Head) error {
	state, err := thingsIn(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.size = state, head.Size
	r.loads++
	return err
}

func thingsIn(from store.Reader) (map[string]string, error) {
	state := map[string]string{}
	err := things.Scan(from, func(key string, raw []byte, _ thing) error {
		state[key] = string(raw)
		return nil
	})
	return state, err
}

// take requires that there is no gap, and that nothing comes twice.
func (r *replica) take(batch []Commit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		panic("a follower's defect")
	}
	for _, c := range batch {
		r.told++
		for _, record := range c.Records {
			if record.Seq != r.size {
				r.wrong = errors.Join(r.wrong, fmt.Errorf("record %d comes after %d", record.Seq, r.size))
			}
			r.size = record.Seq + 1
		}
		if c.Head.Size != r.size {
			r.wrong = errors.Join(r.wrong, fmt.Errorf("head %d after record %d", c.Head.Size, r.size))
		}
		for _, w := range c.Writes {
			if w.Value == nil {
				delete(r.state, w.Key)
			} else {
				r.state[w.Key] = string(w.Value)
			}
		}
	}
}

// seen returns what the follower knows of a thing.
func (r *replica) seen(key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state[key]
}

// same requires that what was followed is what is stored.
func (r *replica) same(t *testing.T) {
	t.Helper()
	require.NoError(t, r.CatchUp(t.Context()))
	var stored map[string]string
	require.NoError(t, r.View(t.Context(), func(from store.Reader) (err error) {
		stored, err = thingsIn(from)
		return err
	}))
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NoError(t, r.wrong)
	require.Equal(t, stored, r.state)
	require.Equal(t, r.Head().Size, r.size)
}

// Verifies: ORC-350
func TestReplicasFollowOneAnother(t *testing.T) {
	hub := storetest.NewHub()
	all := []*replica{join(t, hub), join(t, hub), join(t, hub)}
	var running sync.WaitGroup
	for i, r := range all {
		for c := range 8 {
			running.Go(func() {
				for n := range 25 {
					key := fmt.Sprintf("%d-%d", i, c)
					if err := set(t.Context(), r.Ledger, key, n); err != nil {
						t.Error(err)
					}
					if want := fmt.Sprintf(`{"n":%d}`, n); r.seen(key) != want {
						t.Errorf("%s is %s when its update returns, not %s", key, r.seen(key), want)
					}
					if n%5 == 0 {
						if err := set(t.Context(), r.Ledger, "common", n); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
	running.Wait()
	for _, r := range all {
		r.same(t)
		require.Equal(t, all[0].Head(), r.Head())
		require.Equal(t, 1, r.loads)
		require.NoError(t, verify(t, r.Ledger))
	}
}

// Verifies: ORC-350
func TestAReplicaHearsTheBellAndLooksWithoutIt(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	told := func(key string) func() bool { return func() bool { return b.seen(key) != "" } }
	require.NoError(t, set(t.Context(), a.Ledger, "heard", 1))
	require.Eventually(t, told("heard"), 5*time.Second, time.Millisecond)
	b.store.Deafen()
	require.NoError(t, set(t.Context(), a.Ledger, "looked for", 1))
	require.Eventually(t, told("looked for"), 5*time.Second, time.Millisecond)
}

func TestWhatOthersWriteComesAsItIsStored(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub)
	h := hub.Open()
	b := open(t, h)
	var mine, theirs []Write
	require.NoError(t, b.Follow(t.Context(), Follower{Tables: []string{things.Name}, Told: func(batch []Commit) {
		for _, c := range batch {
			if c.Records[0].Subject == "b" {
				mine = append(mine, c.Writes...)
			} else {
				theirs = append(theirs, c.Writes...)
			}
		}
	}}))
	defer func() { require.NoError(t, b.Close()) }()
	other := Table[thing]{Name: "others"}
	require.NoError(t, a.Update(t.Context(), func(tx *Tx) error {
		_, err := things.Put(tx, "a", thing{1})
		_, err2 := other.Put(tx, "a", thing{2})
		return errors.Join(err, err2, tx.Append(Event{Kind: "thing.set", Actor: ada, Subject: "a"}))
	}))
	require.NoError(t, b.CatchUp(t.Context())) // or the two would come as one
	require.NoError(t, set(t.Context(), b, "b", 3))
	require.Equal(t, []Write{{Table: "things", Key: "b", Value: []byte(`{"n":3}`), Object: &thing{3}}}, mine)
	require.Equal(
		t,
		[]Write{{Table: "things", Key: "a", Value: []byte(`{"n":1}`)}},
		theirs,
		"of the tables that were named",
	)
}

// Verifies: ORC-350
func TestALagBeyondTheRingIsLoaded(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	spent := func(r *replica) uint64 {
		budget, err := r.BudgetOf(t.Context(), ada)
		require.NoError(t, err)
		return budget.Spent
	}
	for _, r := range []*replica{a, b} {
		r.clock = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
		r.LimitSpending(1 << 40)
		spent(r)
	}
	for _, more := range []int{ringSize, ringSize + 1} {
		loads := b.loads
		time.Sleep(10 * pollEvery) // until the bells of earlier commits have been answered: no View is under way
		resume := b.store.Hold()
		for i := range more {
			require.NoError(t, set(t.Context(), a.Ledger, fmt.Sprint(i%7), i))
		}
		resume()
		b.same(t)
		require.Equal(t, more > ringSize, b.loads > loads)
		require.Equal(t, spent(a), spent(b))
	}
	require.NoError(t, set(t.Context(), b.Ledger, "on", 1))
	a.same(t)
	b.same(t)
}

// However many records another replica has committed at once, they are told in order, and nothing is loaded anew.
//
// Verifies: ORC-350
func TestManyRecordsOfAnotherAreOneCommit(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	for _, commits := range []int{1, 3, 4, 5} { // 4 are read with the head, with 32 records
		for _, records := range []int{5, 31, 32, 33, 36, 255, 256, 257, 700} { // 256 with the names of what was written
			resume := b.store.Hold()
			for c := range commits {
				require.NoError(t, a.Update(t.Context(), func(tx *Tx) error {
					_, err := things.Put(tx, fmt.Sprint(c), thing{records})
					for range records / commits {
						err = errors.Join(err, tx.Append(Event{Kind: "thing.set", Actor: ada}))
					}
					return err
				}))
			}
			resume()
			b.same(t)
			require.Equal(t, a.Head(), b.Head())
			require.Equal(t, 1, b.loads)
		}
	}
	require.NoError(t, set(t.Context(), b.Ledger, "on", 1))
	a.same(t)
}

func TestReplicasBeginOneLog(t *testing.T) {
	for range 20 {
		hub := storetest.NewHub()
		all := make([]*Ledger, 3)
		var opening sync.WaitGroup
		for i := range all {
			opening.Go(func() {
				var err error
				if all[i], err = Open(t.Context(), hub.Open(), ticking()); err != nil {
					t.Error(err)
				}
			})
		}
		opening.Wait()
		for _, l := range all {
			require.EqualValues(t, 1, l.Head().Size)
			require.NoError(t, verify(t, l))
			require.NoError(t, l.Close())
		}
	}
}

// Verifies: ORC-350
func TestACommitOfAnotherCostsNoReadsOfTheTree(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	for i := range 254 { // with the first record and the next, eight subtrees
		require.NoError(t, set(t.Context(), a.Ledger, "a", i))
	}
	require.NoError(t, b.CatchUp(t.Context()))
	trips := func(l *replica) int64 {
		before := l.store.Trips()
		for range 3 { // of which one runs twice
			require.NoError(t, l.update3(t))
		}
		return l.store.Trips() - before
	}
	resume := b.store.Hold() // or reads of the follower would count
	own := trips(a)
	resume()
	require.NoError(t, b.CatchUp(t.Context()))
	resume = a.store.Hold()
	defer resume()
	require.LessOrEqual(t, trips(b), own+1)
}

// update3 writes without waiting for the follower.
func (r *replica) update3(t *testing.T) error {
	t.Helper()
	return r.Ledger.store.Update(t.Context(), func(stx store.Tx) error {
		tx, err := r.begin(stx)
		if err != nil {
			return err
		}
		if err := tx.Append(Event{Kind: "thing.set", Actor: ada}); err != nil {
			return err
		}
		_, err = tx.seal(&r.last)
		return err
	})
}

// Verifies: ORC-351
func TestCatchUpSeesWhatWasAcknowledged(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	b.store.Deafen()
	for i := range 200 {
		require.NoError(t, set(t.Context(), a.Ledger, "a", i))
		require.NoError(t, b.CatchUp(t.Context()))
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), b.seen("a"))
	}
	// The control: who does not ask reads an old state.
	stale := false
	for i := 0; i < 1000 && !stale; i++ {
		require.NoError(t, set(t.Context(), a.Ledger, "a", -i))
		stale = b.seen("a") != fmt.Sprintf(`{"n":%d}`, -i)
	}
	require.True(t, stale)
}

// counted counts and delays the questions for what is newest.
type counted struct {
	store.Shared
	asked atomic.Int64
	delay time.Duration
}

func (c *counted) Newest(ctx context.Context, table, key string) ([]byte, error) {
	c.asked.Add(1)
	time.Sleep(c.delay)
	return c.Shared.Newest(ctx, table, key)
}

// Verifies: ORC-351
func TestReadersShareAQuestion(t *testing.T) {
	hub := storetest.NewHub()
	c := &counted{Shared: hub.Open(), delay: 50 * time.Millisecond}
	l := open(t, c)
	defer func() { require.NoError(t, l.Close()) }()
	var reading sync.WaitGroup
	for range 64 {
		reading.Go(func() {
			if err := l.CatchUp(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	reading.Wait()
	require.LessOrEqual(t, c.asked.Load(), int64(4), "one for the first, one for the rest, and those of the poll")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.CatchUp(ended), context.Canceled)
}

// Verifies: ORC-351
func TestAReplicaKnowsWhenItWasConfirmed(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	require.NoError(t, b.CatchUp(t.Context()))
	resume := b.store.Hold()
	began := time.Now()
	require.NoError(t, set(t.Context(), a.Ledger, "a", 1))
	time.Sleep(10 * pollEvery)
	require.Less(t, b.Confirmed(), began.Add(pollEvery), "it has asked, and not published what it was told of")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.Equal(t, following.CodeUnreachable, fault.As(b.CatchUp(ctx)).Code)
	resume()
	require.Eventually(
		t,
		func() bool { return b.Confirmed().After(began.Add(pollEvery)) },
		5*time.Second,
		time.Millisecond,
	)
	require.Equal(t, `{"n":1}`, b.seen("a"))
	b.store.Cut(errors.New("cut off"))
	time.Sleep(2 * pollEvery)
	cut := time.Now()
	time.Sleep(5 * pollEvery)
	require.Less(t, b.Confirmed(), cut)
}

func TestOneProcessIsAlwaysUpToDate(t *testing.T) {
	l := open(t, store.NewMemory())
	require.NoError(t, l.CatchUp(t.Context()))
	require.WithinDuration(t, time.Now(), l.Confirmed(), time.Minute)
	l.Understand(1, []string{"thing.other"})
	require.NoError(t, set(t.Context(), l, "a", 1), "no other program writes here")
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		for _, key := range []string{"trail", "needs"} {
			raw, err := r.Get(tableMeta, key)
			require.NoError(t, err)
			require.Nil(t, raw)
		}
		return r.Scan("ring", "", "", func(string, []byte) error { return errors.New("there is a ring") })
	}))
}

// Verifies: ORC-350
func TestAReplicaAtRestAsksSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := storetest.NewHub()
		other := open(t, hub.Open())
		h := hub.Open()
		c := &counted{Shared: h}
		l := open(t, c)
		defer func() { require.NoError(t, errors.Join(l.Close(), other.Close())) }()
		require.NoError(t, l.Follow(t.Context(), Follower{Told: func([]Commit) {}}))
		time.Sleep(time.Second)
		before := c.asked.Load()
		time.Sleep(10 * time.Second)
		require.InDelta(t, 40, c.asked.Load()-before, 2, "four times a second")
		h.Deafen()
		require.NoError(t, set(t.Context(), other, "a", 1))
		before = c.asked.Load()
		time.Sleep(251 * time.Millisecond)
		require.Equal(t, other.Head().Size, l.Head().Size, "a ring that is lost holds nobody up for longer")
		time.Sleep(200 * time.Millisecond)
		require.Greater(t, c.asked.Load()-before, int64(4), "where others have written it asks often")
	})
}

// The records about a subject, each of which names the one before it, are read in few round trips once the process has
// seen them: as its own, as those of another one, or when it read the log.
//
// Verifies: ORC-389
func TestTheRecordsOfASubjectTakeFewTrips(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub), join(t, hub)
	for n := range 100 {
		require.NoError(t, set(t.Context(), a.Ledger, "a", n))
		require.NoError(t, set(t.Context(), b.Ledger, "b", n))
	}
	late := join(t, hub)
	_, err := late.Records(t.Context(), 0, 1000)
	require.NoError(t, err)
	for _, r := range []*replica{a, b, late} {
		require.NoError(t, r.CatchUp(t.Context()))
		for _, subject := range []string{"a", "b"} {
			before := r.store.Trips()
			page, err := r.History(t.Context(), subject, 0, 100)
			require.NoError(t, err)
			require.Len(t, page.Records, 100)
			require.Less(t, r.store.Trips()-before, int64(20), subject)
		}
	}
}
