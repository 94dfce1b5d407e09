package folder

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

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
	_, err := markBy(d, d.mark)
	return err
}

// Adopt marks a project as Mark does. Where it had no mark at all, the mode came with the policy, out of version
// control or by hand: that is noted, since the boundary blocks on this machine from now on.
func Adopt(d Dir, newID func() string, now func() time.Time) error {
	if len(unmarked(d)) == 0 {
		return nil
	}
	first, err := markBy(d, d.mark)
	if err != nil || first == "" {
		return err
	}
	return d.Append(Pulled(first, newID(), now()))
}

// Settle makes the marks say the mode of the policy, as WritePolicy does, and leaves the policy as it is written.
func Settle(d Dir) error {
	_, err := markBy(d, d.remark)
	return err
}

// markBy changes the marks of a project whose policy blocks. It returns the mode where there was no mark before.
func markBy(d Dir, change func(boundary.Mode) error) (first boundary.Mode, err error) {
	unlock, err := d.lockMarks()
	if err != nil {
		return "", err
	}
	defer unlock()
	p, err := d.Policy()
	if err != nil || !p.Mode.Blocks() {
		return "", err
	}
	if !d.IsMarked() {
		first = p.Mode
	}
	return first, change(p.Mode)
}

// Pulled returns the line of a mode that came with the policy, and was switched elsewhere.
func Pulled(mode boundary.Mode, id string, at time.Time) Line {
	return Line{ID: id, At: at.UTC().Truncate(time.Microsecond), Kind: KindMode, Mode: mode, What: WhatPulled,
		By: "policy.json", Reason: "the policy came with this mode: it was switched on another machine, or by hand"}
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

// Marked returns the mode that the marks say; "" where there is none.
func Marked(d Dir) boundary.Mode {
	if !d.IsMarked() {
		return ""
	}
	return d.markedMode()
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

// IsMarked reports whether the project is marked as one whose mode blocks. What cannot be told is that it is.
func (d Dir) IsMarked() bool {
	_, err := os.Lstat(d.markPath())
	return d.markedInGit() || !errors.Is(err, fs.ErrNotExist)
}
