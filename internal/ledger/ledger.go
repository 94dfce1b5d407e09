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
	"maps"
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

	// On a store that several processes share:
	number   uint64   // of the commit
	foreign  bool     // another process has made the commit before it
	whole    bool     // it stands for more commits than are known; the follower has loaded their outcome
	spenders []string // who were charged by commits that were merged
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
	published
	*pursuit // nil where no other process writes to the store

	store  store.Store
	clock  func() time.Time
	budget uint64 // bytes a day of each actor; 0 is no limit
	format int    // of the database

	last atomic.Pointer[encodedMark] // what an update wrote last
}

// Update runs fn in a transaction. fn may run more than once and must only assign to what it captures.
// An error of fn is returned as it is, with nothing written. When Update returns nil, the change is
// durable and has been published. fault.Unavailable means that the outcome is unknown.
func (l *Ledger) Update(ctx context.Context, fn func(*Tx) error) error {
	defer l.enter()()
	seen, err := l.update(ctx, fn)
	if err != nil && l.pursuit != nil {
		_ = l.await(seen) // what fn has refused is what other processes have left; whoever tries again sees it
	}
	return err
}

// update returns also the size of the log that fn has seen.
func (l *Ledger) update(ctx context.Context, fn func(*Tx) error) (seen uint64, err error) {
	if err := l.Err(); err != nil {
		return 0, err
	}
	var done *Commit
	err = l.store.Update(ctx, func(stx store.Tx) error {
		tx, err := l.begin(stx)
		if err != nil {
			return err
		}
		seen = tx.head.Size
		if err := fn(tx); err != nil {
			return err
		}
		done, err = tx.seal(&l.last)
		return err
	})
	if errors.Is(err, store.ErrCommit) || errors.Is(err, store.ErrClosed) || fault.Is(err, moved.Code) {
		l.Stop(err)
		return seen, l.Err()
	}
	if err != nil {
		return seen, err
	}
	if done == nil {
		return seen, l.await(seen) // what it read may have been committed and not be published yet
	}
	return seen, l.publish(done)
}

func (l *Ledger) begin(stx store.Tx) (*Tx, error) {
	before, err := l.placeIn(stx)
	if err != nil {
		return nil, err
	}
	now := l.clock().UTC()
	tx := &Tx{store: stx, before: before, head: before.Head, sums: sums{}, at: now.Truncate(time.Microsecond), now: now,
		budget: l.budget, shared: l.pursuit}
	maps.Copy(tx.sums, before.Sums)
	return tx, nil
}

// placeIn reads where the log stands, and refuses to go on from where this program cannot.
func (l *Ledger) placeIn(from store.Getter) (place, error) {
	read := readMark
	if l.pursuit != nil {
		read = readPlace
	}
	now, err := read(from, &l.last)
	if err == nil {
		err = now.checkMoved()
	}
	if err == nil && l.pursuit != nil {
		err = l.knows.check(now.needs)
	}
	return now, err
}

// Close ends the store; updates under way finish first.
func (l *Ledger) Close() error {
	l.stop()
	return l.store.Close()
}
