package tree

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// takePlace puts the temporary file in the place of the named one by exchanging the two. A rename over a file makes ext4
// write the new content at once (auto_da_alloc), which the next sync of any other file then waits for; an exchange does
// not, and content that was replaced before it was written never is.
func takePlace(root *os.Root, dir *os.File, temp, name string) error {
	switch err := exchange(dir, temp, name); {
	case err == nil:
		if err := root.Remove(temp); err != nil { // the old one, or what has just come to stand there
			return errors.Join(err, exchange(dir, temp, name))
		}
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.EINVAL), errors.Is(err, errors.ErrUnsupported):
		return root.Rename(temp, name) // there is nothing to exchange it with, or the file system cannot
	default:
		return err
	}
}

func exchange(dir *os.File, a, b string) error { return renameAt(dir, a, dir, b, unix.RENAME_EXCHANGE) }
