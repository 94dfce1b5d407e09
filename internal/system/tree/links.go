package tree

import (
	"os"
	"path/filepath"
)

// Resolve returns a path without symbolic links, as far as it exists. A path on which there is none is returned as it
// was written.
//
// The hook has one of its own (links.go): what is written through a link that leads nowhere is made where it leads.
func Resolve(path string) string {
	if path == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(path)
	for at, rest := path, ""; err != nil; {
		above := filepath.Dir(at)
		if above == at {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
		if real, err = filepath.EvalSymlinks(above); err == nil {
			real = filepath.Join(real, rest)
		}
		at = above
	}
	if real == filepath.Clean(path) {
		return path
	}
	return real
}

// Real returns the absolute path that a path stands for: without symbolic links, as far as it exists.
func Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return Resolve(path)
}

// Exists reports whether something stands at a path, be it a link that leads nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// WorkingTree returns the top of the repository that a folder lies in: the nearest folder above it, or itself, that has
// .git; "" where it lies in none.
func WorkingTree(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if Exists(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
