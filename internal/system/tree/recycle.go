package tree

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Recycler replaces the content of one file again and again. It exchanges the file with one beside it, as Replace does,
// but keeps the file that it has replaced, and writes the content after the next over it: a file that is made anew each
// time costs three times as much, for pages that the system takes for it and then gives up.
//
// A reader sees a content whole. The file that is kept is written over only if nobody can be reading it: this Recycler
// made it, no other process has it open, and it has no other name. Where the system cannot tell, or cannot exchange
// files of the two folders, each content gets a new file, as with Replace.
//
// Its methods are not to be called at the same time.
type Recycler struct {
	folder, spares *Folder
	name, spare    string

	placed fs.FileInfo // of the file that was put in place last
	kept   fs.FileInfo // of the file that it has replaced; nil where none is kept
	never  bool        // files of the two folders cannot be exchanged
}

// NewRecycler returns what replaces the file name in folder, and keeps the file that it has replaced as spare in another
// folder of the same file system.
func NewRecycler(folder *Folder, name string, spares *Folder, spare string) *Recycler {
	return &Recycler{folder: folder, name: name, spares: spares, spare: spare}
}

// Replace replaces the content of the file, and does not wait for the disk: w.Unsynced is implied, and w.Check is not
// called. The rest is as Folder.Replace has it.
func (r *Recycler) Replace(w Write) (displaced string, err error) {
	w.Unsynced = true
	if r.never {
		return r.folder.Replace(r.name, w)
	}
	displaced, err = r.replace(w)
	if errors.Is(err, errNoExchange) {
		r.never = true
		_ = r.drop()
		return r.folder.Replace(r.name, w)
	}
	return displaced, err
}

func (r *Recycler) replace(w Write) (displaced string, err error) {
	root, err := r.folder.opened()
	if err != nil {
		return "", err
	}
	if _, err := r.folder.standing(root, r.name); err != nil {
		return "", err
	}
	spares, err := r.spares.opened()
	if err != nil {
		return "", errors.Join(errNoExchange, err)
	}
	written, err := r.write(spares, w)
	if err != nil {
		return "", err
	}
	if _, err := r.folder.opened(); err != nil {
		return "", err
	}
	if displaced, err = r.folder.standing(root, r.name); err != nil {
		return "", err
	}
	if err := r.takePlace(spares, root); err != nil {
		return "", err
	}
	r.kept, r.placed = r.placed, written
	return displaced, nil
}

// write writes the content to the spare file, and returns which one that is.
func (r *Recycler) write(spares *os.Root, w Write) (written fs.FileInfo, err error) {
	file, err := r.openSpare(spares, w.Perm)
	r.kept = nil // after an error it is not a whole file
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	count := &counter{to: file}
	buffer := bufio.NewWriterSize(count, bufferSize)
	if err := w.Content(buffer); err != nil {
		return nil, err
	}
	if err := buffer.Flush(); err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > count.n {
		err = file.Truncate(count.n)
	}
	return info, err
}

// openSpare opens the file that was replaced, or makes one.
func (r *Recycler) openSpare(spares *os.Root, perm fs.FileMode) (*os.File, error) {
	if r.kept != nil {
		if file, err := spares.OpenFile(r.spare, os.O_RDWR|openFlags, 0); err == nil {
			if isAlone(file, r.kept) {
				return file, nil
			}
			_ = file.Close()
		}
	}
	if err := spares.Remove(r.spare); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(errNoExchange, err)
	}
	file, err := spares.OpenFile(r.spare, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return nil, errors.Join(errNoExchange, err)
	}
	return file, nil
}

// Close removes the file that is kept, and closes the folder that it lies in.
func (r *Recycler) Close() error {
	r.kept = nil
	return errors.Join(r.drop(), r.spares.Close())
}

// drop removes the file that is kept.
func (r *Recycler) drop() error {
	spares, err := r.spares.opened()
	if err == nil {
		err = spares.Remove(r.spare)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// counter counts what is written through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}
