// Package durable writes files that are whole at every moment: for readers, after a crash and after a
// power cut.
//
// A file is written beside its target under a hidden name, synced, renamed over the target, and the
// folder is synced. Lock keeps two processes from one file. Unix only: it needs a rename that replaces, and flock.
package durable

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	bufferSize   = 64 << 10
	tempSuffix   = ".tmp"
	randomLength = 26 // of rand.Text
)

// WriteFile replaces the content of path with what write writes. A reader sees the old or the new file
// whole, never a mix. The content is streamed through a fixed buffer, so its size does not matter.
//
// The new file gets mode perm less the umask, whatever mode the old one had. Where path is a symbolic
// link, the file it points to is replaced (or made) and the link stays. A target that exists and is no
// regular file is refused. Folders are not made.
//
// nil means that the new content is in place and survives a power cut. On an error the old content is
// in place, untouched, and no temporary file is left; the one exception is a failed sync of the folder
// after the rename, where the new content is in place but may be lost, for the old one, in a power cut.
// Calling again is safe in every case. An error of write stays visible to errors.Is.
//
// Of several writers of one path the last to finish wins, whole.
func WriteFile(path string, perm os.FileMode, write func(io.Writer) error) error {
	return WriteChecked(path, perm, write, func(string) error { return nil })
}

// WriteChecked is WriteFile with a look at the new content before it takes the place of the old: check is given the
// name of the written and synced file, and its error leaves the old content in place.
func WriteChecked(path string, perm os.FileMode, write func(io.Writer) error, check func(written string) error) error {
	if err := replace(path, perm, write, check); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// RemoveStale removes the temporary files that a crash of this process or an earlier one left beside
// path. Call it only where no other writer of path can be at work: at start, or under the writers' lock.
// A missing folder holds nothing stale.
func RemoveStale(path string) error {
	target, err := resolve(path)
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(filepath.Dir(target))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove temporary files of %s: %w", path, err)
	}
	var failed []error
	for _, entry := range entries {
		random, ours := strings.CutPrefix(entry.Name(), tempPrefix(target))
		random, temp := strings.CutSuffix(random, tempSuffix)
		if ours && temp && len(random) == randomLength {
			failed = append(failed, os.Remove(filepath.Join(filepath.Dir(target), entry.Name())))
		}
	}
	return errors.Join(failed...)
}

func replace(path string, perm os.FileMode, write func(io.Writer) error, check func(string) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	// Opened first, so that a folder that cannot be synced is known before anything has changed.
	folder, err := os.Open(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer folder.Close()
	temp, err := writeTemp(target, perm, write)
	if err != nil {
		return err
	}
	placed := false
	defer func() {
		if !placed {
			_ = os.Remove(temp)
		}
	}()
	if err := check(temp); err != nil {
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		return err
	}
	placed = true
	return syncFolder(folder)
}

// writeTemp writes and syncs the temporary file and names it; on an error, or a panic of write, it is
// gone again.
func writeTemp(target string, perm os.FileMode, write func(io.Writer) error) (string, error) {
	dir := filepath.Dir(target)
	name := filepath.Join(dir, tempPrefix(target)+rand.Text()+tempSuffix)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		// The reader knows the folder; the temporary name would only confuse.
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return "", fmt.Errorf("create a file in folder %s: %w", dir, err)
	}
	complete := false
	defer func() {
		if !complete {
			_ = file.Close()
			_ = os.Remove(name)
		}
	}()
	buffer := bufio.NewWriterSize(file, bufferSize)
	if err := write(buffer); err != nil {
		return "", err
	}
	if err := buffer.Flush(); err != nil {
		return "", err
	}
	if err := file.Sync(); err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	complete = true
	return name, nil
}

func tempPrefix(target string) string { return "." + filepath.Base(target) + "." }

func syncFolder(folder *os.File) error {
	err := folder.Sync()
	// Some network and FUSE file systems cannot sync a folder at all; there the rename is all there is.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// resolve follows symbolic links to the file that is to be replaced; it need not exist, its folder must.
func resolve(path string) (string, error) {
	for range 40 {
		// Split does not clean, so ".." after a linked folder keeps its meaning.
		dir, base := filepath.Split(path)
		dir, err := filepath.EvalSymlinks(dir + ".")
		if err != nil {
			return "", err
		}
		target := filepath.Join(dir, base)
		info, err := os.Lstat(target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target, nil
		case err != nil:
			return "", err
		case info.Mode().IsRegular():
			return target, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return "", fmt.Errorf("%s is no regular file", target)
		}
		link, err := os.Readlink(target)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(link) {
			link = dir + string(filepath.Separator) + link
		}
		path = link
	}
	return "", errors.New("too many symbolic links")
}
