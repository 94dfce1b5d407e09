package tree

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNoExchange says that files of two folders cannot be exchanged.
var errNoExchange = errors.New("the file cannot be exchanged")

// takePlace exchanges the spare file with the file in place. What is no file, and has just come to stand there, is put
// back if it cannot be removed.
func (r *Recycler) takePlace(spares, root *os.Root) error {
	from, err := spares.Open(".")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := root.Open(".")
	if err != nil {
		return err
	}
	defer to.Close()
	rename := func(flags uint) error { return renameAt(from, r.spare, to, r.name, flags) }
	err = rename(unix.RENAME_EXCHANGE)
	if errors.Is(err, fs.ErrNotExist) {
		err = rename(unix.RENAME_NOREPLACE)
	}
	switch {
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.EINVAL), errors.Is(err, errors.ErrUnsupported):
		return errors.Join(errNoExchange, err)
	case err != nil:
		return err
	}
	info, err := spares.Lstat(r.spare)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() {
		return nil
	}
	if err = errors.Join(err, spares.Remove(r.spare)); err != nil {
		return errors.Join(err, rename(unix.RENAME_EXCHANGE))
	}
	return nil
}

func renameAt(from *os.File, a string, to *os.File, b string, flags uint) error {
	return withDescriptor(from, func(old uintptr) error {
		return withDescriptor(to, func(new uintptr) error { return unix.Renameat2(int(old), a, int(new), b, flags) })
	})
}

func withDescriptor(f *os.File, call func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = call(fd) })
	return errors.Join(err, failed)
}

// holdAlone reports whether an open file is the one that is meant, with the same owner and rights, and nobody else can
// read or write it: it has one name, and is open nowhere else. The kernel tells the latter, since it gives a write lease
// (fcntl(2), F_SETLEASE) only on such a file. The lease is held until letGo: whoever has found the file under its last
// name, and opens it only now, waits so long. info is of the time when it was held.
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
