package wal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes what was written to a file durable, without the times in its tables.
func datasync(f *os.File) (err error) {
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Fdatasync(int(f.Fd()))
	}
	return err
}
