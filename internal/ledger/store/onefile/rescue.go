package onefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	rescueWait = 2 * time.Second // for a commit under way
	stepWait   = 10 * time.Millisecond
)

// Rescue copies the file of a store that has failed, if no path leads to it any more and it would be gone with the
// process. It returns where the copy is: beside the path, under its name with .saved- and the time; "" where the file
// has a path.
func Rescue(s *Store, now time.Time) (saved string, err error) {
	info, err := s.file.Stat()
	if err != nil {
		return "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Nlink > 0 {
		return "", nil
	}
	// A failed commit can keep its locks for ever, and writes no more.
	for _, lock := range []sync.Locker{&s.beside, &s.commit} {
		if take(lock) {
			defer lock.Unlock()
		}
	}
	return writeCopy(s, now)
}

// take takes a lock unless somebody keeps it.
func take(lock sync.Locker) bool {
	may, can := lock.(interface{ TryLock() bool })
	for begun := time.Now(); can && !may.TryLock(); time.Sleep(stepWait) {
		can = time.Since(begun) < rescueWait
	}
	return can
}

func writeCopy(s *Store, now time.Time) (saved string, err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil { // it may be gone with the file
		return "", err
	}
	saved = s.path + ".saved-" + now.UTC().Format("20060102T150405Z")
	to, err := os.OpenFile(saved, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	size, err := s.size()
	if err == nil {
		_, err = io.Copy(to, io.NewSectionReader(s.file, 0, size))
	}
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(saved))
	}
	return saved, syncDir(filepath.Dir(saved))
}
