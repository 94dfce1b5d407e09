// Package ledger commits changes together with their audit records.
//
// One Update is one transaction: what it writes, the records that account for it, the nodes that the
// records add to the Merkle tree, and the log's new head. A write without a record is refused. After the
// commit is durable, and in the order of the log, followers are told; what they publish is therefore
// never ahead of the disk.
//
// A commit whose outcome is unknown ends the ledger: every later call fails, Failed says so, and the
// process must stop and check itself at its next start.
//
// Tables and keys: audit and hashes (8-byte big-endian numbers: record bytes, tree nodes), subjects (subject: its last
// record and their number; each record names the one before it), blobs (SHA-256 in hexadecimal: data too large for a
// record) and meta (head with the check sums of the tables, format) and spent (what each actor has added today). Users
// of the ledger name further tables with Table.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
)

const (
	tableSubjects = "subjects"
	tableBlobs    = "blobs"
	tableMeta     = "meta"

	keyHead   = "head"
	keyFormat = "format"
)

// Commit is one durable update: the records it appended and what it wrote, in the order of the log.
type Commit struct {
	Head    audit.Head // after the commit
	Records []audit.Record
	Writes  []Write

	spender string // who was charged, if anybody
	spent   spent  // by that one, with this update
}

// Write is one entry that was put (or deleted, when Value is nil). Object points to what was encoded, and is not to be
// changed.
type Write struct {
	Table, Key string
	Value      []byte
	Object     any
}

// Ledger is safe for concurrent use.
type Ledger struct {
	store  store.Store
	clock  func() time.Time
	budget uint64 // bytes a day of each actor; 0 is no limit
	format int    // of the database

	mu       sync.Mutex
	turn     turn               // head moved on, or the ledger failed
	head     audit.Head         // of what was published
	waiting  map[uint64]*Commit // committed, not yet published, by the size of the log before them
	charged  charges
	follower func([]Commit)
	err      error // why the ledger failed
	failed   chan struct{}

	last atomic.Pointer[encodedMark] // what an update wrote last
}

// Head returns the head of the log as it was last published.
func (l *Ledger) Head() audit.Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Follow sets the one function that is told of commits, in log order, each exactly once, before the
// Update that made it returns. It must be set before the first Update, and must not block.
func (l *Ledger) Follow(follower func([]Commit)) { l.follower = follower }

// Failed returns a channel that is closed when a commit failed, or Stop was called; Err then says why.
func (l *Ledger) Failed() <-chan struct{} { return l.failed }

// Err returns the failure that ended the ledger, or nil.
func (l *Ledger) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Update runs fn in a transaction. fn may run more than once and must only assign to what it captures.
// An error of fn is returned as it is, with nothing written. When Update returns nil, the change is
// durable and has been published. fault.Unavailable means that the outcome is unknown.
func (l *Ledger) Update(ctx context.Context, fn func(*Tx) error) error {
	if err := l.Err(); err != nil {
		return err
	}
	var done *Commit
	var seen uint64
	err := l.store.Update(ctx, func(stx store.Tx) error {
		tx, err := l.begin(stx)
		if err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		done, err = tx.seal(&l.last)
		seen = tx.head.Size
		return err
	})
	if errors.Is(err, store.ErrCommit) || errors.Is(err, store.ErrClosed) || fault.Is(err, moved.Code) {
		l.Stop(err)
		return l.Err()
	}
	if err != nil {
		return err
	}
	if done == nil {
		return l.await(seen) // what it read may have been committed and not be published yet
	}
	return l.publish(done)
}

// await returns when the log is published up to size.
func (l *Ledger) await(size uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.head.Size < size && l.err == nil {
		l.turn.Wait()
	}
	if l.head.Size < size {
		return l.err
	}
	return nil
}

func (l *Ledger) begin(stx store.Tx) (*Tx, error) {
	m, err := readMark(stx, &l.last)
	if err == nil {
		err = m.checkMoved()
	}
	if err != nil {
		return nil, err
	}
	now := l.clock().UTC()
	tx := &Tx{store: stx, head: m.Head, sums: sums{}, at: now.Truncate(time.Microsecond), now: now, budget: l.budget}
	maps.Copy(tx.sums, m.Sums)
	return tx, nil
}

// publish passes the follower every commit whose predecessors have all been passed, and returns when
// that includes done.
func (l *Ledger) publish(done *Commit) error {
	before := done.Head.Size - uint64(len(done.Records))
	l.mu.Lock()
	l.waiting[before] = done
	l.mu.Unlock()
	runtime.Gosched() // lets the others of the same commit arrive, so that one of them publishes for all
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head.Size > before {
		return nil
	}
	var batch []Commit
	head := l.head
	for next := l.waiting[head.Size]; next != nil && l.err == nil; next = l.waiting[head.Size] {
		delete(l.waiting, head.Size)
		batch = append(batch, *next)
		l.charged.add(*next)
		head = next.Head
	}
	if batch != nil && l.tell(batch) {
		l.head = head
		l.turn.end()
	}
	for l.head.Size <= before && l.err == nil {
		l.turn.Wait()
	}
	if l.head.Size <= before {
		return l.err
	}
	return nil
}

// tell hands a batch to the follower. One that panics would miss commits from then on, so it ends the ledger.
func (l *Ledger) tell(batch []Commit) (told bool) {
	defer func() {
		if p := recover(); p != nil {
			_ = l.failLocked(fmt.Errorf("a commit could not be published: %v", p))
		}
	}()
	if l.follower != nil {
		l.follower(batch)
	}
	return true
}

func (l *Ledger) failLocked(cause error) error {
	if l.err == nil {
		l.err = fault.New(fault.Unavailable, "ledger_failed",
			"the store has failed, or could not confirm a commit; the service stops").
			WithFix("whether this change happened is unknown: when the service is back, read the requirement, or " +
				"repeat the request with the same Idempotency-Key").
			Because(cause).ForClients()
		close(l.failed)
		l.turn.end()
	}
	return l.err
}

// Stop ends the ledger for a cause that no commit has met, such as a database that was lost while nothing was written.
func (l *Ledger) Stop(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.failLocked(cause)
}

// Grown returns a channel that is closed already if the published log has more than size records or the ledger has
// failed, and is otherwise closed at the next publication or failure. Whoever follows the ledger has been told by then.
func (l *Ledger) Grown(size uint64) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head.Size > size || l.err != nil {
		return closed
	}
	if l.turn.grown == nil {
		l.turn.grown = make(chan struct{})
	}
	return l.turn.grown
}

// Close ends the store; updates under way finish first.
func (l *Ledger) Close() error { return l.store.Close() }
