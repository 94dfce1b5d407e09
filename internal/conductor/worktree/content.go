package worktree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"orchestrator/internal/system/git"
)

// changed returns the files of a working tree that git shows as changed: untracked is all or no, as git status has it.
func (m *repository) changed(ctx context.Context, dir, untracked string) (files []string, err error) {
	out, err := m.run(ctx, dir, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files="+untracked)
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			files = append(files, filepath.ToSlash(entry[3:]))
		}
	}
	return files, err
}

// apparent returns the files of a working tree that are not as its last commit has them, and those whose index keeps git
// from looking.
func (m *repository) apparent(ctx context.Context, dir string) ([]string, error) {
	changed, err := m.changed(ctx, dir, "all")
	if err != nil {
		return nil, err
	}
	unseen, err := m.unseen(ctx, dir)
	all := append(changed, unseen...)
	slices.Sort(all)
	return slices.Compact(all), err
}

// unseen returns the files of which the index of a working tree says that they are to be taken for unchanged
// (assume-unchanged), or that they need not be there (skip-worktree): git status does not show what becomes of them. A
// file that is not there because of a sparse checkout is as it should be.
func (m *repository) unseen(ctx context.Context, dir string) (files []string, err error) {
	out, err := m.run(ctx, dir, "ls-files", "-v", "-z")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		tag, file, _ := strings.Cut(entry, " ")
		if file != "" && (tag == "S" || unicode.IsLower(rune(tag[0]))) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	sparse, _, err := m.start(ctx, dir, "config", "--type=bool", "--get", "core.sparseCheckout")
	if err != nil && git.ExitCode(err) != 1 {
		return files, nil // it is not known to be sparse
	}
	return slices.DeleteFunc(files, func(file string) bool {
		_, err := os.Lstat(filepath.Join(dir, file))
		return sparse == "true" && errors.Is(err, fs.ErrNotExist)
	}), nil
}

// show makes git look again at files that the index kept it from looking at.
func (m *repository) show(ctx context.Context, dir string) error {
	files, err := m.unseen(ctx, dir)
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		for some := range slices.Chunk(files, 500) {
			if err == nil {
				_, err = m.run(ctx, dir, append([]string{"update-index", flag, "--"}, some...)...)
			}
		}
	}
	return err
}

// note notes the files at a path, below a name.
func (mark Mark) note(path, name string) {
	if to, err := os.Readlink(path); err == nil {
		mark.parts[name+", a link"] = to
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return
		}
	}
	_ = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			inside, _ := filepath.Rel(path, file) // it lies there
			mark.parts[filepath.ToSlash(filepath.Join(name, inside))] = digest(file)
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
