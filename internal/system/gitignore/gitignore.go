// Package gitignore keeps the secrets of a data folder out of git: it writes the folder's .gitignore, and finds the
// files that git tracks, or would add, all the same. Without git, and outside of working trees, there is nothing to
// find.
package gitignore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// content ignores everything in a data folder but what a project shares.
const content = `# Written by orchestrator. This folder holds tokens, keys and the database: none of them belongs in a repository.
# What a project shares is excepted below. A file that differs from this one is kept as it is.
*
!/.gitignore
!/boundary/
!/boundary/policy.json
!/tools/
!/tools/**
!/prompts/
!/prompts/**
`

// older are the contents that earlier versions wrote; none did so far.
var older = []string{}

const maxFile = 1 << 20

// Result says what Write found and did.
type Result int

// The results of Write.
const (
	Written Result = iota // the file is new, or took the place of an older one of this package
	Current               // it was there as Write would write it
	Foreign               // it is somebody else's, and was left as it is
	Unfit                 // the folder holds more than a data folder does, and got none
)

// Write writes dir/.gitignore where it is missing or an older version of its own. A folder that is the top of a
// repository, or that holds one of the files in shared, gets none: it would hide files that belong in the repository.
func Write(dir string, shared []string) (Result, error) {
	path := filepath.Join(dir, ".gitignore")
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return Foreign, nil
	case err == nil:
		return refresh(path)
	case !errors.Is(err, fs.ErrNotExist):
		return Foreign, err
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil ||
		slices.ContainsFunc(shared, func(file string) bool { return holds(dir, file) }) {
		return Unfit, nil
	}
	return Written, write(path)
}

// refresh replaces an older version.
func refresh(path string) (Result, error) {
	has, err := durable.ReadRegular(path, maxFile)
	switch {
	case err != nil:
		return Foreign, err
	case string(has) == content:
		return Current, nil
	case slices.Contains(older, string(has)):
		return Written, write(path)
	}
	return Foreign, nil
}

func write(path string) error {
	return durable.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	})
}

// holds reports whether a file lies in a folder or below it.
func holds(dir, file string) bool {
	rel, err := filepath.Rel(tree.Real(dir), tree.Real(file))
	return err == nil && filepath.IsLocal(rel)
}
