package ledger

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// Format is the layout of the tables that this program reads and writes, and Oldest the first format whose logs it can
// replay. The tables of a database of an older format are rebuilt from its log, which stays as it is.
const (
	Format = 7
	Oldest = 4
)

// The codes of a database that this program does not read.
const (
	CodeFormat fault.Code = "store_format"       // it has a format that this program does not know
	CodeOlder  fault.Code = "store_format_older" // it has an older format, and can be upgraded
	CodeEmpty  fault.Code = "store_empty"        // it holds nothing yet
)

// KindCreated is the first record of every log; its data is {"format":7}, or the older format in which the log began.
const KindCreated = "ledger.created"

type format struct {
	Format int `json:"format"`
}

var metaFormat = Table[format]{Name: tableMeta}

// System returns the actor of what the service does by itself.
func System() audit.Actor { return audit.Actor{Name: "orchestrator", Role: "system"} }

// Open checks the store and takes it over; an empty store gets its first record. It refuses a store of
// another format, one whose log does not hang together at its end, and one whose tables are not as the last
// update left them; Verify checks all of it.
func Open(ctx context.Context, s store.Store, clock func() time.Time) (*Ledger, error) {
	l := newLedger(s)
	l.clock = clock
	if shared, is := s.(store.Shared); is {
		l.others = following.New(shared, l.order)
	}
	if err := checkStore(ctx, l); err != nil || l.format != 0 {
		return l, err
	}
	l.format = Format
	_, err := l.update(ctx, func(tx *Tx) error {
		if tx.head.Size > 0 {
			return errBegun
		}
		if err := putFormat(tx.store, Format); err != nil {
			return err
		}
		return tx.Append(Event{Kind: KindCreated, Actor: System(), Data: format{Format}})
	})
	if errors.Is(err, errBegun) {
		err = checkStore(ctx, l)
	}
	return l, err
}

// errBegun is returned when another process has begun the log meanwhile.
var errBegun = errors.New("the log has begun")

func newLedger(s store.Store) *Ledger {
	l := &Ledger{store: s}
	l.order = order.New(func(c Commit) {
		l.charged.add(c)
		if l.others != nil {
			l.links.Told(c.Records)
		}
	})
	return l
}

// checkStore reads where the log ends, and checks the tables.
func checkStore(ctx context.Context, l *Ledger) error {
	return l.store.View(ctx, func(r store.Reader) error {
		m, err := l.readEnd(r, Format)
		if err == nil {
			err = m.checkMoved()
		}
		if err != nil {
			return err
		}
		return m.Sums.check(r)
	})
}

func putFormat(to store.Tx, number int) error {
	raw, err := Encode(format{number})
	if err != nil {
		return err
	}
	return to.Put(tableMeta, keyFormat, raw)
}

// OpenReadOnly opens a ledger in a store that must not be changed; an empty one is refused.
func OpenReadOnly(ctx context.Context, s store.Store) (*Ledger, error) {
	return openReadOnly(ctx, s, Format)
}

// OpenToReplay opens a ledger as OpenReadOnly does, of this format or of an older one whose log this program can
// replay. The tables of an older one besides the log are as the program of then left them: they are not to be read.
func OpenToReplay(ctx context.Context, s store.Store) (*Ledger, error) {
	return openReadOnly(ctx, s, Oldest)
}

func openReadOnly(ctx context.Context, s store.Store, oldest int) (*Ledger, error) {
	l := newLedger(s)
	return l, s.View(ctx, func(r store.Reader) error {
		_, err := l.readEnd(r, oldest)
		if err == nil && l.format == 0 {
			err = fault.New(fault.Unavailable, CodeEmpty, "the database holds nothing yet").
				WithFix("start the service once, which fills it")
		}
		return err
	})
}

// Format returns the format of the database; it is another than that of this program only after OpenToReplay.
func (l *Ledger) Format() int { return l.format }

// readEnd reads format and head, and holds the head against the last record and the stored tree. Of an empty store the
// format is 0.
func (l *Ledger) readEnd(r store.Reader, oldest int) (m mark, err error) {
	f, found, err := metaFormat.Get(r, keyFormat)
	if err != nil {
		return m, err
	}
	if !found {
		l.format = 0
		l.order.Begin(order.Place{})
		return m, checkEmpty(r)
	}
	if err := checkFormat("database", f.Format, oldest); err != nil {
		return m, err
	}
	if m, err = storedMark(r); err != nil {
		return m, err
	}
	at := order.Place{Head: m.Head}
	if l.others != nil {
		if at, err = placeIn(r, l); err != nil {
			return m, err
		}
	}
	l.format = f.Format
	l.order.Begin(at)
	if err := checkLast(r, m.Head); err != nil {
		return m, err
	}
	return m, checkBegin(r, f.Format)
}

// checkBegin refuses a database that says it has an older format than its log began in: of such a one less would be
// demanded than it has.
func checkBegin(r store.Getter, number int) error {
	_, first, err := RecordAt(r, 0)
	if err != nil {
		return store.Damaged("record 0 cannot be read").Because(err)
	}
	var began format
	if decode(first.Data, &began) == nil && began.Format > number {
		return store.Damaged(
			"the database says that it has format %d, but its log began in format %d",
			number,
			began.Format,
		)
	}
	return nil
}

// checkFormat refuses what has another format than those from oldest on that this program knows.
func checkFormat(what string, found, oldest int) error {
	switch {
	case found > Format:
		return fault.New(fault.Unavailable, CodeFormat, "the %s has format %d; this program knows formats %d to %d",
			what, found, Oldest, Format).
			WithFix("use a newer version of orchestrator: this one is older than the one that wrote it")
	case found < Oldest:
		return fault.New(fault.Unavailable, CodeFormat, "the %s has format %d; this program knows formats %d to %d",
			what, found, Oldest, Format).
			WithFix("use the version of orchestrator that wrote it")
	case found < oldest:
		return fault.New(fault.Unavailable, CodeOlder, "the %s has format %d; this program writes format %d", what,
			found, Format).
			WithFix("run orchestrator upgrade --data DIR, with the folder of the database: it rebuilds the tables, " +
				"and keeps the log and the old file")
	}
	return nil
}

// checkEmpty refuses to take over tables that another program filled, or that lost their format, and a log that is
// being moved here.
func checkEmpty(r store.Reader) error {
	switch note, err := r.Get(moved.Table, moved.Key); {
	case err != nil:
		return err
	case note != nil:
		return moved.Unfinished()
	}
	for _, table := range []string{rows.Table, rows.Hashes, tableMeta, tableSubjects, tableBlobs} {
		err := r.Scan(table, "", "", func(string, []byte) error {
			return store.Damaged("table %s is not empty, but the database does not say which format it has", table)
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
		err = store.Damaged("the head of the log is missing")
	}
	if err != nil {
		return mark{}, err
	}
	return decodeMark(rows.Nodes{From: r}, raw)
}

func checkLast(r store.Getter, head audit.Head) error {
	if head.Size == 0 {
		return store.Damaged("the log is empty")
	}
	last, record, err := RecordAt(r, head.Size-1)
	if err != nil || nodeOf(last) != leafOf(r, head.Size-1) || !record.At.Equal(head.At) {
		return store.Damaged("record %d, the last of the log, is missing, or it or the head of the log was changed",
			head.Size-1).Because(err)
	}
	beyond, err := rows.Read(r, head.Size)
	if err == nil && beyond != nil {
		err = store.Damaged("there is a record %d beyond the head of the log", head.Size)
	}
	return err
}
