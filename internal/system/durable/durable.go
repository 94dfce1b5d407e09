// Package durable writes files that are whole at every moment: for readers, after a crash and after a
// power cut.
//
// A file is written beside its target under a hidden name, synced, renamed over the target, and the
// folder is synced; package tree does it. Lock keeps two processes from one file. Unix only: it needs a rename that
// replaces, and flock.
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"orchestrator/internal/system/tree"
)

// WriteFile replaces the content of path with what write writes. A reader sees the old or the new file
// whole, never a mix. The content is streamed through a fixed buffer, so its size does not matter.
//
// The new file gets mode perm less the umask, whatever mode the old one had. Links in the path of the folder are
// followed. A link in the place of the file itself is replaced, never written through; Replace reports it. A folder in
// that place is refused. Folders are not made.
//
// nil means that the new content is in place and survives a power cut. On an error the old content is
// in place, untouched, and no temporary file is left; the one exception is a failed sync of the folder
// after the rename, where the new content is in place but may be lost, for the old one, in a power cut.
// Calling again is safe in every case. An error of write stays visible to errors.Is.
//
// Of several writers of one path the last to finish wins, whole.
func WriteFile(path string, perm os.FileMode, write func(io.Writer) error) error {
	_, err := Replace(path, tree.Write{Perm: perm, Content: write})
	return err
}

// Replace writes a file as WriteFile does, in a place that others can write to: displaced says what stood there that is
// no regular file, such as "a symbolic link to state.db". With w.Check it looks at the new content before it takes the
// place of the old.
func Replace(path string, w tree.Write) (displaced string, err error) {
	folder, err := tree.OpenFolder(folderOf(path))
	if err == nil {
		displaced, err = folder.Replace(filepath.Base(path), w)
		_ = folder.Close()
	}
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return displaced, nil
}

// RemoveStale removes the temporary files that a crash of this process or an earlier one left beside
// path. Call it only where no other writer of path can be at work: at start, or under the writers' lock.
// A missing folder holds nothing stale.
func RemoveStale(path string) error {
	folder, err := tree.OpenFolder(folderOf(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = folder.RemoveStale(filepath.Base(path))
		_ = folder.Close()
	}
	if err != nil {
		return fmt.Errorf("remove temporary files of %s: %w", path, err)
	}
	return nil
}

// folderOf does not clean, so that ".." after a linked folder keeps its meaning.
func folderOf(path string) string {
	dir, _ := filepath.Split(path)
	return dir + "."
}
