package boltstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
)

// A batch ends with the update that reaches one of these.
const (
	maxBatchUpdates = 1024
	maxBatchBytes   = 16 << 20
)

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

// transact runs the first of the waiting updates in one transaction, answers them and returns how many. Where the room
// that was set aside did not do, it answers none: they run again with more.
func (s *Store) transact(waiting []*update) int {
	if err := s.checkNow(); err != nil {
		return s.answer(waiting, err)
	}
	tx, err := s.beginUpdate()
	if err != nil {
		return s.answer(waiting, err)
	}
	if err := s.Err(); err != nil { // while Begin waited for Compact
		_ = tx.Rollback()
		return s.answer(waiting, err)
	}
	b := batch{staged: newStaged(tx, s)}
	defer func() {
		if !b.ended { // runtime.Goexit cannot be stopped, so a successor goes on
			_ = tx.Rollback()
			go s.write(waiting[s.answer(waiting[:b.n], errGoexit):])
		}
	}()
	err = b.run(waiting)
	if err == nil && b.dirty {
		err = s.finish(tx)
	} else {
		_ = tx.Rollback()
	}
	if errors.Is(err, bolterrors.ErrMaxSizeReached) {
		return 0
	}
	return s.answer(waiting[:b.n], err)
}

func (s *Store) beginUpdate() (tx *bolt.Tx, err error) {
	defer s.catchWedged(&err)
	return s.db.Begin(true)
}

// batch is the run of several updates in one transaction.
type batch struct {
	*staged
	n     int  // updates taken
	dirty bool // something was written
	ended bool
}

// run runs updates one by one and writes what each staged. The error of one stays its own; an error of run
// means that the transaction is spoiled for all.
func (b *batch) run(waiting []*update) (err error) {
	for size := 0; b.n < min(len(waiting), maxBatchUpdates) && size < maxBatchBytes && err == nil; {
		u := waiting[b.n]
		b.n++
		if u.ours = u.ours || u.claim(); !u.ours {
			u.err = context.Canceled
			continue
		}
		b.reset()
		if u.err = b.s.failIfHurt(store.Call(u.run, store.Tx(b.staged))); u.err != nil || len(b.writes) == 0 {
			continue
		}
		b.dirty, size = true, size+b.size
		err = store.Call((*staged).apply, b.staged)
	}
	b.ended = true
	if err != nil {
		err = b.s.fail(hurt(b.s.path, err))
	}
	return cmp.Or(err, b.s.Err()) // what a function met may have been hidden by it
}

// finish commits, if there is room. No View begins meanwhile, because it could see the change before it is durable.
// bbolt takes pages before it writes any, and takes none beyond the room: with ErrMaxSizeReached nothing was written.
func (s *Store) finish(tx *bolt.Tx) error {
	made := uint64(tx.ID())
	s.commit.Lock()
	defer s.commit.Unlock()
	if err := s.Err(); err != nil { // the file was found to be lost or damaged since the batch began
		_ = tx.Rollback()
		return err
	}
	end, err := s.ensureRoom(tx.Size(), s.wanted)
	if err != nil {
		_ = tx.Rollback()
		s.wanted = 0
		return err
	}
	s.db.MaxSize = int(end)
	err = store.Call((*bolt.Tx).Commit, tx)
	if errors.Is(err, bolterrors.ErrMaxSizeReached) {
		s.wanted = 2 * (end - s.usedLocked())
		return err
	}
	s.wanted = 0
	if err != nil {
		return s.commitFailed(tx, err)
	}
	if err := s.anchor.check(made, end); err != nil {
		return s.fail(err)
	}
	s.batches.Add(1)
	return s.Err()
}

// ensureRoom returns room.ensure. It changes the file's length and with it the time of the last change, which no reader
// may take for the work of another hand. It is called with the lock of commits held.
func (s *Store) ensureRoom(used, extra int64) (end int64, err error) {
	before, statErr := s.file.Stat()
	end, err = s.room.ensure(used, extra)
	if after, failed := s.file.Stat(); errors.Join(statErr, failed) == nil && before.ModTime().Equal(s.anchor.written) {
		s.anchor.written = after.ModTime()
	}
	return end, err
}

func (s *Store) commitFailed(tx *bolt.Tx, err error) error {
	_ = store.Call((*bolt.Tx).Rollback, tx) // after a panic; after an error bbolt has done it
	if tx.DB() != nil {
		s.wedged.Store(true)
	}
	if _, panicked := errors.AsType[*store.Panic](err); panicked { // bbolt met a page that it has not written
		return s.fail(hurt(s.path, err))
	}
	return s.fail(fault.New(fault.Unavailable, "store_commit",
		"%s: a commit failed, and its changes may or may not be there", s.path).
		WithFix("remove the cause (an I/O error), then start the process again").
		Because(fmt.Errorf("%w: %w", store.ErrCommit, err)))
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
