package ledger

import (
	"bytes"
	"context"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Follower is told of commits, in the order of the log, each exactly once.
type Follower struct {
	// Load takes over the state of the log at a head, before the first call of Told, and again if other processes have
	// committed so much that it is not known what they wrote. Like every function of a View it may run more than once.
	Load func(store.Reader, audit.Head) error
	// Told takes over commits, before the Update that made them returns. It must not block. Commits of other processes
	// come merged into one, without the objects that were encoded, and with what was written to Tables alone.
	Told func([]Commit)
	// Tables are those whose writes by other processes Told is told of.
	Tables []string
}

// Follow sets the one follower, and loads it. It must be called before the first Update; without Told it only loads.
func (l *Ledger) Follow(ctx context.Context, f Follower) error {
	l.hold()
	var now place
	err := l.View(ctx, func(r store.Reader) (err error) {
		now = place{mark: mark{Head: l.Head()}}
		if l.pursuit != nil {
			now, err = readPlace(r, &l.last)
		}
		if err != nil || f.Load == nil {
			return err
		}
		return f.Load(r, now.Head)
	})
	l.mu.Lock()
	if err == nil {
		l.follower, l.head, l.number = f, now.Head, now.Number
	}
	l.release()
	l.mu.Unlock()
	if err == nil && l.pursuit != nil && f.Told != nil {
		l.pursuit.start()
	}
	return err
}

// read publishes what other processes have committed, up to now, as one commit.
func (p *pursuit) read() error {
	ctx, cancel := context.WithTimeout(p.context, mostRead)
	defer cancel()
	began, seen := time.Now(), p.ledger.Head() // what is published now is on the disk
	var size uint64
	var next *Commit
	err := p.store.View(ctx, func(r store.Reader) error {
		next = nil
		now, err := readPlace(r, &p.ledger.last)
		if err == nil {
			err = now.checkRoot(seen)
		}
		if size = now.mark.Size; err != nil || !p.claim(now.trail) {
			return err
		}
		next, err = p.fetch(r, now)
		return err
	})
	p.takeOver(next, err)
	if err == nil {
		p.confirm(began, size)
	}
	return err
}

// checkRoot refuses a log that has lost what was published.
func (p place) checkRoot(seen audit.Head) error {
	if p.mark.Size < seen.Size || p.mark.Size == seen.Size && p.Root != seen.Root {
		return rolledBack(seen, p.Head)
	}
	return nil
}

func rolledBack(seen, found audit.Head) error {
	return fault.New(fault.Unavailable, store.CodeRolledBack,
		"the log has lost commits: it has %d records with the root %s, and this replica has published %d with %s",
		found.Size, found.Root, seen.Size, seen.Root).
		WithFix("find out which database is the right one: this may be an old copy, or a server that was promoted " +
			"without the last commits")
}

// behind reports whether another process has committed what is not published.
func (p *pursuit) behind(t trail) bool {
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.isBehind(t)
}

func (p *pursuit) isBehind(t trail) bool {
	l := p.ledger
	mine := t.Writer == p.me && t.Since <= l.number+1 // who made them publishes them
	return t.Size > l.head.Size && !mine && l.err == nil
}

// claim keeps everybody else from publishing if another process has committed what is not published.
func (p *pursuit) claim(t trail) bool {
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.claimed && (l.held || !p.isBehind(t)) {
		return false
	}
	l.held, p.claimed = true, true
	return true
}

// fetch reads what was committed since what is published.
func (p *pursuit) fetch(r store.Reader, now place) (*Commit, error) {
	l := p.ledger
	l.mu.Lock()
	from, number, follower := l.head, l.number, l.follower
	l.mu.Unlock()
	c := &Commit{Head: now.Head, number: now.Number}
	if now.Number-number > ringSize {
		c.whole = true
		return c, reload(r, from, now, follower)
	}
	names, err := namesBetween(r, number, now.Number)
	if err == nil {
		c.Records, err = recordsBetween(r, from, now.Head)
	}
	if err == nil {
		c.Writes, err = valuesOf(r, names, follower.Tables)
	}
	c.spenders = names[tableSpent]
	return c, err
}

// reload loads the follower anew, if the log still has what was published as its beginning.
func reload(r store.Reader, from audit.Head, now place, follower Follower) error {
	before, err := audit.HeadAt(from.Size, from.At, nodes{r})
	if err != nil {
		return damaged("the tree of the log is incomplete").Because(err)
	}
	if before.Root != from.Root {
		return rolledBack(from, before)
	}
	if follower.Load == nil {
		return nil
	}
	return follower.Load(r, now.Head)
}

// namesBetween returns the keys of what was written by the commits behind one, up to another, by table.
func namesBetween(r store.Getter, number, last uint64) (map[string][]string, error) {
	var slots []string
	for n := number + 1; n <= last; n++ {
		slots = append(slots, slotOf(n))
	}
	rows, err := store.GetMany(r, tableRing, slots)
	if err != nil {
		return nil, err
	}
	seen, keys := map[name]bool{}, map[string][]string{}
	for i, row := range rows {
		names, err := namesIn(row, number+1+uint64(i))
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if !seen[n] {
				seen[n], keys[n.table] = true, append(keys[n.table], n.key)
			}
		}
	}
	return keys, nil
}

// recordsBetween returns the records from one head to another, which they lead to.
func recordsBetween(r store.Reader, from, to audit.Head) (records []audit.Record, err error) {
	head := from
	err = scanRows(r, from.Size, to.Size, func(seq uint64, raw []byte) error {
		record, err := audit.Decode(bytes.Clone(raw))
		if err != nil {
			return damaged("record %d cannot be read", seq).Because(err)
		}
		records = append(records, record)
		head, _, err = head.Seal(raw, record.At)
		return err
	})
	if err == nil && (head.Size != to.Size || head.Root != to.Root) {
		err = rolledBack(from, to)
	}
	return records, err
}

// valuesOf returns the present values of entries in some tables as writes.
func valuesOf(r store.Getter, names map[string][]string, tables []string) (writes []Write, err error) {
	for _, table := range tables {
		keys := names[table]
		if len(keys) == 0 {
			continue
		}
		values, err := store.GetMany(r, table, keys)
		if err != nil {
			return nil, err
		}
		for i, key := range keys {
			writes = append(writes, Write{Table: table, Key: key, Value: bytes.Clone(values[i])})
		}
	}
	return writes, nil
}

// takeOver publishes what was fetched, and then what this process has committed after it.
func (p *pursuit) takeOver(c *Commit, err error) {
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.claimed {
		return
	}
	p.claimed = false
	if err == nil && l.err == nil {
		p.forget(c)
		if c.whole || l.tell([]Commit{*c}) {
			l.head, l.number = c.Head, c.number
			l.turn.end()
		}
	}
	l.release()
}

// forget drops what a commit that was fetched makes superfluous: commits of this process that it has in it, and what
// is known of those who were charged.
func (p *pursuit) forget(c *Commit) {
	l := p.ledger
	encoded := map[name]Write{}
	for before, own := range l.waiting {
		if before >= c.Head.Size {
			continue
		}
		delete(l.waiting, before)
		for _, w := range own.Writes {
			if w.Object != nil {
				encoded[name{w.Table, w.Key}] = w
			}
		}
	}
	for i, w := range c.Writes { // no need to decode what was encoded here
		if own, is := encoded[name{w.Table, w.Key}]; is && bytes.Equal(own.Value, w.Value) {
			c.Writes[i].Object = own.Object
		}
	}
	for _, spender := range c.spenders {
		delete(l.charged, spender)
	}
	if c.whole {
		clear(l.charged)
	}
}
