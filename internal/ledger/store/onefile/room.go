package onefile

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store/onefile/file"
)

const (
	// minFree is how much room must be left on the file system for a commit to begin. It is for what a commit needs
	// besides the pages of the file that were set aside: the file system's own tables, and the pages that are written
	// again where it never writes in place.
	minFree = 1 << 20

	// The room that is set aside beyond the pages in use is an eighth of them, within these bounds.
	minAhead = 1 << 20
	maxAhead = 16 << 20
)

// errThin says that a file got the length that was asked for, but no blocks.
var errThin = errors.New("this file system sets no blocks aside")

// disk is what a store asks of the file system that its file is on.
type disk struct {
	free     func() (int64, error) // bytes that may still be written
	allocate func(end int64) error // gives the file its blocks up to end; errThin where it only got the length
}

// room makes sure, before a commit begins, that the disk has room for all that it will write. bbolt does not write to
// pages beyond end, which are set aside: a file system that fills up meanwhile does not fail the commit.
type room struct {
	disk

	mu   sync.Mutex
	end  int64 // the file has its room up to here
	thin bool  // it has the length alone: blocks are taken when they are written
	full error // why the last attempt found none, or nil
}

// ahead returns how much to set aside beyond the pages in use.
func ahead(used int64) int64 { return min(max(used/8, minAhead), maxAhead) }

// ensure sets room for at least extra bytes beyond those in use aside, and returns where it ends.
func (r *room) ensure(used, extra int64) (end int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = r.enoughFree(used); err == nil && r.end-used < max(extra, minAhead/2) {
		err = r.extend(used, extra)
	}
	if err != nil {
		err = noRoom(err)
	}
	r.full = err
	return r.end, err
}

// check refuses a change that the file gets later, when the disk is full.
func (r *room) check(used int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.enoughFree(used)
	if err != nil {
		err = noRoom(err)
	}
	r.full = err
	return err
}

func (r *room) enoughFree(used int64) error {
	need := int64(minFree)
	if r.thin {
		need += max(r.end-used, 0)
	}
	free, err := r.free()
	if err == nil && free < need {
		err = fmt.Errorf("%d bytes are free, and a change needs %d", free, need)
	}
	return err
}

// extend moves the end on, as far as may be useful or as far as is needed.
func (r *room) extend(used, extra int64) (err error) {
	for _, more := range []int64{max(extra, ahead(used)), max(extra, minAhead)} {
		err = r.allocate(used + more)
		if r.thin = errors.Is(err, errThin); r.thin {
			r.end = used + more
			return r.enoughFree(used)
		}
		if err == nil {
			r.end = used + more
			return nil
		}
	}
	return err
}

// look learns that the disk is full while nothing is written. It returns whether it was, and may have room again.
func (r *room) look(used int64) (again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.enoughFree(used); err != nil {
		r.full = noRoom(err)
		return false
	}
	return r.full != nil
}

// forget notes that what was set aside may be gone.
func (r *room) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = 0
}

func noRoom(cause error) *fault.Error {
	return fault.New(fault.InsufficientStorage, "disk_full",
		"the disk has no room for a change; nothing was changed, and reads go on").
		WithFix("repeat the request later, when the operator has made room; changes are taken again as soon as there is some").
		Because(cause)
}

// Full returns why changes are refused for want of room, or nil.
func (s *Store) Full() error {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return s.room.full
}

// CheckRoom refuses a change that the file gets later, when the disk is full.
func (s *Store) CheckRoom() error { return s.room.check(s.used()) }

// Free returns how many bytes may still be written to the file system.
func (s *Store) Free() (int64, error) { return s.room.free() }

// lookForRoom learns that the disk is full, or no longer is, while nothing is written.
func (s *Store) lookForRoom() {
	if !s.room.look(s.used()) {
		return
	}
	s.commit.Lock()
	defer s.commit.Unlock()
	_, _ = s.ensureRoom(s.usedLocked(), 0) // it stays full, or it does not
}

// used returns how many bytes of the file its pages take.
func (s *Store) used() int64 {
	s.commit.RLock()
	defer s.commit.RUnlock()
	return s.usedLocked()
}

func (s *Store) usedLocked() int64 {
	h, _ := file.Newest(s.anchor.heads) // one is valid, or the store has failed
	return int64(h.Pages * h.PageSize)
}

// lengthen gives the file its length where its blocks cannot be had.
func lengthen(f *os.File, end int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if end > info.Size() {
		if err := errors.Join(f.Truncate(end), f.Sync()); err != nil {
			return err
		}
	}
	return errThin
}
