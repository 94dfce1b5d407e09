package hook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/boundary/hook/gitindex"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/tree"
)

// mostIndex is the most bytes of git's index that are read.
const mostIndex = 64 << 20

// outputs notes of the files that parts which produce are to write whether git tracks them. Where that cannot be told
// it does, and the file says so. However many files there are, git's index is read once, and not at all where there is
// none.
func (r resolver) outputs(parts []boundary.Part) {
	var names []string
	var of []*boundary.Target
	for _, p := range parts {
		for i := range p.Targets {
			t := &p.Targets[i]
			for _, name := range slices.Compact([]string{t.Path, t.Real}) {
				if p.Class == boundary.Produces && name != "" && !path.IsAbs(name) {
					names, of = append(names, name), append(of, t)
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	tracked, err := r.tracked(names)
	for i, t := range of {
		t.Tracked = t.Tracked || err != nil || tracked[i]
		t.Unsure = err != nil
	}
}

// tracked reports of each name in the project whether git has it in its index. It tries the digests of both kinds of
// repositories.
func (r resolver) tracked(names []string) ([]bool, error) {
	const sha1, sha256 = 20, 32
	index, below, err := indexAbove(r.realRoot)
	if err != nil || index == nil {
		return make([]bool, len(names)), err
	}
	for i, name := range names {
		names[i] = path.Join(below, name)
	}
	has, err := gitindex.Have(index, names, sha1)
	if err != nil {
		has, err = gitindex.Have(index, names, sha256)
	}
	return has, err
}

// indexAbove returns the index of the repository that a folder lies in, and the folder's name in it; nil where there is
// none.
func indexAbove(root string) (index []byte, below string, err error) {
	top := tree.WorkingTree(root)
	if top == "" {
		return nil, "", nil
	}
	dir := filepath.Join(top, ".git")
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
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
