package onefile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile/file"
)

// mapSize is the first size of the memory map. Enlarging the map waits for every open View, so it begins
// large; it is address space, not memory.
const mapSize = 1 << 30

// maxReplaced is how often Open follows a file that is replaced while it waits for its lock.
const maxReplaced = 3

// Open opens the file, or creates it with mode 0600 if there is none. It never starts afresh over something
// that is there: a file that is empty, cut short, damaged, foreign, locked or not to be read is an error of
// kind fault.Unavailable that names the file and says what to do.
//
// bbolt writes its two head pages in turn, and takes the other one without a word when the newer is damaged: the last
// commit is gone then. Since the two cases cannot be told apart, a file with one damaged head is refused with the code
// store_head_damaged, unless opts accept it. After a power cut that tore the page it is in order to accept it: the
// commit had not been confirmed. The next commit writes the damaged head anew.
func Open(path string, opts Options) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !opts.ReadOnly:
		err = create(path)
	case err == nil && !info.Mode().IsRegular():
		err = errNotFile
	case err == nil && info.Size() == 0:
		err = errEmpty
	}
	if err != nil {
		return nil, refusal(path, err)
	}
	s := &Store{
		path: path, readOnly: opts.ReadOnly,
		closing: make(chan struct{}), looked: make(chan struct{}), failure: make(chan struct{}),
	}
	err = s.open(opts)
	for range maxReplaced {
		if errors.Is(err, errReplaced) {
			err = s.open(opts)
		}
	}
	if err != nil {
		return nil, refusal(path, err)
	}
	if s.anchor, err = newAnchor(s.file, path); err != nil {
		_ = s.db.Close()
		return nil, refusal(path, err)
	}
	s.start(cmp.Or(opts.LookEvery, lookEvery))
	return s, nil
}

// start begins to look at the file again and again.
func (s *Store) start(every time.Duration) {
	s.room.disk = onFileSystem(s.file)
	if s.readOnly {
		close(s.looked)
		return
	}
	s.db.AllocSize = 0 // bbolt compares MaxSize with what it needs, and not with what it would like
	go s.keepLooking(every)
}

// open opens the file for reading first: that takes the lock, and bbolt reads nothing but the heads then, so
// that the rest of what it will trust can be looked at in peace.
func (s *Store) open(opts Options) error {
	if err := s.openBolt(opts, true); err != nil {
		return err
	}
	if err := s.preflight(opts); err != nil {
		return cmp.Or(err, s.db.Close())
	}
	if opts.ReadOnly {
		return nil
	}
	if err := s.db.Close(); err != nil {
		return err
	}
	return s.openBolt(opts, false)
}

func (s *Store) openBolt(opts Options, readOnly bool) (err error) {
	// bbolt trusts the pages it reads here, and on a damaged one reads where no memory is.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			_ = s.file.Close()
			err = file.Flaw("a page makes no sense: %v", p)
		}
	}()
	s.db, err = bolt.Open(s.path, 0, &bolt.Options{
		Timeout:         cmp.Or(opts.LockTimeout, 2*time.Second),
		ReadOnly:        readOnly,
		FreelistType:    bolt.FreelistMapType,
		InitialMmapSize: mapSize,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, _ os.FileMode) (f *os.File, err error) {
			if f, err = os.OpenFile(name, flag&^os.O_CREATE, 0); err != nil {
				return nil, err
			}
			s.file = f
			if _, err = file.ReadHeads(f, s.size); err != nil {
				_ = f.Close()
				return nil, err
			}
			return f, nil
		},
	})
	if err == nil && !s.hasItsPath() {
		err = cmp.Or(s.db.Close(), errReplaced)
	}
	if err == nil && readOnly {
		err = s.db.View(func(tx *bolt.Tx) error {
			// bbolt asks for no reading ahead; who only reads reads all of it
			advise(s.db, int(tx.Size()), syscall.MADV_NORMAL)
			return nil
		})
	}
	return err
}

// hasItsPath reports whether the file that is open still has the path: Compact may have replaced it while we waited for
// its lock.
func (s *Store) hasItsPath() bool {
	now, err := os.Stat(s.path)
	mine, err2 := s.file.Stat()
	return err == nil && err2 == nil && os.SameFile(now, mine)
}

// preflight looks at the list of free pages, which bbolt reads into memory however long it claims to be. A
// file without one is walked, because bbolt would walk it on a goroutine that nothing guards.
func (s *Store) preflight(opts Options) error {
	heads, err := file.ReadHeads(s.file, s.size)
	if err != nil {
		return err
	}
	if !opts.AcceptDamagedHead && !(heads[0].Valid && heads[1].Valid) {
		return errOneHead
	}
	h, _ := file.Newest(heads)
	if !h.HasFreelist() {
		return file.Walk(s.file, h, bolt.MaxKeySize)
	}
	return file.WalkFreelist(s.file, h)
}

// size returns the length of the file.
func (s *Store) size() (int64, error) {
	info, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// create puts a new, empty database at path. It is written beside and linked into place, so that a crash
// leaves nothing half made, and another process that does the same is not overwritten.
func create(path string) error {
	dir, base := filepath.Split(path)
	dir = cmp.Or(dir, ".")
	tmp, err := os.CreateTemp(dir, "."+base+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err := tmp.Close(); err != nil {
		return err
	}
	db, err := bolt.Open(tmp.Name(), 0o600, nil)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return cmp.Or(d.Sync(), d.Close())
}

var (
	errNotFile  = errors.New("not a regular file")
	errEmpty    = errors.New("0 bytes")
	errOneHead  = errors.New("one of the two head pages is damaged; if it was the newer one, the last commit is lost")
	errReplaced = errors.New("another file was put in its place")
)

// refusal returns why the file at path was not opened, and what to do.
func refusal(path string, err error) error {
	switch {
	case errors.Is(err, errNotFile):
		return refuse(store.CodeNotFile, err, "%s is not a regular file", path).
			WithFix("give the path of the database file itself")
	case errors.Is(err, errEmpty):
		return refuse("store_empty_file", err, "%s is empty; a database never is", path).
			WithFix("restore it from a backup; delete it only if nothing was ever stored in it")
	case errors.Is(err, file.ErrForeign):
		return refuse("store_foreign", err,
			"%s is not a database of this program, or its first pages were overwritten", path).
			WithFix("check the path; if it is right, restore the file from a backup")
	case errors.Is(err, bolterrors.ErrTimeout):
		return refuse(store.CodeLocked, err, "%s is locked by another process", path).
			WithFix("stop the process that has it open, or wait for it")
	case errors.Is(err, errReplaced):
		return refuse("store_replaced", err, "%s is being replaced", path).
			WithFix("wait until the process that replaces it has ended, then try again")
	case errors.Is(err, fs.ErrPermission):
		return refuse(store.CodeDenied, err, "%s may not be opened by this user", path).
			WithFix("run as the owner of the file, or give this user the right to read and write it")
	case errors.Is(err, fs.ErrNotExist):
		return refuse(store.CodeMissing, err, "%s does not exist", path).
			WithFix("check the path; the folder must exist")
	case errors.Is(err, errOneHead):
		return refuse(store.CodeHeadDamaged, err,
			"%s has a damaged head page, and may have lost its last commit", path).
			WithFix("keep a copy of it and restore the file from a backup; if the power was cut while it was written, nothing that was " +
				"confirmed is lost: then accept the state that is left with serve --accept-rollback and the reason")
	case file.IsDamage(err):
		return damaged(path, err)
	}
	return refuse(store.CodeIO, err, "%s cannot be opened", path).WithFix("look at the cause")
}

func damaged(path string, cause error) error {
	return refuse(store.CodeDamaged, cause, "%s is damaged", path).
		WithFix("keep a copy of it and restore the file from a backup")
}

func refuse(code fault.Code, cause error, format, path string) *fault.Error {
	return fault.New(fault.Unavailable, code, format, path).Because(cause)
}
