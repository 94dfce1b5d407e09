package onefile

import (
	"errors"
	"fmt"
	"reflect"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"orchestrator/internal/ledger/store"
)

// reader reads one bbolt transaction.
type reader struct {
	tx     *bolt.Tx
	s      *Store
	tables map[string]*bolt.Bucket // that a View has looked up; nil where there is none such
}

func (r *reader) Get(table, key string) (value []byte, err error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	defer r.s.catch(&err)
	if bucket := r.bucket(table); bucket != nil {
		value = bucket.Get([]byte(key))
	}
	r.read(r.brings(value))
	return value, nil
}

// bucket looks a table up. An Update may add to them, and bbolt remembers those that it has looked up.
func (r *reader) bucket(table string) *bolt.Bucket {
	if r.tx.Writable() {
		return r.tx.Bucket([]byte(table))
	}
	bucket, known := r.tables[table]
	if !known {
		if r.tables == nil {
			r.tables = map[string]*bolt.Bucket{}
		}
		bucket = r.tx.Bucket([]byte(table))
		r.tables[table] = bucket
	}
	return bucket
}

func (r *reader) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	var at *bolt.Cursor
	step := func() (k, v []byte, err error) {
		defer r.s.catch(&err)
		if at != nil {
			k, v = at.Next()
		} else if b := r.bucket(table); b != nil {
			at = b.Cursor()
			k, v = at.Seek([]byte(from))
		}
		return k, v, nil
	}
	for {
		k, v, err := step()
		if err != nil {
			return err
		}
		r.read(len(k) + len(v))
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

// maxResident bounds what the entries that Get and Scan read may count, in bytes, before their pages are let go. Each
// counts minResident at least: the system brings the pages around each that is read, so that small ones, whose pages
// lie scattered, make many times their size resident.
const (
	maxResident = 1 << 20
	minResident = 4 << 10
)

// largeValue is the size in bytes from which brings remembers where a value lies.
const largeValue = 8 << 10

// brings returns for how many bytes a value counts that Get returns. A large one that lies where the last one lay
// brings no pages but its own, and those only after they were let go: each change looks at the beginning of the
// project, which lists all requirements. So at most maxResident and one value are resident.
func (r *reader) brings(value []byte) int {
	if len(value) < largeValue {
		return len(value)
	}
	if at := reflect.ValueOf(value).Pointer(); r.s.large.Swap(at) == at {
		return minResident
	}
	return len(value)
}

// read counts an entry that is read, and lets go of the pages of the former ones when there were many.
func (r *reader) read(bytes int) {
	if r.s.resident.Add(int64(max(bytes, minResident))) > maxResident {
		r.s.resident.Store(0)
		letGo(r.tx)
	}
}

// letGo takes the pages of the file out of the memory of this process; they stay in the cache of the system, and come
// back when they are read again. Without it a Scan of the whole file would leave all of it resident.
func letGo(tx *bolt.Tx) { advise(tx.DB(), int(tx.Size()), syscall.MADV_DONTNEED) }

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

// writing is a transaction of Update.
type writing struct {
	reader
	dirty     bool // something was written
	committed bool // the transaction has ended, or its end has begun
}

func (w *writing) Put(table, key string, value []byte) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	if err := store.CheckValue(table, key, value); err != nil {
		return err
	}
	if value == nil {
		value = []byte{}
	}
	return w.write(table, key, value)
}

func (w *writing) Delete(table, key string) error {
	if err := store.CheckKey(table, key); err != nil {
		return err
	}
	return w.write(table, key, nil)
}

// write puts a value, or deletes it if it is nil. It fails only if the file holds what this package never writes.
func (w *writing) write(table, key string, value []byte) (err error) {
	defer w.s.catch(&err)
	w.dirty = true
	bucket := w.tx.Bucket([]byte(table))
	if bucket == nil && value != nil {
		bucket, err = w.tx.CreateBucket([]byte(table))
	}
	switch {
	case err != nil:
	case value != nil:
		err = bucket.Put([]byte(key), value)
	case bucket != nil:
		err = bucket.Delete([]byte(key))
	}
	if err != nil {
		err = w.s.fail(hurt(w.s.path, fmt.Errorf("key %q in table %q: %w", key, table, err)))
	}
	return err
}

// catch recovers from calls of bbolt, which panics on pages that make no sense. The store has failed then.
func (s *Store) catch(err *error) {
	if p := recover(); p != nil {
		*err = s.fail(hurt(s.path, fmt.Errorf("%v", p)))
	}
}
