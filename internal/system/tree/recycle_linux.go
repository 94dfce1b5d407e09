package tree

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// isLocal reports whether an open folder lies in a file system whose files only this machine opens, so that a lease
// tells of every reader. Network file systems, those that a host shares with guests (virtiofs, 9p), and FUSE are none,
// nor is what is not known.
func isLocal(dir *os.File) bool {
	var stat unix.Statfs_t
	err := withDescriptor(dir, func(fd uintptr) error { return unix.Fstatfs(int(fd), &stat) })
	return err == nil && isLocalType(int64(stat.Type)) //nolint:unconvert // it has other types on other machines
}

func isLocalType(magic int64) bool {
	switch magic {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true // ext2 and ext3 have the magic of ext4
	}
	return false
}

// holdAlone reports whether an open file is the one that is meant, with the same owner and rights, and nobody else can
// read or write it: it has one name, and is open nowhere else. The kernel tells the latter, since it gives a write lease
// (fcntl(2), F_SETLEASE) only on such a file. The lease is held until letGo: whoever has found the file under its last
// name, and opens it only now, waits so long, but no longer than the system lets a lease keep others waiting (45 s by
// default: /proc/sys/fs/lease-break-time). info is of the time when it was held.
func holdAlone(file *os.File, meant fs.FileInfo) (info fs.FileInfo, alone bool) {
	if setLease(file, unix.F_WRLCK) != nil {
		return nil, false
	}
	info, err := file.Stat()
	if err != nil || !os.SameFile(info, meant) || info.Mode() != meant.Mode() {
		return info, false
	}
	now, then := info.Sys().(*syscall.Stat_t), meant.Sys().(*syscall.Stat_t)
	return info, now.Nlink == 1 && now.Uid == then.Uid && now.Gid == then.Gid
}

// letGo ends the lease of holdAlone, if there is one.
func letGo(file *os.File) error { return setLease(file, unix.F_UNLCK) }

func setLease(file *os.File, lease int) error {
	err := withDescriptor(file, func(fd uintptr) error {
		_, err := unix.FcntlInt(fd, unix.F_SETLEASE, lease)
		return err
	})
	if lease == unix.F_UNLCK && (errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINVAL)) {
		return nil // there was none
	}
	return err
}

// isUntouched reports whether nobody has changed a file, its rights or its times since: no program can set the time of
// the last change that the system keeps (ctime).
func isUntouched(now, then fs.FileInfo) bool {
	a, b := now.Sys().(*syscall.Stat_t), then.Sys().(*syscall.Stat_t)
	return os.SameFile(now, then) && a.Ctim == b.Ctim
}
