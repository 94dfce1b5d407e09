package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"orchestrator/internal/fault"
	files "orchestrator/internal/system/tree"
)

const inWorktree = "in the working tree"

// diskFile is a regular file in the working tree, as it was when it was looked at.
type diskFile struct {
	name string
	info fs.FileInfo
}

// modified returns when the file was written, in UTC and microseconds.
func (f diskFile) modified() time.Time { return f.info.ModTime().UTC().Truncate(time.Microsecond) }

// same reports whether the file is, by all that the system tells without reading it, still what it was.
func (f diskFile) same(now fs.FileInfo) bool {
	return os.SameFile(f.info, now) && f.info.Size() == now.Size() && f.info.ModTime().Equal(now.ModTime())
}

// stat looks for a regular file; name has passed checkPath. Every part of name is looked at, since a folder may be a
// symbolic link, too. Where there is nothing the error is fault.NotFound.
func stat(root *os.Root, name string) (diskFile, error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return diskFile{}, fault.New(fault.NotFound, "file_missing", "there is no %s %s", name, inWorktree).
				WithFix(fromRoot)
		case err != nil:
			return diskFile{}, unreadable(name[:i], err)
		case info.Mode()&fs.ModeSymlink != 0:
			return diskFile{}, refuseLink(name[:i], inWorktree)
		case i < len(name) && !info.IsDir():
			return diskFile{}, fault.New(fault.NotFound, "file_missing", "there is no %s %s: %s is no folder", name,
				inWorktree, name[:i]).WithFix(fromRoot)
		case i == len(name) && info.IsDir():
			return diskFile{}, refuseFolder(name, inWorktree)
		case i == len(name) && !info.Mode().IsRegular():
			return diskFile{}, refuse("not_regular", "%s %s is a device, pipe or socket", name, inWorktree).
				WithFix("name a file")
		case i == len(name):
			return diskFile{name, info}, nil
		}
	}
	return diskFile{}, nil // not reached: the last part is always looked at
}

// read returns the content of f, at most most bytes. That f was replaced or written since it was looked at is an error.
func read(ctx context.Context, root *os.Root, f diskFile, most int64) (content []byte, err error) {
	if f.info.Size() > most {
		return nil, refuseSize(f.name, fmt.Sprintf("it has %d bytes, and at most %d are read", f.info.Size(), most))
	}
	file, err := files.OpenIn(ctx, root, ".", f.name, f.info.Size())
	if replaced(err) {
		return nil, changedUnderway(f.name)
	}
	if err != nil {
		return nil, unreadable(f.name, err)
	}
	defer file.Close()
	if err := checkSame(f, file); err != nil {
		return nil, err
	}
	if content, err = file.ReadAll(); err != nil && !replaced(err) {
		return nil, unreadable(f.name, err)
	}
	if err != nil || int64(len(content)) != f.info.Size() {
		return nil, changedUnderway(f.name)
	}
	return content, checkSame(f, file)
}

// replaced reports whether another file than the one that was looked at stands there, or that it has grown since.
func replaced(err error) bool {
	_, out := errors.AsType[*files.LinkError](err)
	return out || errors.Is(err, files.ErrNotRegular) || errors.Is(err, files.ErrTooLarge)
}

func refuseSize(name, detail string) error {
	return refuse("file_too_large", "%s is too large: %s", name, detail).WithFix("cite a smaller file")
}

func checkSame(f diskFile, open *files.File) error {
	now, err := open.Stat()
	if err != nil {
		return unreadable(f.name, err)
	}
	if !f.same(now) {
		return changedUnderway(f.name)
	}
	return nil
}

func changedUnderway(name string) error {
	return fault.New(fault.Unavailable, CodeUnreadable, "%s changed while it was read", name).
		WithFix("try again when it is written")
}

func unreadable(name string, err error) error {
	return fault.New(fault.Unavailable, CodeUnreadable, "%s cannot be read: %s", name, reason(err)).Because(err)
}

// reason returns err without the path that the system was given: an agent is told the path that it cited.
func reason(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// disk opens the working tree. It is opened for each lookup, since a folder that was put in the place of the old one is
// the working tree from then on.
func (r *Repository) disk() (*os.Root, error) {
	root, err := os.OpenRoot(r.git.Root)
	if err != nil {
		return nil, unreadable("the working tree", err)
	}
	return root, nil
}
