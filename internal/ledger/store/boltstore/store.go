// Package boltstore keeps a store in one bbolt file.
//
// Layout: one top-level bucket per table, named like the table; in it the keys and values as they were given
// to Put. There are no nested buckets and nothing else, so the bbolt command can read the file
// (bbolt buckets FILE, bbolt get FILE TABLE KEY) while no process has it open for writing. This is the only
// package that may import bbolt.
//
// Group commit: one goroutine takes all updates that are waiting, runs each over its own staged writes in one
// bbolt transaction, drops those that fail, and commits the rest with one fsync. There is no timer: a batch is
// what was waiting while the last one was written, so a single client waits for nothing but the disk.
//
// Before a batch is committed, the store makes sure that the disk has room for all of it; without room its updates are
// refused with fault.InsufficientStorage, and nothing has happened. See room.
//
// The file must stay the one at its path, as long and as sound as it was left: that is looked at before and after
// every commit, before every View, and every second. See anchor.
//
// A failed commit, a lost file and a damaged one are final. bbolt can show a change whose fsync failed, so after one
// every View and Update is refused with an error that wraps store.ErrCommit, and Failed says so; only opening the file
// again tells what is in it. For the same reason no View begins while a commit is under way.
package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/queue"
)

// Options of Open. The zero value is ready to use.
type Options struct {
	LockTimeout time.Duration // how long to wait for another process to let go of the file; 0 means 2 s
	LookEvery   time.Duration // how often the file is looked at when nothing is written or read; 0 means 1 s
	ReadOnly    bool          // refuse Update, and share the file with other readers; the file must exist

	AcceptDamagedHead bool // open a file of whose two head pages one is damaged, and which may lack its last commit
}

// Store is an open file. It keeps the contract of store.Store.
type Store struct {
	db       *bolt.DB
	file     *os.File // the descriptor that db uses
	path     string
	readOnly bool
	anchor   *anchor
	room     room
	queue    *queue.Queue[*update]
	idle     chan struct{} // closed when the writer has ended
	closing  chan struct{} // closed by Close
	looked   chan struct{} // closed when nobody looks at the file any more

	commit  sync.RWMutex          // held by a commit, read-held to begin a View
	failed  atomic.Pointer[error] // what every call gets after a failure
	failure chan struct{}         // closed when failed is set by one
	wedged  atomic.Bool           // bbolt could not end a transaction, and keeps its locks

	wanted int64 // room that the batch under way did not find; the writer's

	batches, updates, refused atomic.Uint64

	touches atomic.Uint64 // Views and Updates so far

	close    sync.Once
	closeErr error
}

var _ store.Store = (*Store)(nil)

// Stats are counts since Open.
type Stats struct {
	Batches uint64 // transactions committed, each with one fsync of data and one of the head page
	Updates uint64 // updates committed in them
	Failed  uint64 // updates that returned an error
	Size    int64  // bytes of the file, free pages included; 0 after Close
}

// Stats returns the counts so far. It is cheap and may be called at any time.
func (s *Store) Stats() Stats {
	size, _ := s.size()
	return Stats{Batches: s.batches.Load(), Updates: s.updates.Load(), Failed: s.refused.Load(), Size: size}
}

// View calls fn on a snapshot. A long View makes the file grow, and can hold up an Update that has to enlarge
// the memory map.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := s.beginView()
	if err != nil {
		return err
	}
	defer touched(s)                                         // when the View has ended
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a file cut short under us must not kill the process
	defer func() { _ = tx.Rollback() }()
	return s.failIfHurt(store.Call(fn, store.Reader(&reader{tx: tx, s: s})))
}

func (s *Store) beginView() (*bolt.Tx, error) {
	s.commit.RLock()
	defer s.commit.RUnlock()
	if err := s.checkLocked(); err != nil {
		return nil, err
	}
	return s.begin()
}

func (s *Store) begin() (tx *bolt.Tx, err error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // bbolt reads the heads
	defer s.catchWedged(&err)
	tx, err = s.db.Begin(false)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return nil, store.ErrClosed
	}
	return tx, err
}

// catchWedged recovers from the begin of a transaction, which panics when the heads are gone, and keeps its locks.
func (s *Store) catchWedged(err *error) {
	if p := recover(); p != nil {
		s.wedged.Store(true)
		*err = s.fail(hurt(s.path, fmt.Errorf("%v", p)))
	}
}

// Update calls fn in a transaction that it shares with other updates, and returns when it is committed.
// If ctx ends before fn starts, Update returns at once; afterwards it waits for the outcome.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	if s.readOnly {
		return errReadOnly(s.path)
	}
	u := &update{done: make(chan error, 1)}
	u.run = func(tx store.Tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(tx)
	}
	if !s.queue.Add(u) {
		return store.ErrClosed
	}
	defer touched(s)
	select {
	case err := <-u.done:
		return err
	case <-ctx.Done():
		if u.claim() {
			return ctx.Err()
		}
		return <-u.done
	}
}

func errReadOnly(path string) error {
	return fault.New(fault.Unavailable, "store_read_only", "%s is open for reading only", path).
		WithFix("it was opened so; this is a defect of the program")
}

// Close runs the updates that are waiting, waits for open Views and lets go of the file.
func (s *Store) Close() error {
	s.close.Do(func() {
		s.queue.Close()
		<-s.idle
		close(s.closing)
		if s.wedged.Load() {
			return // closing bbolt would wait for ever; the end of the process frees the file
		}
		<-s.looked
		s.commit.Lock() // nobody looks at a file that is being closed
		defer s.commit.Unlock()
		s.closeErr = s.db.Close()
	})
	return s.closeErr
}
