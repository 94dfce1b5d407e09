package onefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
)

// Update calls fn in a transaction, and commits what it wrote. No View begins while it commits, because it could see
// the change before it is durable.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.update(ctx, false, fn)
}

// UpdateBeside does what Update does, with changes that may be seen while they are committed: Views begin meanwhile,
// and see all of them or none.
func (s *Store) UpdateBeside(ctx context.Context, fn func(store.Tx) error) error {
	return s.update(ctx, true, fn)
}

func (s *Store) update(ctx context.Context, beside bool, fn func(store.Tx) error) error {
	if s.readOnly {
		return errReadOnly(s.path)
	}
	s.writer.Lock()
	defer s.writer.Unlock()
	if beside {
		s.beside.Lock()
		defer s.beside.Unlock()
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	room, err := s.attempt(ctx, beside, 0, fn)
	for errors.Is(err, bolterrors.ErrMaxSizeReached) {
		room, err = s.attempt(ctx, beside, room, fn)
	}
	return err
}

// attempt runs the transaction once. Where the room that was set aside did not do, nothing happened, and it returns how
// much to set aside for the next attempt.
func (s *Store) attempt(ctx context.Context, beside bool, room int64, fn func(store.Tx) error) (int64, error) {
	if err := cmp.Or(ctx.Err(), s.checkNow()); err != nil {
		return 0, err
	}
	tx, err := s.beginUpdate()
	if err != nil {
		return 0, err
	}
	w := &writing{reader: reader{tx: tx, s: s}}
	defer func() {
		if !w.committed { // fn may have ended the goroutine
			_ = tx.Rollback()
		}
	}()
	if err := s.Err(); err != nil { // while Begin waited for Compact
		return 0, err
	}
	err = s.FailIfHurt(store.Call(fn, store.Tx(w)))
	if err = cmp.Or(err, s.Err()); err != nil || !w.dirty { // what fn met may have been hidden by it
		return 0, err
	}
	w.committed = true
	return s.finish(tx, beside, room)
}

func (s *Store) beginUpdate() (tx *bolt.Tx, err error) {
	defer s.catchWedged(&err)
	return s.db.Begin(true)
}

// finish commits, if there is room. bbolt takes pages before it writes any, and takes none beyond the room: with
// ErrMaxSizeReached nothing was written.
func (s *Store) finish(tx *bolt.Tx, beside bool, room int64) (more int64, err error) {
	made := uint64(tx.ID())
	s.commit.Lock()
	defer s.commit.Unlock()
	err = s.Err() // the file was found to be lost or damaged since the transaction began
	var end int64
	if err == nil {
		end, err = s.ensureRoom(tx.Size(), room)
	}
	if err != nil {
		_ = tx.Rollback()
		return 0, err
	}
	s.db.MaxSize = int(end)
	err = s.commitTx(tx, beside)
	if errors.Is(err, bolterrors.ErrMaxSizeReached) {
		return 2 * (end - s.usedLocked()), err
	}
	if err != nil {
		return 0, s.commitFailed(tx, err)
	}
	if err := s.anchor.check(made, end); err != nil {
		return 0, s.fail(err)
	}
	return 0, s.Err()
}

// commitTx commits, with the lock of commits given up meanwhile if Views may begin.
func (s *Store) commitTx(tx *bolt.Tx, beside bool) error {
	if !beside {
		return store.Call((*bolt.Tx).Commit, tx)
	}
	s.anchor.pending = uint64(tx.ID())
	s.commit.Unlock()
	defer func() { s.anchor.pending = 0 }()
	defer s.commit.Lock()
	return store.Call((*bolt.Tx).Commit, tx)
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
	return s.FailCommit(err)
}

// FailCommit ends the store after an error that leaves open whether a change is durable, and returns what every call
// gets from now on.
func (s *Store) FailCommit(cause error) error {
	return s.fail(fault.New(fault.Unavailable, "store_commit",
		"%s: a commit failed, and its changes may or may not be there", s.path).
		WithFix("remove the cause (an I/O error), then start the process again").
		Because(fmt.Errorf("%w: %w", store.ErrCommit, cause)))
}
