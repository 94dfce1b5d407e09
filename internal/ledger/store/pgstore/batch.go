package pgstore

import (
	"context"
	"errors"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// errLost says that another process has committed since the head was read.
var errLost = errors.New("pgstore: another process came between")

// lockedBatches is how many batches lock the head after one that lost a race.
const lockedBatches = 8

// maxRounds is how often what is missing is collected from a run, before each is got where it is missed.
const maxRounds = 4

// maxPiece is how many bytes one statement writes at most, if it writes more than one value.
const maxPiece = 16 << 20

// stateReadOnly is the SQLSTATE of a write on a server that takes none.
const stateReadOnly = "25006"

// batch is the run of several updates in one transaction.
type batch struct {
	w       *writer
	staged  *staged
	updates []*update // the first of those that wait
	next    int       // the first that has not been run on what is known
	locked  bool
}

func newBatch(w *writer) *batch {
	b := &batch{w: w}
	b.join()
	return b
}

// join adds the updates that have come, as far as the batch has room, and returns those that are new.
func (b *batch) join() []*update {
	before := len(b.updates)
	b.w.waiting = b.w.s.queue.TakeNow(b.w.waiting)
	b.updates = b.w.waiting[:min(len(b.w.waiting), maxBatchUpdates)]
	return b.updates[before:]
}

// attempt runs the updates and commits them. After errLost, and after an error that leaves a doubt which was resolved,
// it may be called again.
func (b *batch) attempt() error {
	b.next, b.locked = 0, false
	b.staged = &staged{known: &b.w.known, missing: map[store.Place]bool{}, fenced: map[string]bool{}}
	b.w.known.trim()
	if err := b.w.conn.check(b.w.s.options.Patience); err != nil {
		return err
	}
	defer b.w.conn.used()
	defer b.w.conn.c.Limit(b.w.s.options.answer())()
	if b.w.locking > 0 {
		if err := b.lock(); err != nil {
			return err
		}
	}
	if err := b.evaluate(); err != nil {
		return err
	}
	return b.commit()
}

// lock locks the head, and reads what a dry run reads. Updates that come while another process holds the head join the
// batch: their turn would be after that of the other process otherwise.
func (b *batch) lock() error {
	b.staged.read = map[store.Place]bool{}
	b.dry(b.updates)
	for at := range b.staged.read {
		b.staged.missing[at] = true // what was known of it, too
	}
	b.staged.read = nil
	b.locked = true
	if err := b.fetch(session.Call{Statement: sqlBegin}, session.Call{Statement: sqlLock}); err != nil {
		return err
	}
	if b.dry(b.join()); b.staged.isWhole() {
		return nil
	}
	return b.fetch()
}

// evaluate runs the updates until nothing is missing.
//
// Implements: ORC-341
func (b *batch) evaluate() error {
	for round := 0; ; round++ {
		if round == maxRounds {
			b.staged.fetch = func() error { return b.fetch() }
		}
		b.run()
		if b.staged.err != nil {
			return b.staged.err
		}
		if b.staged.isWhole() {
			return nil
		}
		if err := b.fetch(); err != nil {
			return err
		}
	}
}

// run runs updates one by one from the next on, until one misses something; the others are run dry then, to learn what
// they miss. The error of one stays its own.
func (b *batch) run() {
	for b.next < len(b.updates) {
		u := b.updates[b.next]
		if !u.mine() {
			u.err = context.Canceled
			b.next++
			continue
		}
		b.staged.own.reset()
		err := b.call(u)
		if !b.staged.isWhole() {
			b.dry(b.updates[b.next+1:])
			return
		}
		if u.err = err; err == nil {
			b.staged.batch.add(&b.staged.own)
		}
		if b.next++; b.staged.batch.size >= maxBatchBytes {
			b.updates = b.updates[:b.next]
		}
	}
}

// dry runs updates for what they read alone.
func (b *batch) dry(updates []*update) {
	for _, u := range updates {
		b.staged.own.reset()
		if u.mine() {
			_ = b.call(u)
		}
	}
}

// call runs one update over what is staged.
func (b *batch) call(u *update) error {
	if u.lease != nil {
		fence, known := b.w.known.fences[u.lease.Name]
		if !known {
			b.staged.fenced[u.lease.Name] = true
		} else if fence != u.lease.Fence {
			return store.ErrFenced
		}
	}
	return store.Call(u.run, store.Tx(b.staged))
}

// fetch reads what is missing, in the round trip of some calls before it. If the head moved on, all that was known
// before is forgotten.
func (b *batch) fetch(before ...session.Call) error {
	highest := b.w.s.highest.Load()
	places, tables, keys := b.staged.wanted()
	names, fenced := b.staged.wantedFences()
	got, err := b.w.conn.c.Do(append(before, session.Call{Statement: sqlFetch, Params: [][]byte{
		session.Array(session.Bytea, tables), session.Array(session.Bytea, keys), session.Array(session.Text, fenced),
	}})...)
	if err != nil {
		return err
	}
	rows := got[len(got)-1]
	values, fences := make([][]byte, len(places)), make([]uint64, len(names))
	var head session.Row
	for _, row := range rows {
		switch n := int64(session.Number(row[0])); {
		case n > 0:
			values[n-1] = row[1]
		case n < 0:
			fences[-n-1] = session.Number(row[2])
		default:
			head = row
		}
	}
	if head != nil && session.Number(head[2]) < highest {
		// The writer joins by another connection, and finds out whether commits were lost.
		return errOlder(b.w.s.config.Place(), session.Number(head[2]), highest)
	}
	return b.learn(head, places, values, names, fences)
}

// learn takes over what was read at one head.
func (b *batch) learn(head session.Row, places []store.Place, values [][]byte, names []string, fences []uint64) error {
	if head == nil {
		return errHeadless
	}
	known := &b.w.known
	b.w.s.raise(session.Number(head[2]))
	if string(head[1]) != string(known.nonce) {
		moved := known.nonce != nil
		known.reset(head[1])
		b.next = 0
		b.staged.batch.reset()
		if moved && !b.locked && b.staged.fetch != nil {
			return errLost
		}
	}
	for i, at := range places {
		known.put(at, values[i])
	}
	for i, name := range names {
		known.fences[name] = fences[i]
	}
	clear(b.staged.missing)
	clear(b.staged.fenced)
	return nil
}

// errHeadless says that the row of the head is gone.
var errHeadless = errors.New("pgstore: the table head is empty")

// wanted returns the places that are missing, and their tables and keys.
func (t *staged) wanted() (places []store.Place, tables, keys [][]byte) {
	for at := range t.missing {
		places = append(places, at)
		tables, keys = append(tables, []byte(at.Table)), append(keys, []byte(at.Key))
	}
	return places, tables, keys
}

// wantedFences returns the leases whose fences are missing.
func (t *staged) wantedFences() (names []string, params [][]byte) {
	for name := range t.fenced {
		names, params = append(names, name), append(params, []byte(name))
	}
	return names, params
}
