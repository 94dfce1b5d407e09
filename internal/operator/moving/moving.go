// Package moving moves a log from one store to another: records, root and tables stay the same, byte for byte.
//
// The log is verified where it is, copied table by table, compared with what was copied, and verified again where it
// was copied to, before any ledger can open it there. Then the head of the old store names the new one, so that nobody
// writes to the old one any more, and only then the new store gets its head. Whenever the process is killed, the log
// can be opened in one of the two stores at most, and the same move goes on where it was.
//
// Memory is bounded by a page of entries, and so is the time of every transaction.
package moving

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/credentials"
)

// Keys of the table meta.
const (
	keyHead   = "head"
	keyFormat = "format"
	keyTrail  = "trail"
)

// tableSpent is a table that the log does not account for, and that is moved with it. What else there is of such tables
// is made anew where the log goes on.
const tableSpent = "spent"

// Options of Move.
type Options struct {
	Now    func() time.Time
	Afresh bool // take the place of what an unfinished move of another log has copied

	// How far it is with the records, which are verified on both sides; may be nil.
	Verified, Copied, Compared func(done, total int)

	reached     func(step string) error // is called after every step; in tests, an error makes the next step fail
	pageEntries int                     // in tests
	lease       time.Duration           // in tests
}

// Moved is what Move did.
type Moved struct {
	From         string         `json:"from"`
	To           string         `json:"to"`
	Records      uint64         `json:"records"`
	Root         audit.Hash     `json:"root"`
	Requirements int            `json:"requirements"`
	Tables       map[string]int `json:"tables"` // entries
	Bytes        int64          `json:"bytes"`  // of keys and values
	Resumed      bool           `json:"resumed"`
	Already      bool           `json:"already"`        // it had been moved before; nothing was done
	Kept         []string       `json:"kept,omitempty"` // the files that were there before, under their new names
}

// Move moves a log. It refuses a log that a service uses or that is not in order, and a place that has something else.
//
// Implements: ORC-375 ORC-376
func Move(ctx context.Context, from, to Place, o Options) (done Moved, err error) {
	m := &mover{Options: o, from: from, to: to, done: Moved{From: from.name, To: to.name, Tables: map[string]int{}}}
	m.lease = cmp.Or(m.lease, leaseTime)
	if m.reached == nil {
		m.reached = func(string) error { return nil }
	}
	if from.name == to.name {
		return m.done, fault.New(fault.Invalid, fault.CodeUsage, "%s is both where the log is and where it goes", to).
			WithFix("name two places")
	}
	if m.source, err = from.openSource(ctx, m.lease); err != nil {
		return m.done, err
	}
	defer func() { err = m.notMoved(errors.Join(err, m.source.close())) }()
	if err := m.learn(ctx); err != nil {
		return m.done, err
	}
	if m.done.Already, err = m.isThere(ctx); err != nil || m.done.Already {
		return m.done, err
	}
	if m.target, err = to.openTarget(ctx, m.Options); err != nil {
		return m.done, err
	}
	defer func() { err = errors.Join(err, m.target.close()) }()
	return m.done, m.run(ctx)
}

// mover is one move under way.
type mover struct {
	Options

	from, to       Place
	source, target *end
	done           Moved

	raw  []byte            // the head of the source, as it is stored
	head moved.Head        // the same
	meta map[string][]byte // the table meta of the target

	needs  following.Kinds
	tables []string // all that are mirrored
	tokens []byte   // of the log, as the target keeps them; nil where there are none, or they are in a table
}

// learn reads what the source says of its log.
func (m *mover) learn(ctx context.Context) (err error) {
	if _, err := ledger.OpenReadOnly(ctx, m.source.store); err != nil {
		return database.NameUpgrade(err, m.from.folder)
	}
	format, err := read(ctx, m.source.store, tableMeta, keyFormat)
	if err != nil {
		return err
	}
	if m.raw, err = read(ctx, m.source.store, tableMeta, keyHead); err != nil {
		return err
	}
	if m.head, err = moved.ReadHead(m.raw); err != nil {
		return err
	}
	if elsewhere := m.head.Moved; elsewhere != "" && elsewhere != m.to.name {
		return fault.New(fault.Conflict, codeMoved, "the log of %s was moved to %s already", m.from, elsewhere).
			WithFix("move it from there; or name that place with --to, if that move was not finished")
	}
	plain := m.head
	plain.Moved = ""
	head, err := plain.Encode()
	if err != nil {
		return err
	}
	m.meta = map[string][]byte{keyFormat: format, keyHead: head}
	return m.learnTokens(ctx)
}

// run does all of it, once both ends are open.
func (m *mover) run(ctx context.Context) error {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"noted", m.note}, {"verified", m.verify}, {"copied", m.copy}, {"compared", m.compare}, {"checked", m.check},
		{"left", m.leave}, {"published", m.publish}, {"placed", m.place},
	}
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return err
		}
		if err := m.reached(s.name); err != nil {
			return err
		}
	}
	return nil
}

// verify verifies the source.
func (m *mover) verify(ctx context.Context) error {
	found, err := m.audit(ctx, m.from.name, m.source.store)
	m.done.Records, m.done.Root, m.done.Requirements = found.Records, found.Root, found.Requirements
	return err
}

func (m *mover) audit(ctx context.Context, name string, s store.Store) (auditor.Report, error) {
	l, err := ledger.OpenReadOnly(ctx, s)
	if err != nil {
		return auditor.Report{}, err
	}
	return auditor.Database(ctx, name, l, nil, auditor.Options{Progress: m.Verified})
}

// copy makes the tables of the target those of the source.
func (m *mover) copy(context.Context) error {
	_, err := m.mirror(false, m.Copied, nil)
	return err
}

// compare reads both again, and finds what differs.
func (m *mover) compare(context.Context) error {
	c, err := m.mirror(true, m.Compared, m.needs.Add)
	m.done.Tables, m.done.Bytes = c.entries, c.bytes
	return err
}

// mirror goes through all tables but meta, and shows every record unless visit is nil.
func (m *mover) mirror(compare bool, progress func(done, total int), visit func(audit.Record)) (*mirror, error) {
	c := &mirror{from: m.source.store, to: m.target.store, compare: compare,
		most: cmp.Or(m.pageEntries, pageEntries), entries: map[string]int{}}
	c.pages = func(table string, entries []entry) error {
		if table != tableAudit {
			return nil
		}
		if err := showAll(entries, visit); err != nil {
			return err
		}
		if progress != nil && len(entries) > 0 {
			progress(c.entries[table], int(m.head.Size))
		}
		return nil
	}
	for _, table := range m.tables {
		if err := c.table(m.target.under, table); err != nil {
			return c, err
		}
	}
	return c, nil
}

// showAll shows the records of rows of the log.
func showAll(entries []entry, visit func(audit.Record)) error {
	if visit == nil {
		return nil
	}
	for _, e := range entries {
		record, err := audit.Decode(ledger.RecordOf(e.value))
		if err != nil {
			return err
		}
		visit(record)
	}
	return nil
}

// check verifies the log where it was copied to, with the head of the source.
func (m *mover) check(ctx context.Context) error {
	_, err := m.audit(ctx, m.to.name, hidden{m.target.store, m.meta})
	return err
}

// leave lets the source say that its log goes on elsewhere, if it is still the log that was copied.
func (m *mover) leave(context.Context) error {
	if m.head.Moved != "" {
		return nil // a move that was interrupted has done so
	}
	gone := m.head
	gone.Moved = m.to.name
	raw, err := gone.Encode()
	if err != nil {
		return err
	}
	err = m.source.store.Update(m.source.under, func(tx store.Tx) error {
		now, err := tx.Get(tableMeta, keyHead)
		if err == nil && !bytes.Equal(now, m.raw) {
			err = m.grown()
		}
		if err == nil && m.from.isShared() {
			err = tx.Put(tableMeta, keyTrail, bytes.Clone(raw)) // replicas that only read see it
		}
		if err != nil {
			return err
		}
		return tx.Put(tableMeta, keyHead, bytes.Clone(raw))
	})
	if err != nil || m.from.isShared() || m.from.file != "" || !m.to.isShared() {
		return err
	}
	// So commands that are given no store do not take the folder's old tokens for those of the log.
	return storage.Memory{Store: m.to.name, Size: m.head.Size, Root: m.head.Root}.Write(m.from.folder)
}

// grown is the error that somebody wrote to the source meanwhile.
func (m *mover) grown() error {
	return fault.New(fault.Conflict, codeInUse, "%s was written to while it was copied", m.from).
		WithFix("stop every service that uses it, and repeat the command: only what changed is copied again")
}

// publish gives the target its head: from then on it can be opened.
func (m *mover) publish(context.Context) error {
	return m.target.store.Update(m.target.under, func(tx store.Tx) error {
		for key, value := range m.meta {
			if err := tx.Put(tableMeta, key, bytes.Clone(value)); err != nil {
				return err
			}
		}
		if m.to.isShared() && m.tokens != nil {
			if err := tx.Put(credentials.Table, credentials.Key, m.tokens); err != nil {
				return err
			}
		}
		if err := m.needs.Put(m.target.store, tx); err != nil {
			return err
		}
		return tx.Delete(moved.Table, moved.Key)
	})
}

// place puts a file in its place, and first the tokens beside it.
func (m *mover) place(ctx context.Context) error {
	if m.target.place == nil {
		return nil
	}
	err := m.placeTokens(ctx)
	if err == nil {
		err = m.target.place()
	}
	m.done.Kept = m.target.kept()
	return err
}
