package boltstore

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"orchestrator/internal/ledger/store"
)

// reader reads one bbolt transaction.
type reader struct {
	gets
	tx *bolt.Tx
	s  *Store
}

func (r *reader) Get(table, key string) ([]byte, error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	r.count(r.tx)
	return r.s.get(r.tx, table, key)
}

func (r *reader) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	var at *bolt.Cursor
	step := func() (k, v []byte, err error) {
		defer r.s.catch(&err)
		if at != nil {
			k, v = at.Next()
		} else if b := r.tx.Bucket([]byte(table)); b != nil {
			at = b.Cursor()
			k, v = at.Seek([]byte(from))
		}
		return k, v, nil
	}
	for passed := 0; ; {
		k, v, err := step()
		if err != nil {
			return err
		}
		if passed += max(len(k)+len(v), minResident); passed > maxResident {
			passed = 0
			letGo(r.tx)
		}
		if k == nil || to != "" && string(k) >= to {
			return nil
		}
		if err := visit(string(k), v); errors.Is(err, store.ErrStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// maxResident is how many bytes of keys and values a Scan passes before it lets go of their pages. An entry counts for
// minResident at least: the system brings the pages around each that is read, so that small ones, whose pages lie
// scattered, make many times their size resident.
const (
	maxResident = 1 << 20
	minResident = 4 << 10
)

// letGo takes the pages of the file out of the memory of this process; they stay in the cache of the system, and come
// back when they are read again. Without it a Scan of the whole file would leave all of it resident.
func letGo(tx *bolt.Tx) { advise(tx.DB(), int(tx.Size()), syscall.MADV_DONTNEED) }

// maxTouches is how many Views and Updates pass before their pages are let go. Each reads a few entries, around each of
// which the system brings 64 KB.
const maxTouches = 64

// gets is how many Gets a transaction has made.
type gets int

// count counts a Get, and lets go of the pages of the former ones when there were many: an import reads every entry in
// one transaction.
func (g *gets) count(tx *bolt.Tx) {
	if *g++; *g%maxTouches == 0 {
		letGo(tx)
	}
}

// touched counts a View or an Update, and lets go of the pages when there were many.
func touched(s *Store) {
	if s.touches.Add(1)%maxTouches == 0 {
		letGoAll(s)
	}
}

// letGoAll lets go of all pages, if it can: a store that has failed keeps them.
func letGoAll(s *Store) {
	tx, err := s.begin()
	if err != nil {
		return
	}
	letGo(tx)
	_ = tx.Rollback()
}

// advise announces to the system how the mapped file will be read. After an error the system goes on as before.
func advise(db *bolt.DB, size, advice int) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, db.Info().Data, uintptr(size), uintptr(advice))
}

// staged is the transaction of one update: its own writes over a bbolt transaction, which holds what earlier
// updates of the batch wrote.
type staged struct {
	gets
	tx     *bolt.Tx
	s      *Store
	writes []write
	at     map[store.Place]int // which of writes is at a place
	size   int
}

// write is what an update writes at a place; a nil value means deleted.
type write struct {
	store.Place
	value []byte
}

func (w write) compare(other write) int { return w.Place.Compare(other.Place) }

func newStaged(tx *bolt.Tx, s *Store) *staged {
	return &staged{tx: tx, s: s, at: map[store.Place]int{}}
}

// reset forgets all writes. Clearing a map that once was large stays slow, so such a map is dropped.
func (t *staged) reset() {
	if len(t.writes) > 64 {
		t.writes, t.at = nil, map[store.Place]int{}
	}
	clear(t.at)
	clear(t.writes)
	t.writes = t.writes[:0]
	t.size, t.gets = 0, 0
}

func (t *staged) Get(table, key string) ([]byte, error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	if at, staged := t.at[store.Place{Table: table, Key: key}]; staged {
		return t.writes[at].value, nil
	}
	t.count(t.tx)
	return t.s.get(t.tx, table, key)
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
	t.stage(store.Place{Table: table, Key: key}, value)
	return nil
}

func (t *staged) stage(at store.Place, value []byte) {
	if i, again := t.at[at]; again {
		t.writes[i].value = value
	} else {
		t.at[at] = len(t.writes)
		t.writes = append(t.writes, write{at, value})
	}
	t.size += len(at.Key) + len(value)
}

func (t *staged) Delete(table, key string) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	t.stage(store.Place{Table: table, Key: key}, nil)
	return nil
}

// apply writes to the bbolt transaction, in the order of the keys: bbolt splits a page when it commits, so that each key
// put before others in a table that grows by many moves all of those. What was staged cannot be read any more. It fails
// only if the file holds what this package never writes.
func (t *staged) apply() error {
	clear(t.at)
	slices.SortFunc(t.writes, write.compare)
	for _, w := range t.writes {
		if err := t.applyOne(w.Place, w.value); err != nil {
			return fmt.Errorf("key %q in table %q: %w", w.Key, w.Table, err)
		}
	}
	return nil
}

func (t *staged) applyOne(at store.Place, value []byte) error {
	bucket := t.tx.Bucket([]byte(at.Table))
	if bucket == nil && value == nil {
		return nil
	}
	if bucket == nil {
		var err error
		if bucket, err = t.tx.CreateBucket([]byte(at.Table)); err != nil {
			return err
		}
	}
	if value == nil {
		return bucket.Delete([]byte(at.Key))
	}
	return bucket.Put([]byte(at.Key), value)
}

func (s *Store) get(tx *bolt.Tx, table, key string) (value []byte, err error) {
	defer s.catch(&err)
	if bucket := tx.Bucket([]byte(table)); bucket != nil {
		value = bucket.Get([]byte(key))
	}
	return value, nil
}

// catch recovers from calls of bbolt, which panics on pages that make no sense. The store has failed then.
func (s *Store) catch(err *error) {
	if p := recover(); p != nil {
		*err = s.fail(hurt(s.path, fmt.Errorf("%v", p)))
	}
}
