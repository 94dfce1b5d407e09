package folder

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/tree"
)

// The texts of the marks. A mark with any other text is one of enforce.
const (
	enforceMark = "The boundary of this project is enforced: without a policy, writing calls are blocked.\n"
	confirmMark = "The boundary of this project is in confirm: without a policy, writing calls are blocked.\n"
)

func markOf(mode boundary.Mode) []byte {
	if mode == boundary.Confirm {
		return []byte(confirmMark)
	}
	return []byte(enforceMark)
}

// Mark puts up the marks that are missing of a project whose policy blocks. The policy is read under the lock that
// WritePolicy holds: a caller that read an older one puts back no mark that a rollback took away meanwhile.
func (d Dir) Mark() error {
	if len(unmarked(d)) == 0 {
		return nil
	}
	unlock, err := d.lockMarks()
	if err != nil {
		return err
	}
	defer unlock()
	p, err := d.Policy()
	if err != nil || !p.Mode.Blocks() {
		return err
	}
	return d.mark(p.Mode)
}

// lockMarks keeps others from changing policy and marks. Where this user may not write the folder there is no lock to
// take; git's folder may still be theirs, and is marked.
func (d Dir) lockMarks() (unlock func(), err error) {
	unlock, err = d.Lock("policy")
	if errors.Is(err, fs.ErrPermission) {
		return func() {}, nil
	}
	return unlock, err
}

// mark puts up the marks that are missing. A mark that is there stays as it is.
func (d Dir) mark(mode boundary.Mode) error {
	for _, path := range unmarked(d) {
		if err := d.write(path, markOf(mode)); err != nil {
			return err
		}
	}
	return nil
}

// unmarked returns the paths of the marks that are missing.
func unmarked(d Dir) (paths []string) {
	for _, path := range d.marks() {
		if _, err := os.Lstat(path); err != nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// remark has the marks say the mode.
func (d Dir) remark(mode boundary.Mode) error {
	for _, path := range d.marks() {
		if saysMode(path, mode) {
			continue
		}
		if err := d.write(path, markOf(mode)); err != nil {
			return err
		}
	}
	return nil
}

// marks returns the paths of the marks: one in the folder, and one in git where there is a repository.
func (d Dir) marks() []string {
	if info, err := os.Stat(filepath.Dir(d.gitMark())); err == nil && info.IsDir() {
		return []string{d.gitMark(), d.markPath()}
	}
	return []string{d.markPath()}
}

// saysMode reports whether there is a mark at a path, and it says the mode.
func saysMode(path string, mode boundary.Mode) bool {
	const most = 1 << 10
	text, err := tree.ReadFile(context.Background(), path, most)
	return err == nil && bytes.Equal(text, markOf(mode))
}

// markedMode returns what the marks of an enforcing project say: enforce, unless each that is there says confirm.
func (d Dir) markedMode() boundary.Mode {
	for _, path := range []string{d.gitMark(), d.markPath()} {
		if _, err := os.Lstat(path); !missing(err) && !saysMode(path, boundary.Confirm) {
			return boundary.Enforce
		}
	}
	return boundary.Confirm
}

// unmark takes the marks away.
func (d Dir) unmark() error {
	for _, path := range []string{d.markPath(), d.gitMark()} {
		if err := os.Remove(path); err != nil && !missing(err) {
			return unwritable(path, err)
		}
	}
	return nil
}

// missing reports whether there is nothing at a path; .git is a file in a worktree.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (d Dir) markedInGit() bool {
	_, err := os.Lstat(d.gitMark())
	return err == nil
}

// Enforcing reports whether the project is marked as enforcing. What cannot be told is that it is.
func (d Dir) Enforcing() bool {
	_, err := os.Lstat(d.markPath())
	return d.markedInGit() || !errors.Is(err, fs.ErrNotExist)
}
