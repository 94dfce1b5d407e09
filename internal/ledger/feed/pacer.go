package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// After a reader was given what is new, the next one waits: three times as long as that took, so that readers take a
// quarter of a processor, and for at most mostRest over all readers. What is published meanwhile goes out together.
const (
	restsAfter = 3
	mostRest   = 200 * time.Millisecond
	shortRest  = time.Millisecond // rests are added up to this
	mostTaken  = time.Millisecond // of one reader, which goes on while the next one begins
)

// pacer gives what is new to readers, until the last one has left.
type pacer struct {
	feed  *Feed
	gone  chan struct{} // closed when the last one has left
	ended chan struct{} // closed at the end, which err gives the reason of
	err   error

	mu      sync.Mutex
	readers []*reader
	kept    kept

	clock *time.Timer
	owed  time.Duration // of rest
}

func newPacer(f *Feed) *pacer {
	return &pacer{feed: f, gone: make(chan struct{}), ended: make(chan struct{}), kept: kept{end: f.ledger.Head().Size},
		clock: time.NewTimer(0)}
}

func (p *pacer) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *pacer) join(r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers = append(p.readers, r)
}

// leave reports whether it was the last one.
func (p *pacer) leave(r *reader) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers = slices.DeleteFunc(p.readers, func(other *reader) bool { return other == r })
	if len(p.readers) > 0 {
		return false
	}
	close(p.gone)
	return true
}

// at returns what is kept from a number on, or that the log has to be read for it. Where there is nothing, the reader
// waits.
func (p *pacer) at(r *reader, from uint64) (records []Record, behind bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	records, behind = p.kept.from(from)
	if r.waits = records == nil && !behind; r.waits {
		select {
		case r.back <- struct{}{}:
		default:
		}
	}
	return records, behind
}

// forgo ends the wait of a reader.
func (p *pacer) forgo(r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.waits = false
}

// run gives readers what is new until the last one has left, or the feed or the log ends.
func (p *pacer) run() {
	defer close(p.ended)
	for {
		if p.err = p.grow(); p.err != nil {
			return
		}
		p.pass()
	}
}

var errGone = errors.New("nobody reads")

// grow waits until the log has grown, and keeps what is new.
func (p *pacer) grow() error {
	if err := p.until(p.feed.ledger.Grown(p.kept.end)); err != nil {
		return err
	}
	if err := p.feed.ledger.Err(); err != nil {
		return err
	}
	records, err := p.feed.read(context.Background(), p.kept.end, mostBytes)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept.pieces = p.feed.pieces(p.kept.pieces, records)
	p.kept.records += len(records)
	p.kept.end += uint64(len(records))
	p.kept.forget()
	return nil
}

func (p *pacer) until(what <-chan struct{}) error {
	select {
	case <-what:
		return nil
	case <-p.feed.stopped:
		return ErrStopped
	case <-p.gone:
		return errGone
	}
}

// pass wakes the readers that wait, one after the other. One that does not come back soon goes on by itself.
func (p *pacer) pass() {
	p.mu.Lock()
	readers := slices.Clone(p.readers)
	p.mu.Unlock()
	for _, r := range readers {
		begun := time.Now()
		if !p.wake(r) {
			continue
		}
		p.clock.Reset(mostTaken)
		select {
		case <-r.back:
		case <-p.clock.C:
		case <-p.feed.stopped:
			return
		case <-p.gone:
			return
		}
		p.owed += min(restsAfter*time.Since(begun), mostRest/time.Duration(len(readers)))
		p.rest()
	}
}

// wake lets a reader go on. It reports whether it waited.
func (p *pacer) wake(r *reader) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.waits {
		return false
	}
	r.waits = false
	select {
	case <-r.back: // of a wait before
	default:
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return true
}

// rest rests when it is worth it.
func (p *pacer) rest() {
	if p.owed < shortRest {
		return
	}
	p.clock.Reset(p.owed)
	select {
	case <-p.clock.C:
	case <-p.feed.stopped:
	case <-p.gone:
	}
	p.owed = 0
}
