package ledger

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
)

const (
	pollEvery = 10 * time.Millisecond // the bell may be lost
	mostRead  = 10 * time.Second      // for one read of the store
	patience  = 5 * time.Second
)

// codeUnreachable is the code of what waits for the log of the others while it cannot be read.
const codeUnreachable fault.Code = "store_unreachable"

// pursuit follows the log of a store that several processes share. It publishes what the others have committed, in one
// order with what this process commits. On a store of one process it is nil, and its methods cost nothing.
//
// Implements: ORC-350
type pursuit struct {
	ledger *Ledger
	store  store.Shared
	me     uint64
	knows  knowledge

	begun   sync.Once
	context context.Context
	end     context.CancelFunc
	ended   chan struct{} // closed when nothing is followed any more
	closing sync.RWMutex  // read-held by updates
	failing time.Time     // since when reads fail
	patient time.Duration // how long they may, before who waits for one is told
	claimed bool          // what others have committed is being read; under the lock of the ledger

	questions questions
}

// newPursuit returns nil for a store that is not shared.
func newPursuit(l *Ledger) *pursuit {
	shared, is := l.store.(store.Shared)
	if !is {
		return nil
	}
	var me [8]byte
	_, _ = rand.Read(me[:]) // it never fails
	p := &pursuit{ledger: l, store: shared, me: binary.BigEndian.Uint64(me[:]), patient: patience,
		ended: make(chan struct{})}
	l.wanted = make(chan struct{}, 1)
	p.context, p.end = context.WithCancel(context.Background())
	return p
}

// Understand says which kinds of records this program knows, and by which version of the rules it decides. On a store
// that several processes share, it writes nothing more once the log has others. It is called before the first Update.
func (p *pursuit) Understand(rules int, kinds []string) {
	if p != nil {
		p.knows = knowledge{rules, kinds}
	}
}

// enter begins an update, which Close waits for, and follows the log from the first one on.
func (p *pursuit) enter() (leave func()) {
	if p == nil {
		return func() {}
	}
	p.start()
	p.closing.RLock()
	return p.closing.RUnlock
}

// start follows the log from now on.
func (p *pursuit) start() {
	p.begun.Do(func() { go p.run() })
}

// stop ends when updates have ended and nothing is followed any more.
func (p *pursuit) stop() {
	if p == nil {
		return
	}
	p.closing.Lock()
	defer p.closing.Unlock()
	p.end()
	p.begun.Do(func() { close(p.ended) })
	<-p.ended
}

func (p *pursuit) run() {
	defer close(p.ended)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-p.context.Done():
			return
		case <-p.store.Bell():
			err = p.read()
		case <-p.ledger.wanted:
			err = p.read()
		case <-tick.C:
			err = p.poll()
		}
		if p.context.Err() != nil {
			return
		}
		p.report(err)
	}
}

// poll asks where the log stands, and reads it if another process has gone on.
func (p *pursuit) poll() error {
	if time.Since(p.Confirmed()) < pollEvery {
		return nil // it was asked just now
	}
	t, err := p.newest(p.context)
	if err == nil && p.behind(t) {
		err = p.read()
	}
	return err
}

// report takes over whether the store can be read. What it says of itself for good ends the ledger.
func (p *pursuit) report(err error) {
	switch {
	case err == nil:
		p.failing = time.Time{}
		p.ledger.lose(nil)
	case isFinal(err):
		p.ledger.Stop(err)
	case p.failing.IsZero():
		p.failing = time.Now()
	case time.Since(p.failing) > p.patient:
		p.ledger.lose(unreachable(err))
	}
}

// isFinal reports whether a store has failed for good.
func isFinal(err error) bool {
	f := fault.As(err)
	return errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrCommit) ||
		f != nil && slices.Contains([]fault.Code{store.CodeDamaged, store.CodeRolledBack}, f.Code)
}

func unreachable(err error) error {
	return fault.New(fault.Unavailable, codeUnreachable,
		"the database cannot be read, so it is not known what other replicas have changed").
		WithFix("whether this change happened is unknown: when the database answers again, read the requirement, or " +
			"repeat the request with the same Idempotency-Key").
		Because(err).ForClients()
}
