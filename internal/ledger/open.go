package ledger

import (
	"context"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Format is the layout of the tables that this program reads and writes.
const Format = 4

// The codes of a database that this program does not read.
const (
	CodeFormat fault.Code = "store_format" // its log has another format
	CodeEmpty  fault.Code = "store_empty"  // it holds nothing yet
)

// KindCreated is the first record of every log; its data is {"format":4}.
const KindCreated = "ledger.created"

type format struct {
	Format int `json:"format"`
}

var metaFormat = Table[format]{tableMeta}

// System returns the actor of what the service does by itself.
func System() audit.Actor { return audit.Actor{Name: "orchestrator", Role: "system"} }

// Open checks the store and takes it over; an empty store gets its first record. It refuses a store of
// another format, one whose log does not hang together at its end, and one whose tables are not as the last
// update left them; Verify checks all of it.
func Open(ctx context.Context, s store.Store, clock func() time.Time) (*Ledger, error) {
	l := &Ledger{store: s, clock: clock, waiting: map[uint64]*Commit{}, failed: make(chan struct{})}
	l.turn = sync.NewCond(&l.mu)
	var fresh bool
	err := s.View(ctx, func(r store.Reader) (err error) {
		var m mark
		if m, fresh, err = checkEnd(r); err != nil {
			return err
		}
		l.head = m.Head
		return m.Sums.check(r)
	})
	if err != nil || !fresh {
		return l, err
	}
	return l, l.Update(ctx, func(tx *Tx) error {
		if err := putFormat(tx.store); err != nil {
			return err
		}
		return tx.Append(Event{Kind: KindCreated, Actor: System(), Data: format{Format}})
	})
}

func putFormat(to store.Tx) error {
	raw, err := Encode(format{Format})
	if err != nil {
		return err
	}
	return to.Put(tableMeta, keyFormat, raw)
}

// OpenReadOnly opens a ledger in a store that must not be changed; an empty one is refused.
func OpenReadOnly(ctx context.Context, s store.Store) (*Ledger, error) {
	l := &Ledger{store: s, failed: make(chan struct{})}
	l.turn = sync.NewCond(&l.mu)
	return l, s.View(ctx, func(r store.Reader) error {
		m, fresh, err := checkEnd(r)
		if err == nil && fresh {
			err = fault.New(fault.Unavailable, CodeEmpty, "the database holds nothing yet").
				WithFix("start the service once, which fills it")
		}
		l.head = m.Head
		return err
	})
}

// checkEnd reads the head and holds it against the last record and the stored tree.
func checkEnd(r store.Reader) (m mark, fresh bool, err error) {
	f, found, err := metaFormat.Get(r, keyFormat)
	if err != nil {
		return m, false, err
	}
	if !found {
		return m, true, checkEmpty(r)
	}
	if f.Format != Format {
		return m, false, fault.New(fault.Unavailable, CodeFormat,
			"the database has format %d, this program reads format %d", f.Format, Format).
			WithFix("use the version of orchestrator that wrote it")
	}
	if m, err = storedMark(r); err != nil {
		return m, false, err
	}
	return m, false, checkLast(r, m.Head)
}

// checkEmpty refuses to take over tables that another program filled, or that lost their format.
func checkEmpty(r store.Reader) error {
	for _, table := range []string{tableAudit, tableHashes, tableMeta, tableSubjects, tableBlobs} {
		err := r.Scan(table, "", "", func(string, []byte) error {
			return damaged("table %s is not empty, but the database does not say which format it has", table)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func storedMark(r store.Getter) (mark, error) {
	raw, err := r.Get(tableMeta, keyHead)
	if err == nil && raw == nil {
		err = damaged("the head of the log is missing")
	}
	if err != nil {
		return mark{}, err
	}
	return decodeMark(r, raw)
}

func checkLast(r store.Getter, head audit.Head) error {
	if head.Size == 0 {
		return damaged("the log is empty")
	}
	last, record, err := recordAt(r, head.Size-1)
	if err != nil || nodeOf(last) != leafOf(r, head.Size-1) || !record.At.Equal(head.At) {
		return damaged("record %d, the last of the log, is missing, or it or the head of the log was changed",
			head.Size-1).Because(err)
	}
	beyond, err := r.Get(tableAudit, numberKey(head.Size))
	if err == nil && beyond != nil {
		err = damaged("there is a record %d beyond the head of the log", head.Size)
	}
	return err
}
