package tree

import "golang.org/x/sys/unix"

// exchange exchanges two files.
func exchange(a, b spot) error {
	return withDescriptors(a, b, func(old, new int) error {
		return unix.Renameat2(old, a.name, new, b.name, unix.RENAME_EXCHANGE)
	})
}
