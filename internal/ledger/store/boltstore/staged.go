package boltstore

import (
	"slices"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
	"orchestrator/internal/ledger/store/tail"
)

// staged is the transaction of one update: its own writes over what earlier updates of the batch have put.
type staged struct {
	ground tail.Ground
	writes []overlay.Write
	at     map[store.Place]int // which of writes is at a place
	size   int
}

func newStaged(on tail.Ground) *staged {
	return &staged{ground: on, at: map[store.Place]int{}}
}

// reset forgets all writes. Clearing a map that once was large stays slow, so such a map is dropped.
func (t *staged) reset() {
	if len(t.writes) > 64 {
		t.writes, t.at = nil, map[store.Place]int{}
	}
	clear(t.at)
	clear(t.writes)
	t.writes = t.writes[:0]
	t.size = 0
}

func (t *staged) Get(table, key string) ([]byte, error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	if at, staged := t.at[store.Place{Table: table, Key: key}]; staged {
		return t.writes[at].Value, nil
	}
	return t.ground.Get(table, key)
}

func (t *staged) Put(table, key string, value []byte) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	if err := store.CheckValue(table, key, value); err != nil {
		return err
	}
	if value == nil {
		value = []byte{}
	}
	t.stage(table, key, value)
	return nil
}

func (t *staged) stage(table, key string, value []byte) {
	at := store.Place{Table: table, Key: key}
	if i, again := t.at[at]; again {
		t.writes[i].Value = value
	} else {
		t.at[at] = len(t.writes)
		t.writes = append(t.writes, overlay.Write{Table: table, Key: key, Value: value})
	}
	t.size += len(key) + len(value)
}

func (t *staged) Delete(table, key string) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	t.stage(table, key, nil)
	return nil
}

// put gives the writes to the ground, in the order of their keys: bbolt splits a page when it commits, so that each key
// put before others in a table that grows by many moves all of those. What was staged cannot be read any more.
func (t *staged) put() error {
	clear(t.at)
	slices.SortFunc(t.writes, overlay.Write.Compare)
	return t.ground.Put(t.writes)
}
