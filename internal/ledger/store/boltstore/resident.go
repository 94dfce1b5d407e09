package boltstore

import (
	"syscall"

	bolt "go.etcd.io/bbolt"
)

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

// touched counts a View or an Update, and lets go of the pages when there were many.
func (s *Store) touched() {
	if s.touches.Add(1)%maxTouches == 0 {
		s.letGoAll()
	}
}

// letGoAll lets go of all pages, if it can: a store that has failed keeps them.
func (s *Store) letGoAll() {
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
