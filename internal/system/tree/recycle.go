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
// time costs three times as much, for pages that the system takes for it and then gives up. Where the caller knows what
// the two contents have in common, only the rest is written.
//
// A reader sees a content whole. The file that is kept is written over only if nobody can be reading it: this Recycler
// made it, no other process has it open, and it has no other name. Where the system cannot tell, or cannot exchange
// files of the two folders, each content gets a new file, as with Replace.
//
// Its methods are not to be called at the same time.
//
// Implements: ORC-040
type Recycler struct {
	folder, spares *Folder
	name, spare    string

	placed, kept version // the content in place, and the one before it, which is the spare
	never        bool    // files of the two folders cannot be exchanged
}

// version is a content of the file.
type version struct {
	file    fs.FileInfo // when it was written; nil where there is none
	content any
}

// Version is a content for Recycler.Replace.
type Version struct {
	Perm  fs.FileMode // less the umask
	Whole func(io.Writer) error

	// Over writes the content into a file that holds another one, and returns its size in bytes. held is the Content of
	// that one, which was written to the file and is there still.
	Over    func(to io.WriterAt, held any) (size int64, err error)
	Content any
}

// NewRecycler returns what replaces the file name in folder, and keeps the file that it has replaced as spare in
// another folder of the same file system.
func NewRecycler(folder *Folder, name string, spares *Folder, spare string) *Recycler {
	return &Recycler{folder: folder, name: name, spares: spares, spare: spare}
}

// Replace replaces the content of the file, and does not wait for the disk. The rest is as Folder.Replace has it.
func (r *Recycler) Replace(v Version) (displaced string, err error) {
	if !r.never {
		displaced, err = r.replace(v)
		if !errors.Is(err, errNoExchange) {
			return displaced, err
		}
		r.never = true
		_ = r.drop()
	}
	return r.folder.Replace(r.name, Write{Perm: v.Perm, Content: v.Whole, Unsynced: true})
}

func (r *Recycler) replace(v Version) (displaced string, err error) {
	spares, err := r.spares.opened()
	if err != nil {
		return "", errors.Join(errNoExchange, err)
	}
	written, err := r.write(spares, v)
	if err != nil {
		return "", err
	}
	root, err := r.folder.opened()
	if err != nil {
		return "", err
	}
	if displaced, err = r.folder.standing(root, r.name); err != nil {
		return "", err
	}
	before := r.placed
	if now, err := root.Lstat(r.name); err != nil || before.file == nil || !isUntouched(now, before.file) {
		before.content = nil // others have changed it, or its times: nobody knows what it holds
	}
	if err := r.takePlace(spares, root); err != nil {
		return "", err
	}
	r.kept, r.placed = before, version{written, nil}
	if now, err := root.Lstat(r.name); err == nil && os.SameFile(now, written) {
		r.placed = version{now, v.Content} // the exchange has set the time that isUntouched looks at
	}
	return displaced, nil
}

// write writes the content to the spare file, and returns which one that is.
func (r *Recycler) write(spares *os.Root, v Version) (written fs.FileInfo, err error) {
	file, holds, err := r.openSpare(spares, v.Perm)
	held := r.kept.content
	r.kept = version{} // after an error it is not a whole file
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Truncate(0) // whoever waits for it gets nothing rather than a part
		}
		err = errors.Join(err, letGo(file), file.Close())
	}()
	var size int64
	if holds && held != nil && v.Over != nil {
		size, err = v.Over(file, held)
	} else {
		size, err = writeWhole(file, v.Whole)
	}
	if err == nil {
		err = file.Truncate(size)
	}
	if err != nil {
		return nil, err
	}
	return file.Stat()
}

func writeWhole(file *os.File, content func(io.Writer) error) (size int64, err error) {
	buffer := bufio.NewWriterSize(file, bufferSize)
	if err := content(buffer); err != nil {
		return 0, err
	}
	if err := buffer.Flush(); err != nil {
		return 0, err
	}
	return file.Seek(0, io.SeekCurrent)
}

// openSpare opens the file that was replaced, or makes one. holds reports whether it has the content that was written
// to it: as far as its size and the time of its last change tell.
func (r *Recycler) openSpare(spares *os.Root, perm fs.FileMode) (file *os.File, holds bool, err error) {
	if meant := r.kept.file; meant != nil {
		if file, err := spares.OpenFile(r.spare, os.O_RDWR|openFlags, 0); err == nil {
			if info, alone := holdAlone(file, meant); alone {
				return file, info.Size() == meant.Size() && info.ModTime().Equal(meant.ModTime()), nil
			}
			_ = file.Close()
		}
	}
	if err := spares.Remove(r.spare); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, errors.Join(errNoExchange, err)
	}
	if file, err = spares.OpenFile(r.spare, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm()); err != nil {
		return nil, false, errors.Join(errNoExchange, err)
	}
	return file, false, nil
}

// Close removes the file that is kept, and closes the folder that it lies in.
func (r *Recycler) Close() error {
	return errors.Join(r.drop(), r.spares.Close())
}

// drop removes the file that is kept.
func (r *Recycler) drop() error {
	r.kept = version{}
	spares, err := r.spares.opened()
	if err == nil {
		err = spares.Remove(r.spare)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
