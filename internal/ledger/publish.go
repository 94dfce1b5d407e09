package ledger

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

// published is what the follower has been told, and what waits for its turn.
type published struct {
	mu       sync.Mutex
	turn     turn               // head moved on, or the ledger failed
	head     audit.Head         // of what was published
	number   uint64             // of the last commit that was published, on a store that is shared
	held     bool               // somebody is about to publish, and nobody else may
	waiting  map[uint64]*Commit // committed, not yet published, by the size of the log before them
	charged  charges
	follower Follower
	wanted   chan struct{} // somebody waits for what another process has committed; nil where there is none
	lost     error         // why that cannot be read now
	err      error         // why the ledger failed
	failed   chan struct{}
}

func newPublished() published {
	return published{waiting: map[uint64]*Commit{}, charged: charges{}, failed: make(chan struct{})}
}

// Head returns the head of the log as it was last published.
func (p *published) Head() audit.Head {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.head
}

// Failed returns a channel that is closed when a commit failed, or Stop was called; Err then says why.
func (p *published) Failed() <-chan struct{} { return p.failed }

// Err returns the failure that ended the ledger, or nil.
func (p *published) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// await returns when the log is published up to size.
func (p *published) await(size uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head.Size < size {
		p.want()
	}
	return p.awaitLocked(size)
}

func (p *published) awaitLocked(size uint64) error {
	for p.head.Size < size && p.err == nil && p.lost == nil {
		p.turn.Wait()
	}
	if p.head.Size < size {
		return cmp.Or(p.err, p.lost)
	}
	return nil
}

// publish passes the follower every commit whose predecessors have all been passed, and returns when
// that includes done.
func (p *published) publish(done *Commit) error {
	before := done.Head.Size - uint64(len(done.Records))
	p.mu.Lock()
	if p.head.Size > before { // it was fetched, with commits of other processes
		p.mu.Unlock()
		return nil
	}
	p.waiting[before] = done
	p.mu.Unlock()
	runtime.Gosched() // lets the others of the same commit arrive, so that one of them publishes for all
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head.Size > before {
		return nil
	}
	p.publishWaiting()
	if p.head.Size <= before && done.foreign {
		p.want()
	}
	return p.awaitLocked(before + 1)
}

func (p *published) publishWaiting() {
	if p.held {
		return
	}
	var batch []Commit
	head, number := p.head, p.number
	for next := p.waiting[head.Size]; next != nil && p.err == nil; next = p.waiting[head.Size] {
		delete(p.waiting, head.Size)
		batch = append(batch, *next)
		p.charged.add(*next)
		head, number = next.Head, next.number
	}
	if batch != nil && p.tell(batch) {
		p.head, p.number = head, number
		p.turn.end()
	}
}

// tell hands a batch to the follower. One that panics would miss commits from then on, so it ends the ledger.
func (p *published) tell(batch []Commit) (told bool) {
	defer func() {
		if caught := recover(); caught != nil {
			_ = p.failLocked(fmt.Errorf("a commit could not be published: %v", caught))
		}
	}()
	if p.follower.Told != nil {
		p.follower.Told(batch)
	}
	return true
}

func (p *published) failLocked(cause error) error {
	if p.err == nil {
		p.err = fault.New(fault.Unavailable, "ledger_failed",
			"the store has failed, or could not confirm a commit; the service stops").
			WithFix("whether this change happened is unknown: when the service is back, read the requirement, or " +
				"repeat the request with the same Idempotency-Key").
			Because(cause).ForClients()
		close(p.failed)
		p.turn.end()
	}
	return p.err
}

// Stop ends the ledger for a cause that no commit has met, such as a database that was lost while nothing was written.
func (p *published) Stop(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.failLocked(cause)
}

// Grown returns a channel that is closed already if the published log has more than size records or the ledger has
// failed, and is otherwise closed at the next publication or failure. Whoever follows the ledger has been told by then.
func (p *published) Grown(size uint64) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head.Size > size || p.err != nil {
		return closed
	}
	if p.turn.grown == nil {
		p.turn.grown = make(chan struct{})
	}
	return p.turn.grown
}

// want has the commits of other processes read at once.
func (p *published) want() {
	select {
	case p.wanted <- struct{}{}:
	default:
	}
}

// hold keeps everybody else from publishing, until release.
func (p *published) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held {
		p.turn.Wait()
	}
	p.held = true
}

// release publishes what has come to wait meanwhile. It is called under the lock.
func (p *published) release() {
	p.held = false
	p.publishWaiting()
	p.turn.Broadcast()
}

// lose says why the commits of other processes cannot be read; nil that they can.
func (p *published) lose(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost = why; why != nil {
		p.turn.Broadcast()
	}
}

// hindered returns what keeps the log from being published, or nil.
func (p *published) hindered() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.err, p.lost)
}
