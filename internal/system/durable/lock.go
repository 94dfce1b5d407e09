package durable

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrLocked says that another process, or another part of this one, holds a lock.
var ErrLocked = errors.New("another process holds it")

const lockRetry = 5 * time.Millisecond

// Locked reports whether somebody holds an exclusive lock on the file at path. It makes no file.
func Locked(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// Lock takes an exclusive lock on the file at path, which is made with mode 0600 where missing and never removed: a
// removed one would let two processes lock two files of one name. The lock ends with the process, so a crash leaves
// none behind. A symbolic link in the place of the file is an error. A lock that is held for longer than wait is
// ErrLocked.
func Lock(path string, wait time.Duration) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(wait); ; time.Sleep(lockRetry) {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		busy := errors.Is(err, syscall.EWOULDBLOCK)
		if errors.Is(err, syscall.EINTR) || busy && time.Now().Before(deadline) {
			continue
		}
		_ = file.Close()
		if busy {
			err = ErrLocked
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}
