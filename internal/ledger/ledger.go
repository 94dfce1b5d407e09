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
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/readahead"
	"orchestrator/internal/ledger/store"
)

const (
	tableSubjects = "subjects"
	tableBlobs    = "blobs"
	tableMeta     = "meta"

	keyHead   = "head"
	keyFormat = "format"
)

// Commit is one durable update; Write is one entry of it. Follower is told of commits.
type (
	Commit   = order.Commit
	Write    = order.Write
	Follower = order.Follower
)

// Ledger is safe for concurrent use.
type Ledger struct {
	store   store.Store
	order   *order.Published
	clock   func() time.Time
	budget  uint64             // bytes a day of each actor; 0 is no limit
	format  int                // of the database
	others  *following.Pursuit // follows what other processes commit; nil where none can
	charged charges
	links   readahead.Links // of a store that several processes share

	last atomic.Pointer[encodedMark] // what an update wrote last
}

// Head returns the head of the log as it was last published.
func (l *Ledger) Head() audit.Head { return l.order.Head() }

// Failed returns a channel that is closed when a commit failed, or Stop was called; Err then says why.
func (l *Ledger) Failed() <-chan struct{} { return l.order.Failed() }

// Err returns the failure that ended the ledger, or nil.
func (l *Ledger) Err() error { return l.order.Err() }

// Stop ends the ledger for a cause that no commit has met, such as a database that was lost while nothing was written.
func (l *Ledger) Stop(cause error) { l.order.Stop(cause) }

// Grown returns a channel that is closed already if the published log has more than size records or the ledger has
// failed, and is otherwise closed at the next publication or failure. Whoever follows the ledger has been told by then.
func (l *Ledger) Grown(size uint64) <-chan struct{} { return l.order.Grown(size) }

// Follow sets the one follower, and loads it. It must be called before the first Update; without Told it only loads.
func (l *Ledger) Follow(ctx context.Context, f Follower) error {
	err := l.order.Follow(f, func() (at order.Place, err error) {
		return at, l.View(ctx, func(r store.Reader) error {
			if at, err = placeIn(r, l); err != nil || f.Load == nil {
				return err
			}
			return f.Load(r, at.Head)
		})
	})
	if err == nil && l.others != nil && f.Told != nil {
		l.others.Start()
	}
	return err
}

// placeIn returns where the log of a ledger stands in a snapshot.
func placeIn(r store.Getter, l *Ledger) (order.Place, error) {
	if l.others == nil {
		return l.order.Place(), nil
	}
	stored, _, err := following.Read(r)
	if err != nil {
		return order.Place{}, err
	}
	t, err := stored.Trail()
	if err != nil {
		return order.Place{}, err
	}
	head, err := t.Head(r, stored.Head)
	return order.Place{Head: head, Number: t.Number}, err
}

// Understand sets which kinds of records this program knows, and by which version of the rules it decides. On a store
// that several processes share, it writes nothing more once the log has others. It is called before the first Update.
func (l *Ledger) Understand(rules int, kinds []string) {
	if l.others != nil {
		l.others.Understand(rules, append([]string{KindCreated}, kinds...))
	}
}

// CatchUp returns when all is published that any process had committed before the call. On a store of one process that
// is so already.
func (l *Ledger) CatchUp(ctx context.Context) error {
	if l.others == nil {
		return nil
	}
	return l.others.CatchUp(ctx)
}

// Confirmed returns the latest moment of which it is known that all is published that any process had committed by
// then. On a store of one process that is now.
func (l *Ledger) Confirmed() time.Time {
	if l.others == nil {
		return time.Now()
	}
	return l.others.Confirmed()
}

// Update runs fn in a transaction. fn may run more than once and must only assign to what it captures.
// An error of fn is returned as it is, with nothing written. When Update returns nil, the change is
// durable and has been published. fault.Unavailable means that the outcome is unknown.
func (l *Ledger) Update(ctx context.Context, fn func(*Tx) error) error {
	if l.others == nil {
		_, err := l.update(ctx, fn)
		return err
	}
	defer l.others.Enter()()
	seen, err := l.update(ctx, fn)
	if err != nil {
		_ = l.order.Await(seen) // what fn has refused is what other processes have left; whoever tries again sees it
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
		return seen, l.order.Await(seen) // what it read may have been committed and not be published yet
	}
	return seen, l.order.Publish(done)
}

func (l *Ledger) begin(stx store.Tx) (*Tx, error) {
	m, t, err := l.readMark(stx)
	if err == nil {
		err = m.checkMoved()
	}
	if err == nil && l.others != nil {
		err = l.others.Check(t)
	}
	if err != nil {
		return nil, err
	}
	now := l.clock().UTC()
	at := now
	if l.others != nil {
		at = m.Dated(now)
	}
	tx := &Tx{store: stx, head: m.Head, sums: sums{}, at: at.Truncate(time.Microsecond), now: now, budget: l.budget,
		trail: t, others: l.others}
	maps.Copy(tx.sums, m.Sums)
	return tx, nil
}

// Close ends the store; updates under way finish first.
func (l *Ledger) Close() error {
	if l.others != nil {
		l.others.Stop()
	}
	return l.store.Close()
}
