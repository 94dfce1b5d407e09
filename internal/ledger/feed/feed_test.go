package feed_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/feed"
	"orchestrator/internal/ledger/store"
)

func openLog(t *testing.T) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// grow appends n records, each with so many bytes of text, in updates of at most 100.
func grow(t *testing.T, l *ledger.Ledger, n, bytes int) {
	t.Helper()
	for ; n > 0; n -= min(n, 100) {
		err := l.Update(t.Context(), func(tx *ledger.Tx) error {
			for range min(n, 100) {
				e := ledger.Event{Kind: "test.grown", Subject: fmt.Sprint("REQ-", tx.Seq()%3),
					Actor: audit.Actor{Name: "ann", Role: "pm"}, Data: map[string]string{"text": strings.Repeat("x", bytes)}}
				if err := tx.Append(e); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// follow reads from a number until the record before end was read, and requires that each comes once, in order, and
// with the bytes that the log has.
func follow(ctx context.Context, t *testing.T, l *ledger.Ledger, r feed.Reader, from, end uint64) error {
	for from < end {
		records, err := r.Next(ctx, from)
		if err != nil {
			return err
		}
		for _, one := range records {
			raw, err := l.Record(ctx, from)
			if err != nil {
				return err
			}
			if one.Number != from || string(one.Bytes) != string(raw) {
				return fmt.Errorf("record %d is %d: %s, not %s", from, one.Number, one.Bytes, raw)
			}
			from++
		}
	}
	return nil
}

// Verifies: ORC-301
func TestReadersGetEachRecordOnceAndInOrder(t *testing.T) {
	l := openLog(t)
	const before, live = 1500, 3000
	grow(t, l, before, 10)
	begun := l.Head().Size
	f := feed.New(l, nil)
	var readers sync.WaitGroup
	failed := make(chan error, 100)
	for i := range 20 {
		readers.Go(func() {
			from := begun * uint64(i) / 19 // some begin at the first record, some with the next
			for at := from; at < begun+live; at = min(at+uint64(400+50*i), begun+live) {
				r := f.Open() // leaves and resumes, again and again
				err := follow(t.Context(), t, l, r, at, min(at+uint64(400+50*i), begun+live))
				r.Close()
				if err != nil {
					failed <- err
					return
				}
				if i%5 == 0 {
					time.Sleep(time.Millisecond) // falls behind
				}
			}
		})
	}
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() { grow(t, l, live/4, 10) })
	}
	writers.Wait()
	readers.Wait()
	close(failed)
	require.NoError(t, <-failed)
}

// What one reader is given, and what is kept for all, are bounded, however much is published meanwhile.
//
// Verifies: ORC-302
func TestPiecesAndWhatIsKeptAreBounded(t *testing.T) {
	l := openLog(t)
	begun := l.Head().Size
	f := feed.New(l, nil)
	r := f.Open()
	defer r.Close()
	grow(t, l, 300, 30_000) // 9 MB: more than is kept
	grow(t, l, 6000, 10)    // more records than are kept
	for from := begun; from < l.Head().Size; {
		records, err := r.Next(t.Context(), from)
		require.NoError(t, err)
		bytes := 0
		for _, one := range records {
			bytes += len(one.Bytes)
		}
		require.LessOrEqual(t, bytes, 64<<10+audit.MaxRecord, "from record %d", from)
		kept, size := f.Kept()
		require.LessOrEqual(t, kept, 4096)
		require.LessOrEqual(t, size, 4<<20)
		from += uint64(len(records))
	}
}

func TestNothingIsKeptWhenNobodyReads(t *testing.T) {
	l := openLog(t)
	f := feed.New(l, nil)
	grow(t, l, 1, 10)
	from := l.Head().Size
	r := f.Open()
	grow(t, l, 5, 10)
	require.NoError(t, follow(t.Context(), t, l, r, from, from+5))
	kept := func() int { n, _ := f.Kept(); return n }
	require.Equal(t, 5, kept())
	r.Close()
	require.Zero(t, kept())
	grow(t, l, 5, 10)
	require.Zero(t, kept())
	r = f.Open()
	defer r.Close()
	require.NoError(t, follow(t.Context(), t, l, r, from+9, from+10), "the record just before what is kept")
	require.NoError(t, follow(t.Context(), t, l, r, from, from+10), "what was missed is read from the log")
}

// A reader that is gone hands on what it waited for.
func TestWhoWaitsForTheLogMayLeave(t *testing.T) {
	l := openLog(t)
	f := feed.New(l, nil)
	from := l.Head().Size
	first, second := f.Open(), f.Open()
	defer second.Close()
	ctx, leave := context.WithCancel(t.Context())
	left, got := make(chan error, 1), make(chan error, 1)
	go func() { _, err := first.Next(ctx, from); first.Close(); left <- err }()
	go func() { got <- follow(t.Context(), t, l, second, from, from+1) }()
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	grow(t, l, 1, 10)
	require.NoError(t, <-got)
}

func TestReadersEndWithTheFeedAndWithTheLedger(t *testing.T) {
	l := openLog(t)
	stopped := make(chan struct{})
	f := feed.New(l, stopped)
	const readers = 10
	ended := make(chan error, readers)
	read := func(f *feed.Feed) {
		for range readers {
			r := f.Open()
			go func() { _, err := r.Next(context.Background(), l.Head().Size); r.Close(); ended <- err }()
		}
	}
	read(f)
	close(stopped)
	for range readers {
		require.ErrorIs(t, <-ended, feed.ErrStopped)
	}
	read(feed.New(l, nil))
	l.Stop(fmt.Errorf("the disk is gone"))
	for range readers {
		require.ErrorContains(t, <-ended, "the store has failed")
	}
}

// Readers that take their time are given batches: each rests the pacer, and what is published meanwhile goes out together.
//
// Verifies: ORC-302
func TestManyReadersAreGivenBatches(t *testing.T) {
	l := openLog(t)
	f := feed.New(l, nil)
	const readers, records = 40, 150
	from, batches := l.Head().Size, make(chan int, readers)
	for range readers {
		r := f.Open()
		go func() {
			n := 0
			for at := from; at < from+records; n++ {
				some, err := r.Next(context.Background(), at)
				if err != nil {
					break
				}
				at += uint64(len(some))
				time.Sleep(2 * time.Millisecond)
			}
			r.Close()
			batches <- n
		}()
	}
	begun := time.Now()
	for range records {
		grow(t, l, 1, 10)
		time.Sleep(5 * time.Millisecond)
	}
	for range readers {
		require.LessOrEqual(t, <-batches, 3+int(time.Since(begun)/(readers*4*time.Millisecond)))
	}
}

// A reader that does not come back holds up none, and what it has been given stays as it was.
//
// Verifies: ORC-302
func TestAReaderThatHangsHoldsUpNone(t *testing.T) {
	l := openLog(t)
	f := feed.New(l, nil)
	from := l.Head().Size
	hangs, reads := f.Open(), f.Open()
	defer hangs.Close()
	defer reads.Close()
	given := make(chan []feed.Record)
	go func() {
		some, _ := hangs.Next(context.Background(), from)
		given <- some
	}()
	grow(t, l, 1, 10)
	some := <-given
	require.NotEmpty(t, some)
	had := string(feed.Together(some))
	done := make(chan error, 1)
	go func() { done <- follow(t.Context(), t, l, reads, from, from+2000) }()
	grow(t, l, 1999, 100)
	require.NoError(t, <-done)
	require.Equal(t, had, string(feed.Together(some)))
}

// Each record is encoded once, however many read it.
func TestRecordsAreEncodedOnceForAll(t *testing.T) {
	l := openLog(t)
	var encoded atomic.Int64
	f := feed.Encoding(l, nil, func(to []byte, r feed.Record) []byte {
		encoded.Add(1)
		return fmt.Appendf(to, "<%d %s %s>", r.Number, r.Role, r.Bytes)
	})
	const readers, records = 20, 700
	from := l.Head().Size
	read := make(chan string, readers)
	for range readers {
		r := f.Open()
		go func() {
			defer r.Close()
			var all strings.Builder
			for at := from; at < from+records; {
				some, err := r.Next(context.Background(), at)
				if err != nil {
					break
				}
				at += uint64(len(some))
				all.Write(feed.Together(some))
			}
			read <- all.String()
		}()
	}
	var want strings.Builder
	grow(t, l, records, 300) // 300 KB: several pieces
	for n := from; n < from+records; n++ {
		raw, err := l.Record(t.Context(), n)
		require.NoError(t, err)
		fmt.Fprintf(&want, "<%d pm %s>", n, raw)
	}
	for range readers {
		require.Equal(t, want.String(), <-read)
	}
	require.EqualValues(t, records, encoded.Load())
}
