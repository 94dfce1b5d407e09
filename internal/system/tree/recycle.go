package tree

import (
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
// A reader sees a content whole, and none before it is in place. The file that is kept is written over only if nobody
// can be reading it: this Recycler made it, no other process has it open, and it has no other name. Otherwise, and
// where the system cannot tell, each content gets a new file, as with Replace. A new file is made beside the one that
// it replaces, with what the folder gives to its files, such as a group.
//
// Its methods are not to be called at the same time.
//
// Implements: ORC-040
type Recycler struct {
	folder, spares *Folder
	name, spare    string
	isLocal        func(dir *os.File) bool

	placed, kept version // the content in place, and the one before it, which is the spare
}

// version is a content of the file.
type version struct {
	file    fs.FileInfo // when it was put in place; nil where there is none
	spare   fs.FileInfo // when it was made the spare one
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
	return &Recycler{folder: folder, name: name, spares: spares, spare: spare, isLocal: isLocal}
}

// Replace replaces the content of the file, and does not wait for the disk. The rest is as Folder.Replace has it.
func (r *Recycler) Replace(v Version) (displaced string, err error) {
	if file, spare, intact := r.openSpare(); file != nil {
		defer spare.dir.Close()
		return r.recycle(file, spare, intact, v)
	}
	return r.folder.replace(r.name, Write{Perm: v.Perm, Content: v.Whole, Unsynced: true},
		func(written fs.FileInfo, from, to spot) error { return r.take(written, v.Content, from, to, func() {}) })
}

// openSpare opens the file that was replaced, where nobody can be reading it; nil where there is none such. intact
// reports whether nobody has written to it since it was written, as its size and the time of that tell, nor changed it
// in any way since it was replaced.
func (r *Recycler) openSpare() (file *os.File, at spot, intact bool) {
	meant := r.kept.file
	if meant == nil {
		return nil, spot{}, false
	}
	root, err := r.spares.opened()
	if err != nil {
		return nil, spot{}, false
	}
	if at, err = openSpot(root, r.spare); err != nil {
		return nil, spot{}, false
	}
	if file, err = root.OpenFile(r.spare, os.O_RDWR|openFlags, 0); err == nil {
		if info, alone := holdAlone(file, meant); alone {
			return file, at, isUntouched(info, r.kept.spare) && info.Size() == meant.Size() &&
				info.ModTime().Equal(meant.ModTime())
		}
		_ = file.Close()
	}
	_ = at.dir.Close()
	return nil, spot{}, false
}

// recycle writes the content over the spare file, and puts that in place. Nobody else can open the file until then.
func (r *Recycler) recycle(file *os.File, spare spot, intact bool, v Version) (displaced string, err error) {
	before := r.kept
	r.kept = version{} // after an error it is not a whole file
	if !intact {
		before.content = nil
	}
	placed := false
	defer func() { // also after a panic
		if !placed && spare.has(file) {
			_ = file.Truncate(0) // whoever waits for it gets nothing rather than a part, or what is not in place
		}
		err = errors.Join(err, letGo(file), file.Close())
	}()
	if err := v.write(file, before); err != nil {
		return "", err
	}
	written, err := file.Stat()
	if err != nil {
		return "", err
	}
	root, err := r.folder.opened()
	if err != nil {
		return "", err
	}
	to, err := openSpot(root, r.name)
	if err != nil {
		return "", err
	}
	defer to.dir.Close()
	return r.folder.place(to, func() error {
		return r.take(written, v.Content, spare, to, func() {
			placed = true
			_ = letGo(file) // at once: who opens the file in place without waiting for leases is told to try again
		})
	})
}

// write writes the content over another one. before.content is nil where nobody knows what the file holds.
func (v Version) write(file *os.File, before version) error {
	if before.content == nil || v.Over == nil {
		size, err := writeWhole(file, v.Whole)
		if err != nil {
			return err
		}
		return file.Truncate(size)
	}
	size, err := v.Over(file, before.content)
	if err != nil || size >= before.file.Size() {
		return err
	}
	return file.Truncate(size)
}

// take puts a written file in place, calls placed then, and keeps the file that it replaces.
func (r *Recycler) take(written fs.FileInfo, content any, from, to spot, placed func()) error {
	before := r.placed
	if now, err := to.root.Lstat(to.name); err != nil || before.file == nil || !isUntouched(now, before.file) {
		before.content = nil // others have changed it, or its times: nobody knows what it holds
	}
	r.kept = version{}
	err := takePlace(from, to, func() bool {
		placed()
		if before.spare = r.keep(before.file, from); before.spare != nil {
			r.kept = before
		}
		return r.kept.file != nil
	})
	if err != nil {
		return err
	}
	r.placed = version{file: written}
	if now, err := to.root.Lstat(to.name); err == nil && os.SameFile(now, written) {
		r.placed = version{file: now, content: content} // the exchange has set the time that isUntouched looks at
	}
	return nil
}

// keep makes a file that was replaced the spare one. It returns the file as it is then, since the exchange and the
// renaming set the time that isUntouched looks at; nil if it could not keep it.
func (r *Recycler) keep(meant fs.FileInfo, at spot) fs.FileInfo {
	info, err := at.root.Lstat(at.name)
	if err != nil || meant == nil || !os.SameFile(info, meant) || !r.isLocal(at.dir) {
		return nil
	}
	spares, err := r.spares.opened()
	if err != nil {
		return nil
	}
	if at.root == spares && at.name == r.spare {
		return info
	}
	spare, err := openSpot(spares, r.spare)
	if err != nil {
		return nil
	}
	defer spare.dir.Close()
	if rename(at, spare) != nil {
		return nil
	}
	if info, err = spares.Lstat(r.spare); err != nil {
		return nil
	}
	return info
}

// Close removes the file that is kept, and closes the folder that it lies in.
func (r *Recycler) Close() error {
	spares, err := r.spares.opened()
	if err == nil {
		err = spares.Remove(r.spare)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, r.spares.Close())
}
