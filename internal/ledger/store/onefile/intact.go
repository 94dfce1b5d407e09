package onefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile/file"
)

// lookEvery is how often an open file is looked at when nothing is written or read, unless the options say.
const lookEvery = time.Second

// anchor is what must stay true of an open file. Whoever can write its folder can take the file from under the process:
// then commits go where no later start finds them.
type anchor struct {
	file   *os.File
	path   string
	folder os.FileInfo                       // that held the path at Open
	look   func(string) (os.FileInfo, error) // Lstat, or Stat where the path was a link at Open

	heads   [2]file.Head // as of the last commit; written under Store.commit
	written time.Time    // when the file was last changed as far as is known; written under Store.commit
	pending uint64       // number of a state that is being committed beside Views, or 0; written under Store.commit
	foreign atomic.Bool  // another hand has changed the file since
}

func newAnchor(f *os.File, path string) (*anchor, error) {
	a := &anchor{file: f, path: path, look: os.Lstat}
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if named.Mode()&fs.ModeSymlink != 0 {
		a.look = os.Stat
	}
	if a.folder, err = os.Stat(filepath.Dir(path)); err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	a.written = opened.ModTime()
	a.heads, err = file.ReadHeads(f, func() (int64, error) { return opened.Size(), nil })
	return a, err
}

// inPlace returns why the path no longer leads to the open file, or nil.
func (a *anchor) inPlace(opened os.FileInfo) error {
	named, err := a.look(a.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it was removed or renamed, or its folder was")
	case err != nil:
		return fmt.Errorf("it can no longer be found: %w", err)
	case named.Mode()&fs.ModeSymlink != 0:
		return errors.New("a symbolic link was put in its place")
	case !os.SameFile(named, opened):
		return errors.New("another file was put in its place")
	}
	folder, err := os.Stat(filepath.Dir(a.path))
	if err == nil && !os.SameFile(folder, a.folder) {
		err = errors.New("its folder was replaced by another")
	}
	return err
}

// check returns why the file is not what this process left at the path, or nil. After a commit, made is the number of
// its state, and the file must still be least bytes long, as it was before; else both are 0.
func (a *anchor) check(made uint64, least int64) error {
	opened, err := a.file.Stat()
	if err != nil {
		return lost(a.path, err)
	}
	if err := a.inPlace(opened); err != nil {
		return lost(a.path, err)
	}
	if opened.Size() < least {
		return hurt(a.path, fmt.Errorf("it was cut while it was written, from %d bytes or more to %d", least,
			opened.Size()))
	}
	heads, err := file.ReadHeads(a.file, func() (int64, error) { return opened.Size(), nil })
	if err != nil {
		return hurt(a.path, err)
	}
	expected := a.heads
	if made != 0 {
		expected[made%2] = heads[made%2]
		if !heads[made%2].Valid || heads[made%2].TxID != made {
			return hurt(a.path, errors.New("the head page of the last commit is not the one that was written"))
		}
	} else if a.pending != 0 {
		expected[a.pending%2] = heads[a.pending%2]
	}
	if heads != expected {
		return hurt(a.path, errors.New("a head page was overwritten"))
	}
	if made != 0 {
		a.heads, a.written = heads, opened.ModTime()
	} else if a.pending == 0 && !opened.ModTime().Equal(a.written) {
		a.foreign.Store(true)
	}
	return nil
}

// lost returns the end of a store whose file is no longer at its path.
func lost(path string, cause error) *fault.Error {
	return fault.New(fault.Unavailable, "store_lost", "%s is no longer the file that this process has open", path).
		WithFix("put the file back, or the newest backup of it, and start again; nothing was confirmed after this was noticed, and " +
			"what was confirmed before is in the file that was open: orchestrator audit verify shows whether the one that is put back has it").
		Because(final{cause})
}

// hurt returns the end of a store whose file was damaged while it was open.
func hurt(path string, cause error) *fault.Error {
	return fault.New(fault.Unavailable, store.CodeDamaged, "%s was damaged while it was in use", path).
		WithFix("keep a copy of it and restore the file from a backup").Because(final{cause})
}

// final is a cause that leaves open what came of a commit under way.
type final struct{ cause error }

func (f final) Error() string   { return f.cause.Error() }
func (f final) Unwrap() []error { return []error{store.ErrCommit, f.cause} }

// fail ends the store: every call from now on gets the first err that came here, which is returned.
func (s *Store) fail(err error) error {
	if s.failed.CompareAndSwap(nil, &err) {
		close(s.failure)
	}
	return *s.failed.Load()
}

// Failed returns a channel that is closed when the store has failed; Err then says why. It happens without a call too:
// the file is looked at from time to time.
func (s *Store) Failed() <-chan struct{} { return s.failure }

// Err returns the failure that ended the store, or nil.
func (s *Store) Err() error {
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// FailIfHurt makes of an error that comes from the mapped file the end of the store. A fault of the memory means that
// the file ends before it should, or that a page points out of it.
func (s *Store) FailIfHurt(err error) error {
	if p, is := errors.AsType[*store.Panic](err); is && isFault(p.Value) {
		return s.fail(hurt(s.path, err))
	}
	return err
}

func isFault(panicked any) bool {
	at, is := panicked.(interface {
		runtime.Error
		Addr() uintptr
	})
	return is && at.Addr() != 0
}

// checkNow looks at the file under the lock that keeps commits out.
func (s *Store) checkNow() error {
	s.commit.RLock()
	defer s.commit.RUnlock()
	return s.checkLocked()
}

func (s *Store) checkLocked() error {
	if err := s.Err(); err != nil {
		return err
	}
	select {
	case <-s.closing:
		return store.ErrClosed
	default:
	}
	if err := s.anchor.check(0, 0); err != nil {
		return s.fail(err)
	}
	return nil
}

// keepLooking looks at the file and at the room for it until the store is closed or has failed.
func (s *Store) keepLooking(every time.Duration) {
	defer close(s.looked)
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var walkAgain time.Time
	for {
		select {
		case <-s.closing:
			return
		case <-s.failure:
			return
		case now := <-ticks.C:
			if s.checkNow() != nil {
				continue
			}
			if s.anchor.foreign.Load() && now.After(walkAgain) {
				s.walkForeign()
				// where the file's time means little this must not take the disk
				walkAgain = time.Now().Add(10 * time.Since(now))
			}
			s.lookForRoom()
			if s.resident.Swap(0) > 0 {
				letGoAll(s)
			}
		}
	}
}

// walkForeign walks the whole of a file that another hand has written to. What it cannot find are changed values, since
// bbolt keeps no check sums: the log's own hashes show those.
func (s *Store) walkForeign() {
	s.commit.Lock()
	if info, err := s.file.Stat(); err == nil {
		s.anchor.written = info.ModTime()
	}
	s.anchor.foreign.Store(false)
	s.room.forget()
	s.commit.Unlock()
	if err := s.Check(); err != nil && !errors.Is(err, store.ErrClosed) {
		_ = s.fail(hurt(s.path, err))
	}
}
