package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

type thing struct {
	N int `json:"n"`
}

var (
	things = Table[thing]{Name: "things"}
	ada    = audit.Actor{Name: "ada", Role: "pm"}
)

// ticking is a clock that moves on by a second each time it is read.
func ticking() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func open(t *testing.T, s store.Store) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), s, ticking())
	require.NoError(t, err)
	return l
}

// set puts one thing with its record.
func set(ctx context.Context, l *Ledger, key string, n int) error {
	return l.Update(ctx, func(tx *Tx) error {
		if _, err := things.Put(tx, key, thing{n}); err != nil {
			return err
		}
		return tx.Append(Event{Kind: "thing.set", Actor: ada, Subject: key, Data: thing{n}})
	})
}

func get(t *testing.T, l *Ledger, key string) (v thing, found bool) {
	t.Helper()
	require.NoError(t, l.View(t.Context(), func(r store.Reader) (err error) {
		v, found, err = things.Get(r, key)
		return err
	}))
	return v, found
}

func justRead(_ store.Getter, record audit.Record) audit.Record { return record }

func replayNothing(audit.Record, audit.Head) error { return nil }

func verify(t *testing.T, l *Ledger) error {
	t.Helper()
	_, err := Verify(t.Context(), l, justRead, replayNothing)
	return err
}

// Verifies: ORC-021
func TestAChangeAndItsRecordAreOne(t *testing.T) {
	l := open(t, store.NewMemory())
	require.NoError(t, set(t.Context(), l, "a", 1))
	v, found := get(t, l, "a")
	require.True(t, found)
	require.Equal(t, thing{1}, v)

	page, err := l.Records(t.Context(), 0, 10)
	require.NoError(t, err)
	require.Len(t, page.Records, 2)
	r, err := audit.Decode(page.Records[1])
	require.NoError(t, err)
	require.Equal(t, "thing.set", r.Kind)
	require.Equal(t, ada, r.Actor)
	require.JSONEq(t, `{"n":1}`, string(r.Data))
	require.NoError(t, verify(t, l))
}

// Verifies: ORC-021
func TestAChangeWithoutRecordIsRefused(t *testing.T) {
	l := open(t, store.NewMemory())
	for name, write := range map[string]func(tx *Tx) error{
		"put":    func(tx *Tx) error { _, err := things.Put(tx, "a", thing{1}); return err },
		"delete": func(tx *Tx) error { return things.Delete(tx, "a") },
	} {
		require.ErrorContains(t, l.Update(t.Context(), write), "without an audit record", name)
	}
	_, found := get(t, l, "a")
	require.False(t, found)
	require.NoError(t, l.Update(t.Context(), func(*Tx) error { return nil }), "reading needs no record")
	require.Equal(t, uint64(1), l.Head().Size)
}

// Verifies: ORC-021
func TestAFailingUpdateLeavesNothing(t *testing.T) {
	l := open(t, store.NewMemory())
	boom := errors.New("boom")
	for range 5 { // the memory store runs some of them twice
		err := l.Update(t.Context(), func(tx *Tx) error {
			_, _ = things.Put(tx, "a", thing{1})
			_ = tx.Append(Event{Kind: "thing.set", Actor: ada})
			return boom
		})
		require.ErrorIs(t, err, boom)
	}
	require.Equal(t, uint64(1), l.Head().Size)
	require.NoError(t, verify(t, l))
}

// TestFaultPairs: a commit that failed, and one that failed but happened, both end the ledger; what is
// in the store afterwards hangs together, and a new ledger goes on from it.
func TestFaultPairs(t *testing.T) {
	for name, f := range map[string]storetest.Fault{
		"failed":              {Apply: false, Err: errors.New("disk")},
		"failed but happened": {Apply: true, Err: errors.New("timeout")},
	} {
		t.Run(name, func(t *testing.T) {
			faulty := storetest.NewFaulty(store.NewMemory())
			l := open(t, faulty)
			var published int
			require.NoError(t, l.Follow(t.Context(), Follower{Told: func(batch []Commit) { published += len(batch) }}))
			require.NoError(t, set(t.Context(), l, "a", 1))
			faulty.Next(f)

			err := set(t.Context(), l, "a", 2)
			require.ErrorIs(t, err, fault.Unavailable)
			require.ErrorIs(t, err, f.Err)
			require.Contains(t, err.Error(), "Idempotency-Key")
			<-l.Failed()
			require.Equal(t, 1, published, "what is not known to be durable is not published")
			require.Equal(t, uint64(2), l.Head().Size)

			require.ErrorIs(t, set(t.Context(), l, "a", 3), fault.Unavailable)
			_, err = l.Records(t.Context(), 0, 10)
			require.ErrorIs(t, err, fault.Unavailable, "nothing is read any more either")

			again := open(t, faulty)
			require.NoError(t, verify(t, again))
			v, _ := get(t, again, "a")
			want, size := 1, uint64(2)
			if f.Apply {
				want, size = 2, 3
			}
			require.Equal(t, thing{want}, v)
			require.Equal(t, size, again.Head().Size)
			require.NoError(t, set(t.Context(), again, "a", 4))
			require.NoError(t, verify(t, again))
		})
	}
}

// TestFollowersSeeTheLog: under contention every commit is told once, in log order, before its Update
// returns.
func TestFollowersSeeTheLog(t *testing.T) {
	l := open(t, store.NewMemory())
	told := map[string]int{}
	next := l.Head().Size
	var mu sync.Mutex
	require.NoError(t, l.Follow(t.Context(), Follower{Told: func(batch []Commit) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range batch {
			require.Equal(t, next+1, c.Head.Size)
			require.Equal(t, next, c.Records[0].Seq)
			require.Equal(t, c.Writes[0].Key, c.Records[0].Subject)
			next = c.Head.Size
			told[c.Writes[0].Key]++
		}
	}}))
	var running sync.WaitGroup
	for i := range 64 {
		running.Go(func() {
			for j := range 20 {
				key := fmt.Sprintf("%d-%d", i, j)
				if err := set(t.Context(), l, key, j); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if told[key] != 1 {
					t.Errorf("%s was told %d times when its update returned", key, told[key])
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	require.Len(t, told, 64*20)
	require.Equal(t, uint64(64*20+1), l.Head().Size)
	require.NoError(t, verify(t, l))
}

func TestAFollowerThatPanicsEndsTheLedger(t *testing.T) {
	l := open(t, store.NewMemory())
	require.NoError(t, l.Follow(t.Context(), Follower{Told: func([]Commit) { panic("a follower's defect") }}))
	require.ErrorIs(t, set(t.Context(), l, "a", 1), fault.Unavailable)
	<-l.Failed()
	require.ErrorContains(t, l.Err(), "a follower's defect")
	require.ErrorIs(t, set(t.Context(), l, "a", 2), fault.Unavailable)
}

// TestARecordHasTheTimeOfTheClock: a jump, which the clock takes back, leaves no mark on later records.
func TestARecordHasTheTimeOfTheClock(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	now, s := noon, store.NewMemory()
	l, err := Open(t.Context(), s, func() time.Time { return now })
	require.NoError(t, err)
	for _, now = range []time.Time{noon, noon.AddDate(10, 0, 0), noon.Add(time.Minute), noon.AddDate(-1, 0, 0)} {
		var at time.Time
		require.NoError(t, l.Update(t.Context(), func(tx *Tx) error {
			at = tx.At()
			return tx.Append(Event{Kind: "thing.seen", Actor: ada})
		}))
		require.Equal(t, now, at)
	}
	require.NoError(t, verify(t, l))
	again, err := Open(t.Context(), s, func() time.Time { return noon })
	require.NoError(t, err)
	require.Equal(t, l.Head(), again.Head())
}

func TestLargeDataIsKeptBesideTheLog(t *testing.T) {
	l := open(t, store.NewMemory())
	large := strings.Repeat("x", 100_000)
	require.NoError(t, l.Update(t.Context(), func(tx *Tx) error {
		return tx.Append(Event{Kind: "thing.large", Actor: ada, Data: large})
	}))
	page, err := l.Records(t.Context(), 1, 1)
	require.NoError(t, err)
	require.Less(t, len(page.Records[0]), 1000)
	record, err := audit.Decode(page.Records[0])
	require.NoError(t, err)
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		got, err := DataOf[string](r, record)
		require.Equal(t, large, got)
		return err
	}))
	_, err = l.Blob(t.Context(), "none")
	require.ErrorIs(t, err, fault.NotFound)
}

func TestPages(t *testing.T) {
	l := open(t, store.NewMemory())
	for i := range 10 {
		require.NoError(t, set(t.Context(), l, []string{"even", "odd"}[i%2], i))
	}
	page, err := l.Records(t.Context(), 3, 4)
	require.NoError(t, err)
	require.Len(t, page.Records, 4)
	require.Equal(t, uint64(7), page.Next)
	require.Equal(t, uint64(11), page.Total)
	page, err = l.Records(t.Context(), 7, 4)
	require.NoError(t, err)
	require.Len(t, page.Records, 4)
	require.Zero(t, page.Next, "this was the last page")

	page, err = l.History(t.Context(), "odd", 0, 2)
	require.NoError(t, err)
	require.Equal(t, uint64(5), page.Total)
	require.Equal(t, []uint64{10, 8}, seqs(t, page), "newest first")
	page, err = l.History(t.Context(), "odd", page.Next, 9)
	require.NoError(t, err)
	require.Equal(t, []uint64{6, 4, 2}, seqs(t, page))
	require.Zero(t, page.Next)
	for _, wrong := range []uint64{1, 99} {
		_, err = l.History(t.Context(), "odd", wrong, 9)
		require.ErrorIs(t, err, fault.Malformed)
	}
	page, err = l.History(t.Context(), "od", 0, 9)
	require.NoError(t, err)
	require.Empty(t, page.Records, "a subject is not a prefix")
}

func seqs(t *testing.T, page Page) (out []uint64) {
	t.Helper()
	for _, raw := range page.Records {
		record, err := audit.Decode(raw)
		require.NoError(t, err)
		out = append(out, record.Seq)
	}
	return out
}

func TestRootAt(t *testing.T) {
	l := open(t, store.NewMemory())
	var roots []audit.Hash
	for i := range 20 {
		roots = append(roots, l.Head().Root)
		require.NoError(t, set(t.Context(), l, "a", i))
	}
	for i, want := range roots {
		got, err := l.RootAt(t.Context(), uint64(i+1))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := l.RootAt(t.Context(), 99)
	require.ErrorContains(t, err, "21 records, not 99")
}

// TestAPageOfLargeRecordsEnds: a page has some megabytes at most, and following its next gives every record all the same.
func TestAPageOfLargeRecordsEnds(t *testing.T) {
	l, err := Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	const large = 200
	require.NoError(t, l.Update(t.Context(), func(tx *Tx) error {
		for range large {
			if err := tx.Append(Event{Kind: "k", Actor: audit.Actor{Name: "a", Role: "pm"}, Subject: "s", Data: strings.Repeat("x", 50_000)}); err != nil {
				return err
			}
		}
		return nil
	}))
	count := func(read func(from uint64) (Page, error)) (records, pages int) {
		for from, more := uint64(0), true; more; pages++ {
			page, err := read(from)
			require.NoError(t, err)
			size := 0
			for _, raw := range page.Records {
				size += len(raw)
			}
			require.Less(t, size, 5<<20)
			records, from, more = records+len(page.Records), page.Next, page.Next != 0
		}
		return records, pages
	}
	records, pages := count(func(from uint64) (Page, error) { return l.Records(t.Context(), from, 1000) })
	require.Equal(t, large+1, records)
	require.Equal(t, 3, pages)
	records, pages = count(func(before uint64) (Page, error) { return l.History(t.Context(), "s", before, 1000) })
	require.Equal(t, large, records)
	require.Equal(t, 3, pages)
}

// TestATableEncodesItsValues: what the table has a function for is stored as that returns it, and fails as that fails.
func TestATableEncodesItsValues(t *testing.T) {
	own := Table[thing]{Name: "things", Encode: func(*thing) ([]byte, error) { return []byte(`{"own":true}`), nil }}
	broken := Table[thing]{Name: "things", Encode: func(*thing) ([]byte, error) { return nil, errors.New("no form") }}
	l := open(t, store.NewMemory())
	require.NoError(t, l.Update(t.Context(), func(tx *Tx) error {
		raw, err := own.Put(tx, "a", thing{})
		require.NoError(t, err)
		require.Equal(t, `{"own":true}`, string(raw))
		raw, err = own.Encoding(thing{})
		require.NoError(t, err)
		require.Equal(t, `{"own":true}`, string(raw))
		_, err = broken.Put(tx, "b", thing{})
		require.ErrorContains(t, err, "no form")
		return tx.Append(Event{Kind: "test", Actor: System()})
	}))
}
