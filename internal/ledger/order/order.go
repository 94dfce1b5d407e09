// Package order publishes commits in the order of the log: whoever follows the log is told of each exactly once, when
// it is durable and all commits before it have been told.
package order

import (
	"context"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Commit is one durable update: the records it appended and what it wrote, in the order of the log.
type Commit struct {
	Head    audit.Head // after the commit
	Records []audit.Record
	Writes  []Write

	Spender string // who was charged, if anybody
	Spent   Spent  // by that one, with this update

	// On a store that several processes share:

	Number   uint64   // of the commit
	Foreign  bool     // another process has made the commit before it
	Whole    bool     // it stands for more commits than are known; the follower has loaded their outcome
	Spenders []string // who were charged by commits that were merged
}

// Write is one entry that was put (or deleted, when Value is nil). Object points to what was encoded, and is not to be
// changed. It is nil of what another process has written.
type Write struct {
	Table, Key string
	Value      []byte
	Object     any
}

// Spent is a day's bytes of one actor.
type Spent struct {
	Day   string `json:"day"` // in UTC: 2006-01-02
	Bytes uint64 `json:"bytes"`
}

// Follower is told of commits, in the order of the log, each exactly once.
type Follower struct {
	// Load takes over the state of the log at a head, before the first call of Told, and again if other processes have
	// committed so much that it is not known what they wrote. Like every function of a View it may run more than once.
	Load func(store.Reader, audit.Head) error
	// Told takes over commits, before the Update that made them returns. It must not block. Commits of other processes
	// come merged into one, without the objects that were encoded, and with what was written to Tables alone.
	Told func([]Commit)
	// Tables are those whose writes by other processes Told is told of.
	Tables []string
}

// Place is where a log stands: its head, and on a store that several processes share the number of its last commit.
type Place struct {
	Head   audit.Head
	Number uint64
}

// Published is what was told, and what waits for its turn. It is safe for concurrent use.
type Published struct {
	account func(Commit)

	mu       sync.Mutex
	turn     turn // the place moved on, or the log failed
	at       Place
	held     bool               // somebody is about to publish, and nobody else may
	waiting  map[uint64]*Commit // committed, not yet published, by the size of the log before them
	follower Follower
	wanted   chan struct{} // somebody waits for what another process has committed
	lost     error         // why that cannot be read now
	err      error         // why the log failed
	failed   chan struct{}
}

// New returns the order of a log that stands nowhere yet. account is called with each commit before it is told.
func New(account func(Commit)) *Published {
	p := &Published{account: account, waiting: map[uint64]*Commit{}, wanted: make(chan struct{}, 1),
		failed: make(chan struct{})}
	p.turn.L = &p.mu
	return p
}

// Begin sets where the log stands, before anything is published.
func (p *Published) Begin(at Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
}

// Head returns the head of the log as it was last published.
func (p *Published) Head() audit.Head { return p.Place().Head }

// Place returns where the log was last published.
func (p *Published) Place() Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Failed returns a channel that is closed when a commit failed, or Stop was called; Err then says why.
func (p *Published) Failed() <-chan struct{} { return p.failed }

// Err returns the failure that ended the log, or nil.
func (p *Published) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Stop ends the log for a cause that no commit has met, such as a database that was lost while nothing was written.
func (p *Published) Stop(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail(cause)
}

func (p *Published) fail(cause error) {
	if p.err != nil {
		return
	}
	p.err = fault.New(fault.Unavailable, "ledger_failed",
		"the store has failed, or could not confirm a commit; the service stops").
		WithFix("whether this change happened is unknown: when the service is back, read the requirement, or " +
			"repeat the request with the same Idempotency-Key").
		Because(cause).ForClients()
	close(p.failed)
	p.turn.end()
}

// Grown returns a channel that is closed already if the published log has more than size records or the log has
// failed, and is otherwise closed at the next publication or failure. Whoever follows the log has been told by then.
func (p *Published) Grown(size uint64) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.Head.Size > size || p.err != nil {
		return closed
	}
	if p.turn.grown == nil {
		p.turn.grown = make(chan struct{})
	}
	return p.turn.grown
}

// Reach returns when the log is published up to a size, as ctx allows.
func (p *Published) Reach(ctx context.Context, size uint64) error {
	for p.Head().Size < size {
		grown := p.Grown(size - 1)
		if err := p.Hindered(); err != nil {
			return err
		}
		select {
		case <-grown:
		case <-time.After(time.Second): // it may be hindered now
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
