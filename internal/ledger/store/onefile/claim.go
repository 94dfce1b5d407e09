package onefile

import (
	"errors"
	"os"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"
)

// Claim takes the lock of a file that need not be sound, and gives it up in release. Meanwhile no process can open it;
// one that has it open already is an error.
func Claim(path string) (release func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, refusal(path, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = bolterrors.ErrTimeout
		}
		return nil, refusal(path, err)
	}
	return f.Close, nil
}
