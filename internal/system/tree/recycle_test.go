package tree

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recycling returns what replaces the file f, and both folders.
func recycling(t *testing.T) (r *Recycler, dir, spares string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("files are exchanged on Linux alone; elsewhere each content gets a new file")
	}
	dir, spares = localFolder(t), localFolder(t)
	r = NewRecycler(open(t, dir), "f", open(t, spares), "spare")
	return r, dir, spares
}

// localFolder returns a folder whose file system recycles: that of /dev/shm where the one of temporary files does not,
// as in a container.
func localFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if opened, err := os.Open(dir); err == nil && isLocal(opened) {
		require.NoError(t, opened.Close())
		return dir
	}
	dir, err := os.MkdirTemp("/dev/shm", "recycle")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// inode tells files apart.
func inode(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t).Ino
}

// inWhole returns a content that is always written whole.
func inWhole(s string) Version {
	return Version{Perm: 0o644, Whole: text(s).Content}
}

func replaced(t *testing.T, r *Recycler, with string) string {
	t.Helper()
	displaced, err := r.Replace(inWhole(with))
	require.NoError(t, err)
	require.Equal(t, with, content(t, filepath.Join(r.folder.Path(), r.name)))
	return displaced
}

func TestTwoFilesTakeTurns(t *testing.T) {
	r, dir, spares := recycling(t)
	path := filepath.Join(dir, "f")
	replaced(t, r, "first, and long")
	first := inode(t, path)
	replaced(t, r, "second")
	second := inode(t, path)
	require.NotEqual(t, first, second)
	replaced(t, r, "3")
	require.Equal(t, first, inode(t, path), "the file that was replaced is written over")
	replaced(t, r, strings.Repeat("fourth", 100_000))
	require.Equal(t, second, inode(t, path))
	require.Equal(t, []string{"f"}, names(t, dir))
	require.NoError(t, r.Close())
	require.Empty(t, names(t, spares))
}

// A reader has the content that it began to read, to its end, however slowly it reads.
// Verifies: ORC-040
func TestAReaderKeepsWhatItBeganToRead(t *testing.T) {
	r, dir, _ := recycling(t)
	path := filepath.Join(dir, "f")
	for _, reads := range []func() (content func() string){
		func() func() string {
			f, err := os.Open(path)
			require.NoError(t, err)
			return func() string {
				defer f.Close()
				all, err := io.ReadAll(f)
				require.NoError(t, err)
				return string(all)
			}
		},
		func() func() string {
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			mapped, err := syscall.Mmap(int(f.Fd()), 0, len("what is read"), syscall.PROT_READ, syscall.MAP_SHARED)
			require.NoError(t, err)
			return func() string {
				defer func() { require.NoError(t, syscall.Munmap(mapped)) }()
				return string(mapped)
			}
		},
		func() func() string {
			require.NoError(t, os.Link(path, path+".link"))
			return func() string {
				defer os.Remove(path + ".link")
				return content(t, path+".link")
			}
		},
	} {
		replaced(t, r, "what is read")
		read := reads()
		for range 4 {
			replaced(t, r, "another text, longer")
		}
		require.Equal(t, "what is read", read())
	}
}

// A reader that found the file while it was in place, and opens it only when it is written over, gets the new content
// whole.
// Verifies: ORC-040
func TestALateReaderWaits(t *testing.T) {
	r, _, spares := recycling(t)
	replaced(t, r, "1")
	replaced(t, r, "2")
	read := make(chan string, 1)
	v := inWhole("")
	v.Whole = func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("3", 2*bufferSize)) // some of it is in the file now
		require.NoError(t, err)
		go func() {
			raw, err := os.ReadFile(filepath.Join(spares, "spare"))
			if err != nil {
				raw = []byte(err.Error())
			}
			read <- string(raw)
		}()
		select {
		case early := <-read:
			read <- early
		case <-time.After(100 * time.Millisecond):
		}
		_, err = io.WriteString(w, "end")
		return err
	}
	_, err := r.Replace(v)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("3", 2*bufferSize)+"end", <-read)
	replaced(t, r, "4")
	replaced(t, r, "5")
}

// What others put in the place of either file is never written to.
func TestOnlyItsOwnFilesAreWrittenOver(t *testing.T) {
	r, dir, spares := recycling(t)
	path, spare := filepath.Join(dir, "f"), filepath.Join(spares, "spare")
	theirs := put(t, filepath.Join(dir, "theirs"), "theirs")
	replaced(t, r, "1")
	replaced(t, r, "2")

	require.NoError(t, os.Remove(spare))
	link(t, theirs, spare)
	replaced(t, r, "3")
	require.Equal(t, "theirs", content(t, theirs))

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Link(theirs, path)) // a hard link to a file of theirs
	replaced(t, r, "4")
	replaced(t, r, "5")
	require.Equal(t, "theirs", content(t, theirs))

	require.NoError(t, os.Remove(path))
	link(t, theirs, path)
	require.Equal(t, "a symbolic link to "+theirs, replaced(t, r, "6"))
	replaced(t, r, "7")
	require.Equal(t, "theirs", content(t, theirs))

	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	require.Equal(t, "a pipe", replaced(t, r, "8"))
	replaced(t, r, "9")

	before, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o666))
	replaced(t, r, "10")
	replaced(t, r, "11")
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, before.Mode(), after.Mode(), "whoever changed its rights does not keep them")
}

func TestAFolderInThePlaceIsAnError(t *testing.T) {
	r, dir, spares := recycling(t)
	replaced(t, r, "1")
	require.NoError(t, os.Remove(filepath.Join(dir, "f")))
	put(t, filepath.Join(dir, "f", "inside"), "theirs")
	_, err := r.Replace(inWhole("2"))
	require.ErrorContains(t, err, "is a folder")
	require.Equal(t, "theirs", content(t, filepath.Join(dir, "f", "inside")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "f")))
	put(t, filepath.Join(spares, "spare"), "stale")
	replaced(t, r, "3")

	// One that comes after all checks is put back.
	replaced(t, r, "4")
	file, spare, _ := r.openSpare()
	require.NotNil(t, file)
	defer spare.dir.Close()
	defer file.Close()
	to, err := openSpot(r.folder.root, "f")
	require.NoError(t, err)
	defer to.dir.Close()
	written, err := file.Stat()
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "f")))
	put(t, filepath.Join(dir, "f", "inside"), "theirs")
	require.Error(t, r.take(written, nil, spare, to, func() {}))
	require.Equal(t, "theirs", content(t, filepath.Join(dir, "f", "inside")))
	require.True(t, spare.has(file))
}

// A content that fails leaves the old one, and what was half written never takes the place.
func TestAContentThatFailsIsNotPlaced(t *testing.T) {
	r, dir, _ := recycling(t)
	replaced(t, r, "1")
	replaced(t, r, "2")
	_, err := r.Replace(Version{Perm: 0o644, Whole: func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("half", bufferSize))
		require.NoError(t, err)
		return io.ErrUnexpectedEOF
	}})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "2", content(t, filepath.Join(dir, "f")))
	replaced(t, r, "3")
	replaced(t, r, "4")
}

// Nor is anything left of a new file whose content fails.
func TestNothingIsLeftOfAContentThatFails(t *testing.T) {
	r, dir, _ := recycling(t)
	fails := func(io.Writer) error { return io.ErrUnexpectedEOF }
	_, err := r.Replace(Version{Perm: 0o644, Whole: fails})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for _, unsynced := range []bool{true, false} {
		_, err = r.folder.Replace("f", Write{Perm: 0o644, Content: fails, Unsynced: unsynced})
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	require.Empty(t, names(t, dir))
}

// While the folder of spares cannot be used, each content gets a new file, and afterwards two take turns again.
func TestWithoutAFolderForSpares(t *testing.T) {
	r, dir, spares := recycling(t)
	path := filepath.Join(dir, "f")
	require.NoError(t, os.Rename(spares, spares+".away"))
	replaced(t, r, "1")
	replaced(t, r, "2")
	require.Equal(t, []string{"f"}, names(t, dir))
	require.NoError(t, os.Rename(spares+".away", spares))
	replaced(t, r, "3")
	third := inode(t, path)
	replaced(t, r, "4")
	replaced(t, r, "5")
	require.Equal(t, third, inode(t, path))
}

// Only a file that holds what was written to it is written over in part.
func TestWritingOver(t *testing.T) {
	r, dir, spares := recycling(t)
	path := filepath.Join(dir, "f")
	var over []any
	place := func(s string) {
		t.Helper()
		v := inWhole(s)
		v.Content = s
		v.Over = func(to io.WriterAt, held any) (int64, error) {
			over = append(over, held)
			_, err := to.WriteAt([]byte(s[1:]), 1) // all have the first letter in common
			return int64(len(s)), err
		}
		_, err := r.Replace(v)
		require.NoError(t, err)
		require.Equal(t, s, content(t, path))
	}
	place("a1")
	place("a2")
	require.Empty(t, over)
	place("a3, longer")
	place("a4")
	place("a5")
	require.Equal(t, []any{"a1", "a2", "a3, longer"}, over)

	over = nil
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("b")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	place("a6")
	place("a7")
	require.Equal(t, []any{"a4"}, over, "a file that somebody wrote to is written whole")
	place("a8")
	require.Equal(t, []any{"a4", "a6"}, over)

	over = nil
	info, err := os.Stat(path)
	require.NoError(t, err)
	f, err = os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("b"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	place("a9")
	place("c1")
	require.Equal(t, []any{"a7"}, over, "so is one whose time was set back")

	place("a10")
	place("c2")
	over = nil
	f, err = os.OpenFile(filepath.Join(spares, "spare"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString("!")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	place("d1")
	require.Empty(t, over, "so is one that was written to after it was replaced")

	place("c3")
	place("d2")
	over = nil
	spare := filepath.Join(spares, "spare")
	info, err = os.Stat(spare)
	require.NoError(t, err)
	f, err = os.OpenFile(spare, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("b"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(spare, info.ModTime(), info.ModTime()))
	place("e1")
	require.Empty(t, over, "even if its time was set back")
}
