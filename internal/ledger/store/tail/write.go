package tail

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"syscall"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
	"orchestrator/internal/ledger/store/wal"
)

// Ground is what a batch reads, and where it puts what it writes.
type Ground interface {
	store.Getter
	// Put takes writes, which Get returns from then on. The values are the ground's.
	Put(writes []overlay.Write) error
	// Most is how many bytes of keys and values a batch may reach before it ends.
	Most() int
}

// errAgain says that nothing happened, and that a batch is to run again on the ground that comes next.
var errAgain = errors.New("tail: the batch runs again")

// Write runs a batch over the newest state, and returns when what it has put is durable and can be read. After an error
// of fn nothing was written. fn may run more than once; its last run counts. One Write at a time is under way.
//
// Implements: ORC-390
func (t *Tail) Write(fn func(Ground) error) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	long := false       // for the WAL
	var unsure *wal.Log // may have the batch
	for {
		ready, err := t.readyWAL()
		if err != nil && unsure != nil && unsure == t.log {
			return t.retract(err)
		}
		if err != nil {
			return err
		}
		if !ready || long {
			return t.commit(fn)
		}
		on := t.log
		if long, err = t.append(fn); !errors.Is(err, errAgain) {
			return err
		}
		if !long {
			unsure = on
		}
	}
}

// retract returns cause, why a batch was refused, when the WAL surely does not have the batch. The WAL takes no more.
func (t *Tail) retract(cause error) error {
	if err := t.log.Retract(); err != nil {
		return t.file.FailCommit(errors.Join(cause, err))
	}
	return cause
}

// inFile is the ground of a batch that is committed to the file itself.
type inFile struct {
	store.Getter
	tx    store.Tx
	dirty bool // something was put
}

func (*inFile) Most() int { return 16 << 20 }

func (g *inFile) Put(writes []overlay.Write) error {
	g.dirty = true
	return putAll(g.tx, slices.Values(writes))
}

// putAll writes to the file.
func putAll(tx store.Tx, writes iter.Seq[overlay.Write]) error {
	for w := range writes {
		var err error
		if w.Value == nil {
			err = tx.Delete(w.Table, w.Key)
		} else {
			err = tx.Put(w.Table, w.Key, w.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commit commits a batch to the file, which has everything by then.
func (t *Tail) commit(fn func(Ground) error) error {
	if err := t.settleAll(); err != nil {
		return err
	}
	var g *inFile
	err := t.file.Update(context.Background(), func(tx store.Tx) error {
		g = &inFile{Getter: tx, tx: tx}
		if err := fn(g); err != nil || !g.dirty {
			return err
		}
		return t.stamp(tx)
	})
	if err == nil && g.dirty {
		t.countCommit()
	}
	return err
}

// countCommit has a WAL made when it is worth it.
func (t *Tail) countCommit() {
	if t.after--; t.after == 0 && t.wanted != nil {
		t.wanted <- struct{}{}
	}
}

// inWAL is the ground of a batch that is appended to the WAL.
type inWAL struct {
	layers  // of which young is the batch's own copy
	file    store.Getter
	payload []byte
}

func (g *inWAL) Most() int { return maxBatch / 2 }

func (g *inWAL) Get(table, key string) ([]byte, error) {
	if value, written := g.written(table, key); written {
		return value, nil
	}
	return g.file.Get(table, key)
}

func (g *inWAL) Put(writes []overlay.Write) error {
	for _, w := range writes {
		w.Value = bytes.Clone(w.Value) // it may be what Get returned of the file, and lasts no longer than that
		g.young.Set(w)
		g.payload = wal.AppendWrite(g.payload, w.Table, w.Key, w.Value)
	}
	return nil
}

// remembering is a state of the file of which each entry is looked up once: the changes of a batch read the same ones.
type remembering struct {
	from  store.Getter
	known map[store.Place][]byte
}

// mostKnown is how many entries are remembered.
const mostKnown = 1024

func remember(from store.Getter) *remembering { return &remembering{from, map[store.Place][]byte{}} }

func (r *remembering) Get(table, key string) ([]byte, error) {
	at := store.Place{Table: table, Key: key}
	if value, is := r.known[at]; is {
		return value, nil
	}
	value, err := r.from.Get(table, key)
	if err == nil && len(r.known) < mostKnown {
		r.known[at] = value
	}
	return value, err
}

// append appends a batch to the WAL. The batch is to run again if it is too long for that, and if the WAL was taken away:
// the file can still have all of it. An error of the disk ends the file.
func (t *Tail) append(fn func(Ground) error) (long bool, err error) {
	l := *t.layers.Load() // before the View begins, as in View
	g := &inWAL{layers: layers{young: l.young.Copy(), old: l.old}, payload: t.payload[:0]}
	err = t.file.View(context.Background(), func(r store.Reader) error {
		g.file = remember(r)
		return fn(g)
	})
	t.payload = g.payload
	if err != nil || len(g.payload) == 0 {
		return false, err
	}
	if len(g.payload) > maxBatch {
		t.payload = nil
		return true, errAgain
	}
	if err := t.haveRoom(); err != nil {
		return false, err
	}
	if err := t.log.Append(g.payload); isAway(err) {
		t.failed = true
		return false, errAgain
	} else if err != nil {
		return false, t.file.FailCommit(err)
	}
	if err := t.file.Err(); err != nil { // nothing that this process still says may be relied on
		return false, err
	}
	t.swap(func(now layers) layers { return layers{g.young, now.old, now.moves} })
	return false, nil
}

// isAway reports whether a WAL could not be written because it is not there any more, or there is no room for it.
func isAway(err error) bool {
	return errors.Is(err, wal.ErrLost) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// haveRoom refuses a batch for which the file would have no room.
func (t *Tail) haveRoom() error {
	if stuck := t.stuck.Load(); stuck != nil {
		return *stuck
	}
	return t.file.CheckRoom()
}

// swap replaces the layers.
func (t *Tail) swap(by func(now layers) layers) {
	t.swapping.Lock()
	defer t.swapping.Unlock()
	next := by(*t.layers.Load())
	t.layers.Store(&next)
}
