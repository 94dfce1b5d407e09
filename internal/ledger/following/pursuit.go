package following

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/store"
)

const (
	fastest  = 10 * time.Millisecond  // between two polls while others write: a ring of the bell may be lost
	slowest  = 250 * time.Millisecond // at rest
	mostRead = 10 * time.Second       // for one read of the store
	patience = 2 * time.Second        // how long reads may fail before who waits for one is told
)

// CodeUnreachable is the code of what waits for the log of the others while it cannot be read.
const CodeUnreachable fault.Code = "store_unreachable"

// Pursuit follows the log of a store. It is safe for concurrent use.
//
// Implements: ORC-350
type Pursuit struct {
	store store.Shared
	order *order.Published
	me    uint64
	knows knowledge

	begun   sync.Once
	context context.Context
	end     context.CancelFunc
	ended   chan struct{} // closed when nothing is followed any more
	closing sync.RWMutex  // read-held by updates
	failing time.Time     // since when reads fail

	questions questions
}

// New returns what follows the log of a store, and publishes it.
func New(s store.Shared, o *order.Published) *Pursuit {
	var me [8]byte
	_, _ = rand.Read(me[:]) // it never fails
	p := &Pursuit{store: s, order: o, me: binary.BigEndian.Uint64(me[:]), ended: make(chan struct{})}
	p.context, p.end = context.WithCancel(context.Background())
	return p
}

// Start follows the log from now on.
func (p *Pursuit) Start() {
	p.begun.Do(func() { go p.run() })
}

// Enter begins an update, which Stop waits for. It starts to follow the log.
func (p *Pursuit) Enter() (leave func()) {
	p.Start()
	p.closing.RLock()
	return p.closing.RUnlock
}

// Stop ends when updates have ended and nothing is followed any more.
func (p *Pursuit) Stop() {
	p.closing.Lock()
	defer p.closing.Unlock()
	p.end()
	p.begun.Do(func() { close(p.ended) })
	<-p.ended
}

func (p *Pursuit) run() {
	defer close(p.ended)
	pause := fastest
	due := time.NewTimer(pause)
	defer due.Stop()
	for {
		var err error
		others := true // may have written
		select {
		case <-p.context.Done():
			return
		case <-p.store.Bell():
			err = p.read()
		case <-p.order.Wanted():
			err = p.read()
		case <-due.C:
			others, err = p.poll(pause)
		}
		if p.context.Err() != nil {
			return
		}
		p.report(err)
		if pause = min(2*pause, slowest); others {
			pause = fastest
		}
		due.Reset(pause)
	}
}

// poll asks where the log stands, unless that was asked less than a pause ago, and reads it if another process has gone
// on. It reports whether one has, or may have.
func (p *Pursuit) poll(pause time.Duration) (others bool, err error) {
	if time.Since(p.Confirmed()) < pause {
		return false, nil
	}
	t, err := p.newest()
	if err != nil {
		return true, err
	}
	if !p.isBehind(t, p.order.Place()) {
		return false, nil
	}
	return true, p.read()
}

// isBehind reports whether another process has committed what is not published where the log stands. What this process
// has committed it publishes by itself.
func (p *Pursuit) isBehind(t Trail, at order.Place) bool {
	mine := t.Writer == p.me && t.Since <= at.Number+1
	return t.Size > at.Head.Size && !mine
}

// report takes over whether the store can be read. What it says of itself for good ends the log.
func (p *Pursuit) report(err error) {
	switch {
	case err == nil:
		p.failing = time.Time{}
		p.order.Lose(nil)
	case isFinal(err):
		p.order.Stop(err)
	case p.failing.IsZero():
		p.failing = time.Now()
	case time.Since(p.failing) > patience:
		p.order.Lose(unreachable(err))
	}
}

// isFinal reports whether a store has failed for good.
func isFinal(err error) bool {
	return errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrCommit) ||
		fault.Is(err, store.CodeDamaged, store.CodeRolledBack, moved.Code)
}

func unreachable(err error) error {
	return fault.New(fault.Unavailable, CodeUnreachable,
		"the database cannot be read, so it is not known what other replicas have changed").
		WithFix("whether this change happened is unknown: when the database answers again, read the requirement, or " +
			"repeat the request with the same Idempotency-Key").
		Because(err).ForClients()
}
