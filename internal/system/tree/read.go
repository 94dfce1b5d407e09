package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	ErrNotRegular = errors.New("it is not a regular file")
	ErrTooLarge   = errors.New("it is too large")
)

// LinkError says that a name leads out of the folder that it is read from, or is a link with an absolute target.
type LinkError struct {
	Path   string
	Target string
	Folder string
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a symbolic link to %s, and only relative links that stay in %s are followed", e.Path,
		e.Target, e.Folder)
}

// chunk is how much is read before the context is asked again.
const chunk = 256 << 10

// File is an open regular file. Reading it fails once the context ends, or more than the limit was read.
type File struct {
	ctx  context.Context //nolint:containedctx // a reader has no other way to learn that it is to stop
	file *os.File
	info fs.FileInfo
	left int64 // of the limit
	most int64
}

// Open opens a regular file of the folder to read at most most bytes. A link that stays in the folder is followed.
// Errors: fs.ErrNotExist, ErrNotRegular, ErrTooLarge, ErrSwapped, *LinkError.
func (f *Folder) Open(ctx context.Context, name string, most int64) (*File, error) {
	root, err := f.reopened()
	if err != nil {
		return nil, err
	}
	return OpenIn(ctx, root, f.path, name, most)
}

// OpenIn opens a file in a folder that the caller has opened; errors call it folder.
func OpenIn(ctx context.Context, root *os.Root, folder, name string, most int64) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, name)
	info, err := root.Stat(name) // what is no file is not even opened
	if err == nil {
		err = checkReadable(path, info, most)
	}
	if err != nil {
		return nil, explain(folder, name, err)
	}
	file, err := OpenUnblocked(root, name)
	if err != nil {
		return nil, explain(folder, name, err)
	}
	if info, err = file.Stat(); err == nil { // of the very file that is read
		err = checkReadable(path, info, most)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{ctx: ctx, file: file, info: info, left: most, most: most}, nil
}

// patience is how often, a millisecond apart, a file is tried to open that somebody has a lease of.
const patience = 100

// OpenUnblocked opens a file for reading without blocking. Whoever has a lease of it, as a Recycler for a moment, is told by the
// attempt to let go, or has put another file in its place by the next one.
func OpenUnblocked(root *os.Root, name string) (file *os.File, err error) {
	for range patience {
		file, err = root.OpenFile(name, os.O_RDONLY|openFlags, 0)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return file, err
}

func checkReadable(path string, info fs.FileInfo, most int64) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("read %s: %w", path, ErrNotRegular)
	}
	if info.Size() > most {
		return fmt.Errorf("read %s: %w: it has more than %d bytes", path, ErrTooLarge, most)
	}
	return nil
}

// explain names the target of a link that leads out.
func explain(folder, name string, err error) error {
	if p, is := errors.AsType[*fs.PathError](err); !is || p.Err.Error() != "path escapes from parent" {
		return err
	}
	path := filepath.Join(folder, name)
	target, failed := filepath.EvalSymlinks(path)
	if failed != nil {
		if target, failed = os.Readlink(path); failed != nil {
			target = "another place"
		}
	}
	return &LinkError{Path: path, Target: target, Folder: folder}
}

// Info returns the file as it was when it was opened.
func (f *File) Info() fs.FileInfo { return f.info }

// Stat returns the open file as it is now.
func (f *File) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Seek sets where the next Read begins, from where the limit counts anew.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	f.left = f.most
	return f.file.Seek(offset, whence)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

func (f *File) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	p = p[:min(int64(len(p)), chunk, f.left+1)] // one more byte shows that there is more
	n, err := f.file.Read(p)
	if f.left -= int64(n); f.left < 0 {
		f.left = 0
		return n - 1, fmt.Errorf("read %s: %w: it has more than %d bytes", f.file.Name(), ErrTooLarge, f.most)
	}
	return n, err
}

// Read reads a regular file of the folder whole; see Open.
func (f *Folder) Read(ctx context.Context, name string, most int64) ([]byte, error) {
	file, err := f.Open(ctx, name, most)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ReadAll()
}

// ReadAll reads the rest of the file.
func (f *File) ReadAll() ([]byte, error) {
	var content bytes.Buffer
	content.Grow(int(min(f.info.Size(), f.left)) + bytes.MinRead)
	if _, err := content.ReadFrom(f); err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}

// OpenFile opens a regular file as Open does, in the folder that it lies in: a link is followed within that folder.
func OpenFile(ctx context.Context, path string, most int64) (*File, error) {
	dir, name := split(path)
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return OpenIn(ctx, root, dir, name, most)
}

// ReadFile reads a regular file whole; see OpenFile.
func ReadFile(ctx context.Context, path string, most int64) ([]byte, error) {
	file, err := OpenFile(ctx, path, most)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ReadAll()
}

func split(path string) (dir, name string) {
	dir, name = filepath.Split(path)
	if dir = strings.TrimRight(dir, string(filepath.Separator)); dir == "" && filepath.IsAbs(path) {
		return string(filepath.Separator), name
	}
	if dir == "" {
		dir = "."
	}
	return dir, name
}

// readDir lists a folder in the folder, without blocking. More than most names are ErrTooMany.
func (f *Folder) readDir(ctx context.Context, root *os.Root, name string, most int) (names []string, err error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, explain(f.path, name, err)
	}
	defer dir.Close()
	for ctx.Err() == nil {
		some, err := dir.Readdirnames(1 << 10)
		if names = append(names, some...); len(names) > most {
			return nil, ErrTooMany
		}
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// ReadDir lists a folder, sorted by name. It does not wait for a pipe in its place, as os.ReadDir does.
func ReadDir(path string) ([]fs.DirEntry, error) {
	dir, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
