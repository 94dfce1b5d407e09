package boltstore

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/tail"
)

// maxBatchUpdates is how many updates a batch has at most.
const maxBatchUpdates = 1024

// update is one call of Update on its way through the writer.
type update struct {
	run   func(store.Tx) error
	done  chan error // gets the outcome, once
	taken atomic.Bool
	ours  bool  // the writer has claimed it; the writer's
	err   error // the outcome of run; the writer's
}

func newUpdate(ctx context.Context, fn func(store.Tx) error) *update {
	return &update{done: make(chan error, 1), run: func(tx store.Tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(tx)
	}}
}

// claim decides, once, whether the writer runs the update or its caller gives it up.
func (u *update) claim() bool { return u.taken.CompareAndSwap(false, true) }

// errGoexit answers the batch of a function that ended its goroutine, as a failing test helper does.
var errGoexit = errors.New("boltstore: a function of the batch ended the writer's goroutine; nothing was written")

// write runs in the writer's goroutine: batch after batch until the queue is closed and empty.
func (s *Store) write(waiting []*update) {
	debug.SetPanicOnFault(true)
	for {
		if waiting = s.queue.Take(waiting); len(waiting) == 0 {
			close(s.idle)
			return
		}
		runtime.Gosched() // lets callers that are about to come join this batch instead of the next
		waiting = s.queue.TakeNow(waiting)
		waiting = slices.Delete(waiting, 0, s.transact(waiting))
	}
}

// transact runs the first of the waiting updates in one transaction, answers them and returns how many.
func (s *Store) transact(waiting []*update) int {
	b := batch{waiting: waiting}
	ended := false
	defer func() {
		if !ended { // runtime.Goexit cannot be stopped, so a successor goes on
			go s.write(waiting[s.answer(waiting[:b.n], errGoexit):])
		}
	}()
	err := s.tail.Write(func(on tail.Ground) error { return b.run(s, on) })
	ended = true
	if err == nil && b.dirty {
		s.batches.Add(1)
	}
	if b.n == 0 { // the store would not begin
		b.n = len(waiting)
	}
	return s.answer(waiting[:b.n], err)
}

// batch is the run of several updates in one transaction.
type batch struct {
	waiting []*update
	n       int  // updates taken
	dirty   bool // something was put
}

// run runs updates one by one and puts what each staged. The error of one stays its own; an error of run means that the
// transaction is spoiled for all.
func (b *batch) run(s *Store, on tail.Ground) error {
	b.n, b.dirty = 0, false
	t := newStaged(on)
	for size := 0; b.n < min(len(b.waiting), maxBatchUpdates) && size < on.Most(); {
		u := b.waiting[b.n]
		b.n++
		if u.ours = u.ours || u.claim(); !u.ours {
			u.err = context.Canceled
			continue
		}
		t.reset()
		if u.err = s.file.FailIfHurt(store.Call(u.run, store.Tx(t))); u.err != nil || len(t.writes) == 0 {
			continue
		}
		b.dirty, size = true, size+t.size
		if err := t.put(); err != nil {
			return err
		}
	}
	return s.file.Err() // what a function met may have been hidden by it
}

// answer gives every update its own outcome, or err if there is one, and returns how many there are.
func (s *Store) answer(batch []*update, err error) int {
	var ok uint64
	for _, u := range batch {
		if err != nil {
			u.err = err
		}
		if u.err == nil {
			ok++
		}
	}
	s.updates.Add(ok)
	s.refused.Add(uint64(len(batch)) - ok)
	for _, u := range batch {
		u.done <- u.err
	}
	return len(batch)
}
