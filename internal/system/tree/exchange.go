package tree

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// spot is a name in an open folder.
type spot struct {
	root *os.Root
	dir  *os.File // the same folder
	name string
}

// openSpot returns a name in a folder, which is opened once more; close its dir.
func openSpot(root *os.Root, name string) (spot, error) {
	dir, err := root.Open(".")
	return spot{root, dir, name}, err
}

// has reports whether the name is that of an open file.
func (s spot) has(file *os.File) bool {
	named, err := s.root.Lstat(s.name)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(named, info)
}

// takePlace puts a written file in the place of another one, by exchanging the two. A rename over a file makes ext4
// write the new content at once (auto_da_alloc), which the next sync of any other file then waits for; an exchange does
// not, and content that was replaced before it was written never is.
//
// What stood in the place is removed then, unless keep, which may be nil, keeps it. What cannot be removed, such as a
// folder that has just come to stand there, is put back.
func takePlace(from, to spot, keep func() bool) error {
	switch err := exchange(from, to); {
	case err == nil:
		if keep != nil && keep() {
			return nil
		}
		if err := from.root.Remove(from.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, exchange(from, to))
		}
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.EINVAL), errors.Is(err, errors.ErrUnsupported):
		return rename(from, to) // there is nothing to exchange it with, or the file system cannot
	default:
		return err
	}
}

func rename(from, to spot) error {
	return withDescriptors(from, to, func(old, new int) error { return unix.Renameat(old, from.name, new, to.name) })
}

func withDescriptors(from, to spot, call func(old, new int) error) error {
	return withDescriptor(from.dir, func(old uintptr) error {
		return withDescriptor(to.dir, func(new uintptr) error { return call(int(old), int(new)) })
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
