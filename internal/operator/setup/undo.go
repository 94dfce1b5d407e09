package setup

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"orchestrator/internal/system/durable"
)

// maxKept is the largest file whose content is kept to be put back.
const maxKept = 1 << 20

// before is what stood in the places that a set-up may change.
type before struct {
	files   map[string][]byte // content; nil for a file that was not there
	folders map[string]map[string]bool
}

// look notes the content of files, and the names in folders.
func look(files, folders []string) (before, error) {
	b := before{map[string][]byte{}, map[string]map[string]bool{}}
	for _, path := range files {
		content, err := durable.ReadRegular(path, maxKept)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			b.files[path] = nil
		case err == nil:
			b.files[path] = append([]byte{}, content...)
		}
		// What is no regular file is never written, and needs no content to be put back.
	}
	for _, folder := range folders {
		names, err := namesIn(folder)
		if err != nil {
			return b, err
		}
		b.folders[folder] = names
	}
	return b, nil
}

// namesIn returns all paths in a folder and the folder itself; none where there is no folder.
func namesIn(folder string) (map[string]bool, error) {
	names := map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			names[path] = true
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return names, err
}

// restore removes what is new, and puts back what was changed.
func (b before) restore() error {
	var failed []error
	for folder, had := range b.folders {
		failed = append(failed, removeNew(folder, had))
	}
	for path, content := range b.files {
		failed = append(failed, putBack(path, content))
	}
	return errors.Join(failed...)
}

// removeNew removes what is in a folder and was not, the deepest first.
func removeNew(folder string, had map[string]bool) error {
	has, err := namesIn(folder)
	failed := []error{err}
	var paths []string
	for path := range has {
		if !had[path] {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	slices.Reverse(paths)
	for _, path := range paths {
		failed = append(failed, os.Remove(path))
	}
	return errors.Join(failed...)
}

func putBack(path string, content []byte) error {
	if content == nil {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if has, err := durable.ReadRegular(path, maxKept); err == nil && bytes.Equal(has, content) {
		return nil
	}
	return write(path, info.Mode().Perm(), content)
}

func write(path string, mode fs.FileMode, content []byte) error {
	return durable.WriteFile(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
