package tree

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	bufferSize   = 64 << 10
	tempSuffix   = ".tmp"
	randomLength = 26

	// openFlags keep the opening of a pipe or a device in the place of a file from waiting.
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
)

// Write says how a file is replaced.
type Write struct {
	Perm    fs.FileMode // less the umask
	Content func(io.Writer) error
	Check   func(written string) error // looks at the written and synced file before it takes the place; may be nil

	// Unsynced leaves it to the system when the new content reaches the disk: after a power cut the file may be the old
	// one, empty or torn, until Sync has returned.
	Unsynced bool
}

// Replace replaces the content of the file name, which lies in the folder itself. A reader sees the old or the new file
// whole. What stands in the place and is no regular file is replaced, never followed, and displaced says what it was:
// "a symbolic link to …", "a pipe". A folder in the place is an error, and so is a folder that was swapped
// (ErrSwapped).
//
// nil means that the new content is in place and survives a power cut, unless w is Unsynced. On an error the old content
// is in place, and no temporary file is left; the one exception is a failed sync of the folder after the rename.
func (f *Folder) Replace(name string, w Write) (displaced string, err error) {
	return f.replace(name, w, func(_ fs.FileInfo, from, to spot) error {
		if w.Unsynced {
			return takePlace(from, to, nil)
		}
		if err := from.root.Rename(from.name, to.name); err != nil {
			return err
		}
		return syncFolder(to.dir)
	})
}

// replace replaces the file as Replace does, but has take put the written one in the place.
func (f *Folder) replace(name string, w Write,
	take func(written fs.FileInfo, from, to spot) error) (displaced string, err error) {
	if filepath.Base(name) != name || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%q is no name of a file", name)
	}
	root, err := f.opened()
	if err != nil {
		return "", err
	}
	// Opened first, so that a folder that cannot be synced is known before anything has changed.
	to, err := openSpot(root, name)
	if err != nil {
		return "", err
	}
	defer to.dir.Close()
	if _, err := f.standing(root, name); err != nil {
		return "", err
	}
	temp, written, err := f.writeTemp(root, name, w)
	if err != nil {
		return "", err
	}
	placed := false
	defer func() {
		if !placed {
			_ = root.Remove(temp)
		}
	}()
	if w.Check != nil {
		if err := w.Check(filepath.Join(f.path, temp)); err != nil {
			return "", err
		}
	}
	displaced, err = f.place(to, func() error { return take(written, spot{root, to.dir, temp}, to) })
	placed = err == nil
	return displaced, err
}

// Sync writes to the disk what was put in place unsynced. It is an error if the name no longer has a regular file.
func (f *Folder) Sync(name string) error {
	root, err := f.opened()
	if err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if what, err := f.standing(root, name); err != nil || what != "" {
		return errors.Join(err, fmt.Errorf("sync %s: %w", filepath.Join(f.path, name), ErrNotRegular))
	}
	if err := file.Sync(); err != nil {
		return err
	}
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return syncFolder(dir)
}

// place has take put a file in its place, after all checks.
func (f *Folder) place(to spot, take func() error) (displaced string, err error) {
	if _, err := f.opened(); err != nil {
		return "", err
	}
	if displaced, err = f.standing(to.root, to.name); err != nil {
		return "", err
	}
	return displaced, take()
}

// standing returns what stands at name; "" for a regular file or nothing.
func (f *Folder) standing(root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	switch info.Mode().Type() {
	case 0:
		return "", nil
	case fs.ModeDir:
		return "", fmt.Errorf("%s is a folder", filepath.Join(f.path, name))
	case fs.ModeSymlink:
		target, _ := root.Readlink(name) // "" when it has gone since
		return "a symbolic link to " + target, nil
	case fs.ModeNamedPipe:
		return "a pipe", nil
	case fs.ModeSocket:
		return "a socket", nil
	}
	return "a device", nil
}

// writeTemp writes the temporary file, names it and says which one it is; on an error, or a panic of what writes the
// content, it is gone again.
func (f *Folder) writeTemp(root *os.Root, name string, w Write) (string, fs.FileInfo, error) {
	temp := tempPrefix(name) + random() + tempSuffix
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, w.Perm.Perm())
	if err != nil {
		// The reader knows the folder; the temporary name would only confuse.
		if p, is := errors.AsType[*fs.PathError](err); is {
			err = p.Err
		}
		return "", nil, fmt.Errorf("create a file in folder %s: %w", f.path, err)
	}
	complete := false
	defer func() {
		if !complete {
			_ = file.Close()
			_ = root.Remove(temp)
		}
	}()
	if _, err := writeWhole(file, w.Content); err != nil {
		return "", nil, err
	}
	if !w.Unsynced {
		if err := file.Sync(); err != nil {
			return "", nil, err
		}
	}
	written, err := file.Stat()
	if err != nil {
		return "", nil, err
	}
	if err := file.Close(); err != nil {
		return "", nil, err
	}
	complete = true
	return temp, written, nil
}

// writeWhole writes a content from where the file is, and returns where it ends.
func writeWhole(file *os.File, content func(io.Writer) error) (end int64, err error) {
	buffer := bufio.NewWriterSize(file, bufferSize)
	if err := content(buffer); err != nil {
		return 0, err
	}
	if err := buffer.Flush(); err != nil {
		return 0, err
	}
	return file.Seek(0, io.SeekCurrent)
}

// RemoveStale removes the temporary files that a crash left beside name. Call it only where no other writer of name can
// be at work.
func (f *Folder) RemoveStale(name string) error {
	root, err := f.opened()
	if err != nil {
		return err
	}
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	var stale []string
	for {
		entries, err := dir.Readdirnames(1 << 10) // somebody may have filled the folder
		for _, entry := range entries {
			if isStale(entry, name) {
				stale = append(stale, entry)
			}
		}
		if errors.Is(err, io.EOF) || len(stale) > maxNames {
			break
		}
		if err != nil {
			return err
		}
	}
	var failed error
	for _, entry := range stale {
		if err := root.Remove(entry); failed == nil {
			failed = err
		}
	}
	return failed
}

// isStale reports whether an entry is a temporary file for name.
func isStale(entry, name string) bool {
	random, ours := strings.CutPrefix(entry, tempPrefix(name))
	random, temp := strings.CutSuffix(random, tempSuffix)
	return ours && temp && len(random) == randomLength
}

// random returns the part of a temporary file's name that no other one has. It is drawn as os.CreateTemp does it: by
// the generator of the runtime, which nobody outside can foresee either.
func random() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var text [randomLength]byte
	for i := range text {
		text[i] = letters[rand.IntN(len(letters))] //nolint:gosec // see above
	}
	return string(text[:])
}

func tempPrefix(name string) string { return "." + name + "." }

func syncFolder(folder *os.File) error {
	err := folder.Sync()
	// Some network and FUSE file systems cannot sync a folder at all; there the rename is all there is.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
