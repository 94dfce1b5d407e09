// Package tree reads and writes files of folders that others can write to.
//
// Whoever can write to a folder can put anything in the place of a file, at any moment: a symbolic link, a pipe that
// never ends, a folder, a file of many gigabytes. All such files are opened by this package. A folder is opened once
// and kept open, so that a name in it cannot lead elsewhere later:
//
//   - Reading opens regular files only, without blocking, follows no link out of the folder, reads no more than a
//     limit, which is checked before and while it reads, and stops when the context ends.
//   - Writing makes a temporary file beside the target, syncs it, renames it over the target and syncs the folder. It
//     never goes through a link: what stands in the place and is no regular file is replaced and reported. A folder
//     cannot be replaced, and is an error. See Recycler for a file that is replaced very often.
//   - When the path of the folder no longer names the folder that was opened, nothing is written at all.
//
// Unix only: it needs a rename that replaces.
package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ErrSwapped says that a path no longer names the folder that was opened: it was renamed, removed or replaced.
var ErrSwapped = errors.New("it is not the folder that was opened")

// Folder is an open folder. Its methods may be called at the same time.
type Folder struct {
	path   string   // without links, when it was opened
	parent *os.Root // nil where it cannot be opened; then a folder that was replaced is never opened again

	mu   sync.Mutex // guards root
	root *os.Root
}

// OpenFolder opens a folder. Symbolic links in path are resolved now, and never again.
func OpenFolder(path string) (*Folder, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	root, err := openRoot(resolved)
	if err != nil {
		return nil, err
	}
	f := &Folder{path: resolved, root: root}
	if name := filepath.Base(resolved); filepath.IsLocal(name) && name != "." {
		f.parent, _ = openRoot(filepath.Dir(resolved)) // one that cannot be read is done without
	}
	return f, nil
}

// openRoot does not wait for a pipe that took the place of the folder, which os.OpenRoot does.
func openRoot(path string) (*os.Root, error) {
	return os.OpenRoot(path + string(filepath.Separator) + ".")
}

// Path returns where the folder was when it was opened, without links.
func (f *Folder) Path() string { return f.path }

// Close closes the folder. Nothing can be read or written any more.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.root.Close()
	if f.parent != nil {
		err = errors.Join(err, f.parent.Close())
	}
	return err
}

// opened returns the open folder, if its path names it still.
func (f *Folder) opened() (*os.Root, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.root, f.check()
}

// check compares the open folder with what its path names. The lock is held.
func (f *Folder) check() error {
	opened, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	now, err := os.Lstat(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !os.SameFile(opened, now) {
		return fmt.Errorf("folder %s: %w", f.path, ErrSwapped)
	}
	return nil
}

// reopened returns the folder for reading: one that was removed and made again, in the place where it was, is opened
// anew. The parent folder shows that it is a folder there, and no link.
func (f *Folder) reopened() (*os.Root, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	swapped := f.check()
	if swapped == nil || !errors.Is(swapped, ErrSwapped) || f.parent == nil {
		return f.root, swapped
	}
	now, err := f.parent.Lstat(filepath.Base(f.path))
	if err != nil {
		return nil, err
	}
	root, err := openRoot(f.path)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, now) {
		return nil, errors.Join(swapped, err, root.Close())
	}
	f.root = root // the old one is closed by its finalizer: somebody may be reading in it
	return root, nil
}
