package onefile

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// onFileSystem asks the file system of f.
func onFileSystem(f *os.File) disk {
	return disk{
		free: func() (int64, error) {
			var s unix.Statfs_t
			if err := unix.Fstatfs(int(f.Fd()), &s); err != nil {
				return 0, err
			}
			blocks := s.Bavail
			if os.Geteuid() == 0 {
				blocks = s.Bfree
			}
			return int64(min(blocks, math.MaxInt64/uint64(s.Bsize)) * uint64(s.Bsize)), nil
		},
		allocate: func(end int64) error { return allocate(f, end) },
	}
}

// allocate takes the blocks of the file up to end, holes in the middle included.
func allocate(f *os.File, end int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Fallocate(int(f.Fd()), 0, 0, end)
	}
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return lengthen(f, end)
	}
	if err != nil || end <= info.Size() {
		return err
	}
	return f.Sync() // the length is on the disk before a page that needs it
}
