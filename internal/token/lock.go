package token

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"orchestrator/internal/fault"
)

const lockRetry = 5 * time.Millisecond

// lock takes an exclusive lock on the file at path, which is made where missing and never removed: a
// removed one would let two processes lock two files of one name. The lock ends with the process, so a
// crash leaves none behind. A lock that is held for longer than wait is fault.Unavailable.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, secretMode)
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
			return nil, fault.New(fault.Unavailable, "tokens_locked", "another process holds %s", path).
				WithFix("try again; if it lasts, find the process with `lsof %s`", path)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}
