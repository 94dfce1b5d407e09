package pgstore

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
)

// A batch ends with the update that reaches one of the first two. One update alone may write up to the third.
const (
	maxBatchUpdates = 1024
	maxBatchBytes   = 16 << 20
	maxUpdateBytes  = 256 << 20
)

// layer is what was written over what lies below it. A nil value means deleted.
type layer struct {
	at     map[store.Place]int // which of writes is at a place
	writes []write
	size   int
}

type write struct {
	store.Place
	value []byte
}

func (l *layer) get(at store.Place) (value []byte, written bool) {
	if i, has := l.at[at]; has {
		return l.writes[i].value, true
	}
	return nil, false
}

func (l *layer) put(at store.Place, value []byte) {
	if l.at == nil {
		l.at = map[store.Place]int{}
	}
	if i, again := l.at[at]; again {
		l.size += len(value) - len(l.writes[i].value)
		l.writes[i].value = value
		return
	}
	l.at[at] = len(l.writes)
	l.writes = append(l.writes, write{at, value})
	l.size += len(at.Table) + len(at.Key) + len(value)
}

// reset forgets what was written, and keeps room for more. Clearing a map that once was large stays slow, so such a map
// is dropped.
func (l *layer) reset() {
	if len(l.writes) > 64 {
		*l = layer{}
	}
	clear(l.at)
	clear(l.writes)
	l.writes, l.size = l.writes[:0], 0
}

// add lays what another layer has over this one.
func (l *layer) add(other *layer) {
	for _, w := range other.writes {
		l.put(w.Place, w.value)
	}
}

// staged is the transaction of one update: its own writes over those of the batch, over what is known of the database.
type staged struct {
	own, batch layer
	known      *cache
	read       map[store.Place]bool // what the batch has read of the database
	missing    map[store.Place]bool // what it would have read if it were known; it was given as absent meanwhile
	fetch      func() error         // gets what is missing at once; nil: it is collected
	fenced     map[string]bool      // the leases whose fences are missing
	err        error                // of fetch
}

// isWhole reports whether nothing is missing.
func (t *staged) isWhole() bool { return len(t.missing)+len(t.fenced) == 0 }

func (t *staged) Get(table, key string) ([]byte, error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	at := store.Place{Table: table, Key: key}
	if value, written := t.own.get(at); written {
		return value, nil
	}
	if value, written := t.batch.get(at); written {
		return value, nil
	}
	return t.load(at)
}

// load returns what the database has at a place.
func (t *staged) load(at store.Place) ([]byte, error) {
	if t.read != nil {
		t.read[at] = true
	}
	if value, known := t.known.get(at); known {
		return value, nil
	}
	t.missing[at] = true
	if t.fetch == nil {
		return nil, nil
	}
	if t.err == nil {
		t.err = t.fetch()
	}
	if t.err != nil {
		return nil, t.err
	}
	value, _ := t.known.get(at)
	return value, nil
}

// GetMany returns the values of places; those that are not known yet are collected together.
func (t *staged) GetMany(places []store.Place) ([][]byte, error) {
	values := make([][]byte, len(places))
	for i, at := range places {
		var err error
		if values[i], err = t.Get(at.Table, at.Key); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (t *staged) Put(table, key string, value []byte) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	if err := store.CheckValue(table, key, value); err != nil {
		return err
	}
	if t.own.size+len(value) > maxUpdateBytes {
		return fault.New(fault.TooLarge, "store_update", "one change writes more than %d bytes", maxUpdateBytes).
			WithFix("make it in several changes")
	}
	if value == nil {
		value = []byte{}
	}
	t.own.put(store.Place{Table: table, Key: key}, value)
	return nil
}

func (t *staged) Delete(table, key string) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	t.own.put(store.Place{Table: table, Key: key}, nil)
	return nil
}
