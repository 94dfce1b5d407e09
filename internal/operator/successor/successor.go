// Package successor puts a database that was built beside another in the place of that one, in one step, and keeps the
// other under a second name.
//
// From Open to Close no other successor of the same folder is at work; that no service uses the database is for the
// caller to make sure of, by its lock. Whatever fails, and whenever the process is killed, there is a whole database at
// the place, the old one or the new one, if there was one before; what was left beside it is removed the next time.
package successor

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/system/tree"
)

// ErrBusy is the error of Open while another successor of the folder is at work.
var ErrBusy = errors.New("another process is replacing the database of this folder")

// Successor is a database that is to take the place of that of a data folder.
type Successor struct {
	Place string   // the path of the database, behind symbolic links
	Temp  string   // where the new one is built
	Kept  []string // what was there before, under its new names

	Resumable bool // what was built stays when it is closed, and the next one goes on with it

	kind, stamp string   // in the names of what is kept
	folder      *os.File // locked
}

// Open locks a data folder. kind says in the names of files what makes the successor. Nothing need stand at the place.
func Open(folder, kind string, now time.Time) (*Successor, error) {
	s := &Successor{Place: datadir.Dir(folder).Database(), kind: kind, stamp: now.UTC().Format("20060102T150405.000Z")}
	var err error
	if s.folder, err = lock(folder); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(s.Place); err == nil {
		s.Place = real
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, s.folder.Close())
	}
	s.Temp = filepath.Join(filepath.Dir(s.Place), "."+datadir.Database+"."+kind)
	return s, nil
}

// lock opens a folder, and keeps others out until it is closed.
func lock(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrBusy
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// RemoveTemp removes what is left where the new database is built.
func (s *Successor) RemoveTemp() error {
	if err := os.Remove(s.Temp); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// RemoveStale removes second names of the database, which are what a kill leaves between keeping and replacing, and the
// write-ahead log of a database that was replaced, which one leaves between replacing that and removing the log.
func (s *Successor) RemoveStale() error {
	now, err := os.Stat(s.Place)
	if err != nil {
		return err
	}
	wal, _ := os.Stat(boltstore.WALOf(s.Place)) // there need be none
	kept, err := filepath.Glob(globEscape(s.Place) + ".before-*-*")
	for _, path := range kept {
		info, failed := os.Stat(path)
		if failed != nil || !os.SameFile(info, now) && !os.SameFile(info, wal) {
			continue
		}
		stale := path
		if old, isWAL := strings.CutSuffix(path, boltstore.WALOf("")); isWAL && tree.Exists(old) {
			stale = boltstore.WALOf(s.Place) // the database that it belongs to was replaced
		}
		err = errors.Join(err, os.Remove(stale))
	}
	return err
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Keep gives what stands at a path a second name, under which it stays when another takes its place.
func (s *Successor) Keep(path string) error {
	kept := path + ".before-" + s.kind + "-" + s.stamp
	if err := os.Link(path, kept); err != nil {
		return err
	}
	s.Kept = append(s.Kept, kept)
	if path != s.Place {
		return nil
	}
	err := os.Link(boltstore.WALOf(path), boltstore.WALOf(kept)) // which a crash may have left
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.Kept = append(s.Kept, boltstore.WALOf(kept))
	}
	return err
}

// Put puts the new database where there is none. A write-ahead log that was left there is set aside: it belongs to
// another.
func (s *Successor) Put() error {
	wal := boltstore.WALOf(s.Place)
	err := os.Rename(wal, boltstore.WALOf(s.Place+".before-"+s.kind+"-"+s.stamp))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Link(s.Temp, s.Place); err != nil { // unlike a rename it takes no other's place
		return err
	}
	_ = os.Remove(s.Temp) // a second name of what is in its place now: nothing depends on it
	return nil
}

// Replace puts the new database in the place of the old one, which it keeps. At every moment there is a whole one at
// the place. kept is called in between; its error leaves the old one there.
func (s *Successor) Replace(kept func() error) error {
	if err := s.Keep(s.Place); err != nil {
		return err
	}
	if err := kept(); err != nil {
		return err
	}
	if err := os.Rename(s.Temp, s.Place); err != nil {
		return err
	}
	_ = os.Remove(boltstore.WALOf(s.Place)) // it was kept with the old one; the next start refuses one that stays
	return nil
}

// Undo takes the second names away again, where the database was not replaced.
func (s *Successor) Undo() {
	for _, path := range s.Kept {
		_ = os.Remove(path)
	}
	s.Kept = nil
}

// OwnAsFolder gives a new file the owner of the data folder: who restores is often another than the service.
func (s *Successor) OwnAsFolder(path string) error {
	info, err := s.folder.Stat()
	if err != nil {
		return err
	}
	return own(path, info)
}

// OwnAsPlace gives the new database owner and mode of the old one.
func (s *Successor) OwnAsPlace() error {
	info, err := os.Stat(s.Place)
	if err != nil {
		return err
	}
	return cmp.Or(os.Chmod(s.Temp, info.Mode().Perm()), own(s.Temp, info))
}

func own(path string, as fs.FileInfo) error {
	of, ok := as.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || int(of.Uid) == os.Geteuid() && int(of.Gid) == os.Getegid() {
		return nil
	}
	return os.Lchown(path, int(of.Uid), int(of.Gid))
}

// Sync makes the new names durable, those in the folder of the database and those in the data folder.
func (s *Successor) Sync() error { return cmp.Or(syncFolder(filepath.Dir(s.Place)), s.folder.Sync()) }

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return cmp.Or(d.Sync(), d.Close())
}

// Close unlocks the folder, and removes what was built and not put in place unless the next one is to go on with it.
func (s *Successor) Close() error {
	if !s.Resumable {
		_ = os.Remove(s.Temp) // after Put and Replace there is none
	}
	return s.folder.Close()
}
