package worktree

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// note notes the files at a path, below a name.
func note(parts map[string]string, path, name string) {
	if to, err := os.Readlink(path); err == nil {
		parts[name+", a link"] = to
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return
		}
	}
	_ = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			inside, _ := filepath.Rel(path, file) // it lies there
			parts[filepath.ToSlash(filepath.Join(name, inside))] = digest(file)
		}
		return nil // what cannot be read is missing on both sides
	})
}

// digest returns the content of a file in short, and whether it can be run; of a link, where it leads. What is no file,
// such as a pipe, is not read.
func digest(file string) string {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case err != nil:
		return "unreadable"
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(file)
		return "link to " + to
	case !info.Mode().IsRegular():
		return info.Mode().Type().String()
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%x %t", sha256.Sum256(content), info.Mode()&0o111 != 0)
}
