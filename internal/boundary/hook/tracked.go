package hook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"orchestrator/internal/boundary/hook/gitindex"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/tree"
)

// mostIndex is the most bytes of git's index that are read.
const mostIndex = 64 << 20

// outputs returns the files that are to be outputs, each with whether git tracks it. Where that cannot be told it does.
func (r resolver) outputs(targets []boundary.Target) []boundary.Target {
	if len(targets) == 0 {
		return nil
	}
	index, below, err := indexAbove(r.realRoot)
	for i, t := range targets {
		for _, name := range []string{t.Path, t.Real} {
			if name != "" && !path.IsAbs(name) && !targets[i].Tracked {
				targets[i].Tracked = err != nil || isTracked(index, path.Join(below, name))
			}
		}
	}
	return targets
}

// isTracked looks a name up in an index. It tries the digests of both kinds of repositories.
func isTracked(index []byte, name string) bool {
	const sha1, sha256 = 20, 32
	if index == nil {
		return false
	}
	is, err := gitindex.Has(index, name, sha1)
	if err != nil {
		is, err = gitindex.Has(index, name, sha256)
	}
	return is || err != nil
}

// indexAbove returns the index of the repository that a folder lies in, and the folder's name in it; nil where there is
// none.
func indexAbove(root string) (index []byte, below string, err error) {
	for top := root; ; top = filepath.Dir(top) {
		dir := filepath.Join(top, ".git")
		info, err := os.Lstat(dir)
		if err == nil {
			if !info.IsDir() {
				if dir, err = linked(top); err != nil {
					return nil, "", err
				}
			}
			below, err = filepath.Rel(top, root)
			if err == nil {
				index, err = readIn(dir, "index", mostIndex)
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = nil // nothing has been added
			}
			return index, filepath.ToSlash(below), err
		}
		if top == filepath.Dir(top) {
			return nil, "", nil
		}
	}
}

// linked returns the folder of git that the .git of a linked working tree names.
func linked(top string) (string, error) {
	const mostName = 4 << 10
	text, err := readIn(top, ".git", mostName)
	if err != nil {
		return "", err
	}
	dir, found := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !found {
		return "", errors.New(".git names no folder")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	return dir, nil
}

func readIn(dir, name string, most int64) ([]byte, error) {
	folder, err := tree.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.Read(context.Background(), name, most)
}
