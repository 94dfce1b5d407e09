// Package boltstore keeps a store in one bbolt file, with a write-ahead log (WAL) beside it while a service has it
// open.
//
// Group commit: one goroutine takes all updates that are waiting, runs each over its own staged writes, drops those
// that fail, and makes the rest durable with one sync. There is no timer: a batch is what was waiting while the last
// one was written, so a single client waits for nothing but the disk.
//
// The file is that of package onefile, which says when a store fails, and package tail has the WAL.
package boltstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
	"orchestrator/internal/ledger/store/queue"
	"orchestrator/internal/ledger/store/tail"
)

// Options of Open. The zero value is ready to use.
type Options struct {
	LockTimeout time.Duration // how long to wait for another process to let go of the file; 0 means 2 s
	LookEvery   time.Duration // how often the files are looked at when nothing is written or read; 0 means 1 s
	ReadOnly    bool          // refuse Update, and share the file with other readers; the file must exist
	WAL         bool          // append updates to a WAL, from which the file gets them, after some; for a service

	// AcceptDamagedHead opens a file of whose two head pages one is damaged, and one whose WAL is not there. It may
	// lack its newest changes.
	AcceptDamagedHead bool
}

// Store is an open file. It keeps the contract of store.Store.
type Store struct {
	file     *onefile.Store
	tail     *tail.Tail
	readOnly bool
	queue    *queue.Queue[*update]
	idle     chan struct{} // closed when the writer has ended

	batches, updates, refused atomic.Uint64

	close    sync.Once
	closeErr error
}

var _ store.Store = (*Store)(nil)

// Open opens the file, or creates it with mode 0600 if there is none, and takes over what a crash has left in its
// WAL. It never starts afresh over something that is there: a file or a WAL that is empty, cut short, damaged,
// foreign, locked or not to be read is an error of kind fault.Unavailable that names it and says what to do.
func Open(path string, o Options) (*Store, error) { return open(path, o, tail.Options{}) }

func open(path string, o Options, t tail.Options) (*Store, error) {
	if !o.ReadOnly {
		if err := tail.CheckNew(path); err != nil {
			return nil, err
		}
	}
	file, err := onefile.Open(path, onefile.Options{LockTimeout: o.LockTimeout, LookEvery: o.LookEvery,
		ReadOnly: o.ReadOnly, AcceptDamagedHead: o.AcceptDamagedHead})
	if err != nil {
		return nil, err
	}
	t.WAL, t.AcceptMissing, t.SettleEvery = o.WAL, o.AcceptDamagedHead, o.LookEvery
	over, err := tail.Open(file, path, o.ReadOnly, t)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	s := &Store{file: file, tail: over, readOnly: o.ReadOnly, queue: queue.New[*update](), idle: make(chan struct{})}
	if s.readOnly {
		close(s.idle)
	} else {
		go s.write(nil)
	}
	return s, nil
}

// Stats are counts since Open.
type Stats struct {
	Batches uint64 // batches made durable, each with one sync of the WAL, or two of the file
	Updates uint64 // updates committed in them
	Failed  uint64 // updates that returned an error
	Size    int64  // bytes of the file, free pages included; 0 after Close
	WAL     bool   // the next batch goes to the WAL, unless it is too long
}

// Stats returns the counts so far. It is cheap and may be called at any time.
func (s *Store) Stats() Stats {
	return Stats{Batches: s.batches.Load(), Updates: s.updates.Load(), Failed: s.refused.Load(), Size: s.file.Size(),
		WAL: s.tail.HasWAL()}
}

// View calls fn on a snapshot. A long View makes the file grow, and can hold up an Update that has to enlarge
// the memory map.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.tail.View(ctx, fn)
}

// Update calls fn in a transaction that it shares with other updates, and returns when it is committed.
// If ctx ends before fn starts, Update returns at once; afterwards it waits for the outcome.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	if s.readOnly {
		return s.file.Update(ctx, fn) // which refuses it
	}
	u := newUpdate(ctx, fn)
	if !s.queue.Add(u) {
		return store.ErrClosed
	}
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

// Failed returns a channel that is closed when the store has failed; Err then says why. It happens without a call too:
// the file is looked at from time to time.
func (s *Store) Failed() <-chan struct{} { return s.file.Failed() }

// Err returns the failure that ended the store, or nil.
func (s *Store) Err() error { return s.file.Err() }

// Full returns why changes are refused for want of room, or nil.
func (s *Store) Full() error { return s.tail.Full() }

// Check walks every page of the file and returns an error that names the first flaw. What the WAL has is not
// in the file yet.
func (s *Store) Check() error { return s.file.Check() }

// Close runs the updates that are waiting, waits for open Views, gives the file what the WAL has, and lets go of both.
func (s *Store) Close() error {
	s.close.Do(func() {
		s.queue.Close()
		<-s.idle
		s.closeErr = errors.Join(s.tail.Close(), s.file.Close())
	})
	return s.closeErr
}

// Compacted is what Compact did.
type Compacted = onefile.Compacted

// Compact writes the file anew without its free pages, and puts it in the place of the old one. It changes no entry:
// accept is given the new file for reading, and may refuse it. After it the Store answers nothing more: open the file
// again.
func (s *Store) Compact(ctx context.Context, accept func(store.Store) error) (c Compacted, err error) {
	err = s.tail.Alone(func() (err error) {
		c, err = s.file.Compact(ctx, func(copied *onefile.Store) error { return accept(copied) })
		return err
	})
	return c, err
}

// WALOf returns the path of the WAL of the file at path, which is no link.
func WALOf(path string) string { return tail.PathOf(path) }

// Settle gives the file at path what a crash has left in its WAL, and removes that. Without one it does nothing.
func Settle(path string, wait time.Duration) error {
	if _, err := os.Lstat(WALOf(path)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s, err := Open(path, Options{LockTimeout: wait})
	if err != nil {
		return err
	}
	return errors.Join(s.tail.Full(), s.Close())
}

// Claim takes the lock of a file that need not be sound, and gives it up in release. Meanwhile no process can open it;
// one that has it open already is an error.
func Claim(path string) (release func() error, err error) { return onefile.Claim(path) }

// Rescue copies the file of a store that has failed, if no path leads to it any more and it would be gone with the
// process, with all that the WAL has. It returns where the copy is: beside the path, under its name with .saved- and
// the time; "" where the file has a path.
func Rescue(s *Store, now time.Time) (saved string, err error) {
	saved, err = onefile.Rescue(s.file, now)
	if saved == "" || err != nil {
		return saved, err
	}
	copied, err := onefile.Open(saved, onefile.Options{})
	if err != nil {
		return saved, err
	}
	return saved, errors.Join(s.tail.Save(copied), copied.Close())
}
