// Package feed gives the published records of the log to many readers as they come, each record decoded once for all.
//
// A feed has no goroutine of its own: of the readers that wait, one waits for the log, on behalf of all. It keeps the
// newest records while anybody reads; a reader that is behind them reads the log itself, a small piece at a time. So a
// reader that is slow holds a piece and no more, and no reader holds up who writes.
package feed

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

// Bounds of what is held in memory.
const (
	mostKept  = 1024     // records, for all readers
	mostBytes = 4 << 20  // of them
	pieceSize = 64 << 10 // of what one reader has, which may be more by one record
)

// The feed rests after each batch while the readers pass it on, so that they do not take the processors from who
// writes: what is published meanwhile goes out together. The readers begin one after the other, over all of the rest.
const (
	restOfOne = 200 * time.Microsecond // for each reader beyond the first
	mostRest  = 200 * time.Millisecond
)

// ErrStopped is returned when the feed ends.
var ErrStopped = errors.New("the feed has ended")

// Record is a published record: its bytes as they were hashed, which readers share, and what is asked of it.
type Record struct {
	Number  uint64
	Kind    string
	Subject string
	Role    string // of who acted
	Bytes   []byte
}

// Feed is safe for concurrent use.
type Feed struct {
	ledger  *ledger.Ledger
	stopped <-chan struct{}
	lead    chan struct{} // held by the reader that waits for the log
	behind  chan struct{} // held by a reader that reads the log itself: one at a time takes a processor

	mu      sync.Mutex
	readers int
	opened  uint64   // since the start
	kept    []Record // the newest
	bytes   int      // of what is kept
	end     uint64   // number of the record that comes next
	more    chan struct{}
	ready   time.Time // when the next batch may come
}

// New returns a feed of a log, which ends when stopped is closed.
func New(l *ledger.Ledger, stopped <-chan struct{}) *Feed {
	return &Feed{ledger: l, stopped: stopped, lead: make(chan struct{}, 1), behind: make(chan struct{}, 1),
		more: make(chan struct{})}
}

// Reader reads the feed, for one goroutine.
type Reader struct {
	feed *Feed
	turn float64 // when it begins with a batch, as a part of the rest
}

// Open begins to read. Close must be called at the end.
func (f *Feed) Open() Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers++; f.readers == 1 {
		f.end = f.ledger.Head().Size
	}
	f.opened++
	_, turn := math.Modf(float64(f.opened) * math.Phi) // which spreads any number of them evenly
	return Reader{f, turn}
}

// Close ends reading. With the last reader goes what is kept for all.
func (r Reader) Close() {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers--; f.readers == 0 {
		f.kept, f.bytes = nil, 0
	}
}

// Next waits for the record with a number, and returns it with some of those behind it. They are not to be changed.
//
// Implements: ORC-301
func (r Reader) Next(ctx context.Context, from uint64) ([]Record, error) {
	f := r.feed
	for {
		records, behind, more := f.at(from)
		if behind {
			return f.piece(ctx, from)
		}
		if len(records) > 0 {
			return records, nil
		}
		select {
		case <-more:
			err := f.pause(ctx, time.Duration(float64(f.rest())*r.turn))
			if err != nil {
				return nil, err
			}
		case f.lead <- struct{}{}:
			err := f.extend(ctx)
			<-f.lead
			if err != nil {
				return nil, err
			}
		case <-f.stopped:
			return nil, ErrStopped
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// at returns what is kept from a number on, or that the log has to be read for it; more is closed when there is more.
func (f *Feed) at(from uint64) (records []Record, behind bool, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch first := f.end - uint64(len(f.kept)); {
	case from < first:
		return nil, true, nil
	case from < f.end:
		return firstPiece(f.kept[from-first:]), false, nil
	}
	return nil, false, f.more
}

// firstPiece returns a copy of the first records, for a reader that may have them when they are not kept any more.
func firstPiece(of []Record) []Record {
	n, bytes := 0, 0
	for n < len(of) && bytes < pieceSize {
		bytes += len(of[n].Bytes)
		n++
	}
	return slices.Clone(of[:n])
}

// extend waits until the log has grown and the feed has rested, and adds what there is. Only who leads calls it.
func (f *Feed) extend(ctx context.Context) error {
	f.mu.Lock()
	end, ready := f.end, f.ready
	f.mu.Unlock()
	if err := wait(ctx, f.stopped, f.ledger.Grown(end)); err != nil {
		return err
	}
	if err := f.ledger.Err(); err != nil {
		return err
	}
	if err := f.pause(ctx, time.Until(ready)); err != nil {
		return err
	}
	records, err := f.read(ctx, end, mostBytes)
	if err == nil {
		f.add(records)
	}
	return err
}

// rest returns how long the feed rests after a batch.
func (f *Feed) rest() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.restLocked()
}

func (f *Feed) restLocked() time.Duration { return min(time.Duration(f.readers-1)*restOfOne, mostRest) }

func (f *Feed) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	return wait(ctx, f.stopped, timer.C)
}

func wait[T any](ctx context.Context, stopped <-chan struct{}, until <-chan T) error {
	select {
	case <-until:
		return nil
	case <-stopped:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add keeps a batch, and wakes all who wait for it.
func (f *Feed) add(batch []Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	f.kept = append(f.kept, batch...)
	f.end += uint64(len(batch))
	f.bytes += size(batch)
	f.forget()
	f.ready = time.Now().Add(f.restLocked())
	close(f.more)
	f.more = make(chan struct{})
}

// forget lets the older half go of what is too much.
func (f *Feed) forget() {
	if len(f.kept) <= mostKept && f.bytes <= mostBytes {
		return
	}
	first, bytes := len(f.kept), 0
	for first > 0 && len(f.kept)-first < mostKept/2 && bytes+len(f.kept[first-1].Bytes) <= mostBytes/2 {
		first--
		bytes += len(f.kept[first].Bytes)
	}
	f.kept, f.bytes = slices.Clone(f.kept[first:]), bytes
}

func size(records []Record) (n int) {
	for _, r := range records {
		n += len(r.Bytes)
	}
	return n
}

// piece reads what is behind what is kept, from the log.
func (f *Feed) piece(ctx context.Context, from uint64) ([]Record, error) {
	select {
	case f.behind <- struct{}{}:
	case <-f.stopped:
		return nil, ErrStopped
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-f.behind }()
	return f.read(ctx, from, pieceSize)
}

// read reads published records from a number on, until they have so many bytes.
func (f *Feed) read(ctx context.Context, from uint64, bytes int) (records []Record, err error) {
	end := min(f.ledger.Head().Size, from+mostKept)
	err = f.ledger.View(ctx, func(r store.Reader) error {
		some, read := []Record(nil), 0
		for seq := from; seq < end && read < bytes; seq++ {
			raw, record, err := ledger.RecordAt(r, seq)
			if err != nil {
				return err
			}
			some, read = append(some, Record{seq, record.Kind, record.Subject, record.Actor.Role, raw}), read+len(raw)
		}
		records = some
		return nil
	})
	return records, err
}
