package following

import (
	"bytes"
	"context"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// read publishes what other processes have committed, up to now, as one commit.
func (p *Pursuit) read() error {
	ctx, cancel := context.WithTimeout(p.context, mostRead)
	defer cancel()
	began, seen := time.Now(), p.order.Head() // what is published now is on the disk
	f := fetch{pursuit: p}
	err := p.store.View(ctx, func(r store.Reader) error { return f.from(r, seen) })
	if err != nil {
		f.commit = nil
	}
	if f.claimed {
		p.order.TakeOver(f.commit)
	}
	if err == nil {
		p.confirm(began, f.head.Size)
	}
	return err
}

// fetch is one read of what was committed since what is published.
type fetch struct {
	pursuit *Pursuit
	head    audit.Head // as it is stored

	ahead ahead

	claimed  bool // and nobody else publishes
	at       order.Place
	follower order.Follower
	commit   *order.Commit // nil if there is nothing to publish
}

// from may run more than once.
func (f *fetch) from(r store.Reader, seen audit.Head) error {
	f.ahead.at = f.pursuit.order.Place()
	stored, others, err := Read(r, f.ahead.places()...)
	if err != nil {
		return err
	}
	f.ahead.rows = others
	t, err := stored.Trail()
	if err == nil {
		f.head, err = t.Head(r, stored.Head)
	}
	if err == nil && (f.head.Size < seen.Size || f.head.Size == seen.Size && f.head.Root != seen.Root) {
		err = rolledBack(seen, f.head)
	}
	if err != nil {
		return err
	}
	if !f.claimed {
		f.at, f.follower, f.claimed = f.pursuit.order.Claim(
			func(at order.Place) bool { return f.pursuit.isBehind(t, at) },
		)
	}
	if !f.claimed {
		return nil
	}
	c := &order.Commit{Head: f.head, Number: t.Number, Whole: t.Number-f.at.Number > ringSize}
	if c.Whole {
		err = f.reload(r)
	} else {
		err = f.merge(r, c)
	}
	f.commit = c
	return err
}

// Head returns the head of a log as it is stored, which the trail bears out; before the first trail, the tree does.
func (t Trail) Head(r store.Getter, raw []byte) (head audit.Head, err error) {
	if raw == nil {
		return head, nil
	}
	stored, err := moved.ReadHead(raw)
	if err != nil {
		return head, store.Damaged("the head of the log cannot be read").Because(err)
	}
	if head, err = audit.HeadAt(stored.Size, stored.At, t.Nodes(r)); err == nil && head.Root == stored.Root {
		return head, nil
	}
	return head, store.Damaged("the head of the log and the trail of the last commit differ").Because(err)
}

// Hashes reads nodes of the tree.
type Hashes interface {
	ReadHashes(indexes []int64) ([]audit.Hash, error)
}

// Nodes returns what has the frontier of the log: the trail, or the tree before the first trail.
func (t Trail) Nodes(r store.Getter) Hashes {
	if t.Number == 0 {
		return rows.Nodes{From: r}
	}
	return t
}

// merge reads the commits since what is published as one.
func (f *fetch) merge(r store.Reader, c *order.Commit) error {
	slots, records, err := f.between(r, c)
	if err != nil {
		return err
	}
	names, err := namesFrom(slots, f.at.Number)
	if err == nil {
		c.Records, err = recordsBetween(r, f.at.Head, c.Head, records)
	}
	if err == nil {
		c.Writes, err = valuesOf(r, names, f.follower.Tables)
	}
	c.Spenders = names[tableSpent]
	return err
}

// reload loads the follower anew, if the log still has what was published as its beginning.
func (f *fetch) reload(r store.Reader) error {
	was := f.at.Head
	before, err := audit.HeadAt(was.Size, was.At, rows.Nodes{From: r})
	if err != nil {
		return store.Damaged("the tree of the log is incomplete").Because(err)
	}
	if before.Root != was.Root {
		return rolledBack(was, before)
	}
	if f.follower.Load == nil {
		return nil
	}
	return f.follower.Load(r, f.head)
}

// How many commits, and how many records, are read together with the head: a follower that keeps up needs no more.
const (
	commitsAhead = 4
	recordsAhead = 32
)

// ahead is what lies behind a place of the log, as far as it is read together with the head.
type ahead struct {
	at   order.Place
	rows [][]byte // of the commits behind it, then of the records; nil where there is none yet
}

func (a *ahead) places() []store.Place {
	return append(slotsBetween(a.at.Number, a.at.Number+commitsAhead),
		rows.Places(a.at.Head.Size, a.at.Head.Size+recordsAhead)...)
}

// between returns the rows of the commits since what is published, and of the first of their records.
func (f *fetch) between(r store.Getter, c *order.Commit) (slots, records [][]byte, err error) {
	commits, size := int(c.Number-f.at.Number), f.at.Head.Size
	more := c.Head.Size - size
	if size == f.ahead.at.Head.Size && commits <= commitsAhead && more <= recordsAhead {
		return f.ahead.rows[:commits], f.ahead.rows[commitsAhead:][:more], nil
	}
	places := append(slotsBetween(f.at.Number, c.Number), rows.Places(size, size+min(more, recordsAtOnce))...)
	found, err := store.GetMany(r, places)
	if err != nil {
		return nil, nil, err
	}
	return found[:commits], found[commits:], nil
}

// recordsAtOnce is how many records are read together with the names of what was written.
const recordsAtOnce = 256

// recordsBetween returns the records from one head to another, which they lead to. The rows of the first ones have been
// read.
func recordsBetween(r store.Reader, from, to audit.Head, first [][]byte) (records []audit.Record, err error) {
	head := from
	take := func(seq uint64, raw []byte) error {
		record, err := audit.Decode(bytes.Clone(raw))
		if err != nil {
			return store.Damaged("record %d cannot be read", seq).Because(err)
		}
		records = append(records, record)
		head, _, err = head.Seal(raw, record.At)
		return err
	}
	for _, row := range first {
		if err := take(head.Size, rows.RecordOf(row)); err != nil {
			return nil, err
		}
	}
	if head.Size < to.Size {
		err = rows.Scan(r, head.Size, to.Size, take)
	}
	if err == nil && (head.Size != to.Size || head.Root != to.Root) {
		err = rolledBack(from, to)
	}
	return records, err
}

// valuesOf returns the present values of entries in some tables as writes.
func valuesOf(r store.Getter, names map[string][]string, tables []string) (writes []order.Write, err error) {
	var places []store.Place
	for _, table := range tables {
		places = append(places, store.Places(table, names[table]...)...)
	}
	values, err := store.GetMany(r, places)
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		writes = append(writes, order.Write{Table: at.Table, Key: at.Key, Value: bytes.Clone(values[i])})
	}
	return writes, nil
}

func rolledBack(seen, found audit.Head) error {
	return fault.New(fault.Unavailable, store.CodeRolledBack,
		"the log has lost commits: it has %d records with the root %s, and this replica has published %d with %s",
		found.Size, found.Root, seen.Size, seen.Root).
		WithFix("find out which database is the right one: this may be an old copy, or a server that was promoted " +
			"without the last commits")
}
