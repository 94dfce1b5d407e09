// Package feed gives the published records of the log to many readers as they come, each record decoded and encoded
// once for all.
//
// While anybody reads, one goroutine waits for the log and wakes the readers one after the other, at a pace that leaves
// the processors to who writes. It keeps the newest records; a reader that is behind them reads the log itself, a small
// piece at a time. So a reader that is slow holds a piece and no more, and no reader holds up who writes.
package feed

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// ErrStopped is returned when the feed ends.
var ErrStopped = errors.New("the feed has ended")

// Record is a published record, and what is asked of it. Readers share its bytes: as they were hashed, or as the feed
// encodes records.
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
	encode  func(to []byte, r Record) []byte
	behind  chan struct{} // held by a reader that reads the log itself: one at a time takes a processor

	mu   sync.Mutex
	pace *pacer // nil while nobody reads
}

// New returns a feed of a log, which ends when stopped is closed.
func New(l *ledger.Ledger, stopped <-chan struct{}) *Feed {
	return Encoding(l, stopped, func(to []byte, r Record) []byte { return append(to, r.Bytes...) })
}

// Encoding returns a feed whose records have the bytes that encode appends for them.
func Encoding(l *ledger.Ledger, stopped <-chan struct{}, encode func(to []byte, r Record) []byte) *Feed {
	return &Feed{ledger: l, stopped: stopped, encode: encode, behind: make(chan struct{}, 1)}
}

// Reader reads the feed, for one goroutine.
type Reader struct{ *reader }

type reader struct {
	feed *Feed
	pace *pacer
	wake chan struct{} // there is more
	back chan struct{} // it waits again

	waits bool // under the lock of the pacer
}

// Open begins to read. Close must be called at the end.
func (f *Feed) Open() Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pace == nil || f.pace.over() {
		f.pace = newPacer(f)
		go f.pace.run()
	}
	r := &reader{feed: f, pace: f.pace, wake: make(chan struct{}, 1), back: make(chan struct{}, 1)}
	f.pace.join(r)
	return Reader{r}
}

// Close ends reading. With the last reader goes what is kept for all.
func (r Reader) Close() {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	if r.pace.leave(r.reader) && r.feed.pace == r.pace {
		r.feed.pace = nil
	}
}

// Next waits for the record with a number, and returns it with some of those behind it. They are not to be changed.
//
// Implements: ORC-301
func (r Reader) Next(ctx context.Context, from uint64) ([]Record, error) {
	for {
		records, behind := r.pace.at(r.reader, from)
		if behind {
			return r.feed.piece(ctx, from)
		}
		if len(records) > 0 {
			return records, nil
		}
		select {
		case <-r.wake:
		case <-r.pace.ended:
			return nil, r.pace.err
		case <-ctx.Done():
			r.pace.forgo(r.reader)
			return nil, ctx.Err()
		}
	}
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
	records, err := f.read(ctx, from, pieceSize)
	if err != nil {
		return nil, err
	}
	return f.pieces(nil, records)[0].records, nil
}

// read reads published records from a number on, until they have so many bytes.
func (f *Feed) read(ctx context.Context, from uint64, most int) (records []Record, err error) {
	end := min(f.ledger.Head().Size, from+mostKept)
	err = f.ledger.View(ctx, func(r store.Reader) error {
		some, read := []Record(nil), 0
		for seq := from; seq < end && read < most; seq += readAtOnce {
			next, err := recordsAt(r, seq, min(end, seq+readAtOnce))
			if err != nil {
				return err
			}
			for i := 0; i < len(next) && read < most; i++ {
				some, read = append(some, next[i]), read+len(next[i].Bytes)
			}
		}
		records = some
		return nil
	})
	return records, err
}

// readAtOnce is how many records are asked for at once: a store may be far.
const readAtOnce = 16

// recordsAt returns the records from one number up to another.
func recordsAt(r store.Getter, from, to uint64) (records []Record, err error) {
	found, err := store.GetMany(r, rows.Places(from, to))
	if err != nil {
		return nil, err
	}
	for i, row := range found {
		raw := bytes.Clone(rows.RecordOf(row))
		record, err := audit.Decode(raw)
		if err != nil {
			return nil, store.Damaged("record %d cannot be read", from+uint64(i)).Because(err)
		}
		records = append(records, Record{from + uint64(i), record.Kind, record.Subject, record.Actor.Role, raw})
	}
	return records, nil
}
