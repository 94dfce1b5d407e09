package onefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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
	for begun := time.Now(); !s.commit.TryLock(); time.Sleep(stepWait) {
		if time.Since(begun) > rescueWait {
			return writeCopy(s, now) // a failed commit can keep its lock for ever, and writes no more
		}
	}
	defer s.commit.Unlock()
	return writeCopy(s, now)
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
