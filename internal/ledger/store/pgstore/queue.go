package pgstore

import (
	"context"
	"sync"
	"sync/atomic"

	"orchestrator/internal/ledger/store"
)

// update is one call of Update on its way through the writer.
type update struct {
	run   func(store.Tx) error
	lease *store.Lease // under which it is made; nil: none
	done  chan error   // gets the outcome, once
	taken atomic.Bool
	ours  bool  // the writer has claimed it; the writer's
	err   error // the outcome of run; the writer's
}

func newUpdate(ctx context.Context, fn func(store.Tx) error) *update {
	u := &update{done: make(chan error, 1)}
	if lease, under := store.LeaseOf(ctx); under {
		u.lease = &lease
	}
	u.run = func(tx store.Tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(tx)
	}
	return u
}

// claim decides, once, whether the writer runs the update or its caller gives it up.
func (u *update) claim() bool { return u.taken.CompareAndSwap(false, true) }

// mine claims the update for the writer, and reports whether it has it.
func (u *update) mine() bool {
	u.ours = u.ours || u.claim()
	return u.ours
}

// isWaiting reports whether somebody waits for the outcome.
func (u *update) isWaiting() bool { return u.ours || !u.taken.Load() }

// queue holds the updates that wait for the writer.
type queue struct {
	mu      sync.Mutex
	filled  sync.Cond
	waiting []*update
	closed  bool
}

func (q *queue) init() { q.filled.L = &q.mu }

func (q *queue) add(u *update) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return store.ErrClosed
	}
	q.waiting = append(q.waiting, u)
	q.filled.Signal()
	return nil
}

// take waits for updates and moves them all to the end of into, which must be empty or nobody is waited for. It returns
// an empty slice when the queue is closed and all is taken.
func (q *queue) take(into []*update) []*update {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(into)+len(q.waiting) == 0 && !q.closed {
		q.filled.Wait()
	}
	return q.takeLocked(into)
}

// takeNow moves all updates that wait now to the end of into.
func (q *queue) takeNow(into []*update) []*update {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.takeLocked(into)
}

func (q *queue) takeLocked(into []*update) []*update {
	into = append(into, q.waiting...)
	clear(q.waiting)
	q.waiting = q.waiting[:0]
	return into
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Signal()
}
