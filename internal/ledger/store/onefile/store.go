// Package onefile keeps a store in one bbolt file, one transaction at a time.
//
// Layout: one top-level bucket per table, named like the table; in it the keys and values as they were given
// to Put. There are no nested buckets and nothing else, so the bbolt command can read the file
// (bbolt buckets FILE, bbolt get FILE TABLE KEY) while no process has it open for writing. This is the only
// package that may import bbolt.
//
// Before a transaction is committed, the store makes sure that the disk has room for all of it; without room it is
// refused with fault.InsufficientStorage, and nothing has happened. See room.
//
// The file must stay the one at its path, as long and as sound as it was left: that is looked at before and after
// every commit, before every View, and every second. See anchor.
//
// A failed commit, a lost file and a damaged one are final. bbolt can show a change whose fsync failed, so after one
// every View and Update is refused with an error that wraps store.ErrCommit, and Failed says so; only opening the file
// again tells what is in it. For the same reason no View begins while Update commits.
package onefile

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
	"orchestrator/internal/ledger/store/onefile/file"
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
	closing  chan struct{} // closed by Close
	looked   chan struct{} // closed when nobody looks at the file any more

	writer  sync.Mutex            // held by an Update
	beside  sync.Mutex            // held by an UpdateBeside
	commit  sync.RWMutex          // held by a commit, read-held to begin a View
	failed  atomic.Pointer[error] // what every call gets after a failure
	failure chan struct{}         // closed when failed is set by one
	wedged  atomic.Bool           // bbolt could not end a transaction, and keeps its locks

	resident atomic.Int64   // for how many bytes the entries count that were read since their pages were let go
	large    atomic.Uintptr // where the large value lies that Get has returned last

	close    sync.Once
	closeErr error
}

var _ store.Store = (*Store)(nil)

// Size returns how many bytes the file has, free pages included; 0 after Close.
func (s *Store) Size() int64 {
	size, _ := s.size()
	return size
}

// Number returns the number of the newest state. Each commit makes the next one.
func (s *Store) Number() uint64 {
	s.commit.RLock()
	defer s.commit.RUnlock()
	h, _ := file.Newest(s.anchor.heads) // one is valid, or the store has failed
	return h.TxID
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
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a file cut short under us must not kill the process
	defer func() { _ = tx.Rollback() }()
	return s.FailIfHurt(store.Call(fn, store.Reader(&reader{tx: tx, s: s})))
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

func errReadOnly(path string) error {
	return fault.New(fault.Unavailable, "store_read_only", "%s is open for reading only", path).
		WithFix("it was opened so; this is a defect of the program")
}

// Close waits for the transactions under way, and lets go of the file.
func (s *Store) Close() error {
	s.close.Do(func() {
		close(s.closing)
		if s.wedged.Load() {
			return // closing bbolt would wait for ever; the end of the process frees the file
		}
		<-s.looked
		s.writer.Lock()
		defer s.writer.Unlock()
		s.commit.Lock() // nobody looks at a file that is being closed
		defer s.commit.Unlock()
		s.closeErr = s.db.Close()
	})
	return s.closeErr
}
