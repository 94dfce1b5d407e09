package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

// testSnapshot holds a View open while updates are committed.
func testSnapshot(t *testing.T, s store.Store) {
	put(t, s, "t", "a", "old")
	began, changed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	seen := make(chan error, 1)
	go func() {
		seen <- s.View(t.Context(), func(r store.Reader) error {
			for range 2 {
				a, err := r.Get("t", "a")
				b, err2 := r.Get("t", "b")
				if string(a) != "old" || b != nil || err != nil || err2 != nil {
					return fmt.Errorf("a=%q b=%q %w %w", a, b, err, err2)
				}
				once.Do(func() { close(began) })
				<-changed
			}
			return r.Scan("t", "", "", func(key string, value []byte) error {
				if key != "a" || string(value) != "old" {
					return fmt.Errorf("scan shows %s=%s", key, value)
				}
				return nil
			})
		})
	}()
	<-began
	for i := range 20 {
		put(t, s, "t", "a", fmt.Sprint("new", i))
		put(t, s, "t", "b", "new")
	}
	close(changed)
	require.NoError(t, <-seen)
	require.Equal(t, []string{"a=new19", "b=new"}, dump(t, s, "t"))
}

func testNoLostUpdate(t *testing.T, s store.Store) {
	const clients, each = 64, 20
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				if err := s.Update(t.Context(), func(tx store.Tx) error {
					_,
						err := increment(tx)
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, strconv.Itoa(clients*each), get(t, s, "t", "head"))
}

// increment adds one to the head and returns what it is now.
func increment(tx store.Tx) (int, error) {
	n, err := number(tx, "head")
	if err != nil {
		return 0, err
	}
	return n + 1, tx.Put("t", "head", strconv.AppendInt(nil, int64(n+1), 10))
}

func number(g store.Getter, key string) (int, error) {
	b, err := g.Get("t", key)
	if err != nil || b == nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

// event is one transaction as its caller saw it. Began and ended are ticks of one clock.
type event struct {
	began, ended int64
	head         int    // the place in the order: the head that an update wrote or a view read
	key          string // what an update read and then overwrote with its head
	read         int
	update       bool
}

const accounts = 8

// testSerialisable lets updates and views run at once and then looks for one order that explains them all and
// agrees with the clock: the head gives the order.
func testSerialisable(t *testing.T, s store.Store) {
	const clients, each = 16, 24
	var clock atomic.Int64
	all := make([][]event, clients)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				e := event{update: i%3 != 0, key: fmt.Sprint("account", (c*7+i*3)%accounts), began: clock.Add(1)}
				if err := e.run(t, s); errors.Is(err, errRefused) {
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				e.ended = clock.Add(1)
				all[c] = append(all[c], e)
			}
		})
	}
	wg.Wait()
	var events []event
	for _, es := range all {
		events = append(events, es...)
	}
	checkReads(t, events)
	checkClock(t, events)
}

func (e *event) run(t *testing.T, s store.Store) error {
	if !e.update {
		return s.View(t.Context(), func(r store.Reader) (err error) {
			if e.head, err = number(r, "head"); err != nil {
				return err
			}
			e.read, err = number(r, e.key)
			return err
		})
	}
	return s.Update(t.Context(), func(tx store.Tx) (err error) {
		if e.head, err = increment(tx); err != nil {
			return err
		}
		if e.read, err = number(tx, e.key); err != nil {
			return err
		}
		err = tx.Put("t", e.key, strconv.AppendInt(nil, int64(e.head), 10))
		if e.began%5 == 0 {
			return errRefused
		}
		return err
	})
}

// checkReads replays the updates in the order of their heads: each must have read what the last one wrote.
func checkReads(t *testing.T, events []event) {
	writes := map[int]string{}
	for _, e := range events {
		if e.update {
			require.NotContains(t, writes, e.head, "two updates at one place in the order")
			writes[e.head] = e.key
		}
	}
	for _, e := range events {
		before := e.head
		if e.update {
			before--
		}
		for before > 0 && writes[before] != e.key {
			before--
		}
		require.Equal(t, before, e.read, "%+v", e)
	}
}

// checkClock requires that what ended before another began comes before it.
func checkClock(t *testing.T, events []event) {
	for _, a := range events {
		for _, b := range events {
			if a.ended < b.began {
				require.LessOrEqual(t, a.head, b.head, "%+v before %+v", a, b)
			}
		}
	}
}
