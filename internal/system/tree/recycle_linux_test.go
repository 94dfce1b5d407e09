package tree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A reader that found the file while it was in place, and is let in when it has been written over, finds it in place
// again: what it reads then is what others read, and not ahead of them.
// Verifies: ORC-040
func TestALateReaderReadsWhatIsInPlace(t *testing.T) {
	r, dir, spares := recycling(t)
	replaced(t, r, "1")
	replaced(t, r, "2")
	for i := range 50 {
		found, err := os.OpenFile(filepath.Join(spares, "spare"), unix.O_PATH, 0)
		require.NoError(t, err)
		next := fmt.Sprintf("content %d", i)
		late := make(chan bool)
		v := inWhole("")
		v.Whole = func(w io.Writer) error {
			go func() { late <- isInPlaceWhenItOpens(found, filepath.Join(dir, "f")) }()
			time.Sleep(time.Millisecond) // the lease is held, so the reader cannot be early
			_, err := io.WriteString(w, next)
			return err
		}
		_, err = r.Replace(v)
		require.NoError(t, err)
		require.Truef(t, <-late, "%q is read before it is in place", next)
		require.NoError(t, found.Close())
	}
}

// isInPlaceWhenItOpens reports whether a file that was found before is the one in place as soon as it can be opened.
func isInPlaceWhenItOpens(found *os.File, path string) bool {
	for {
		opened, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", found.Fd()), os.O_RDONLY|unix.O_NONBLOCK, 0)
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue
		}
		placed, failed := os.Stat(path)
		if errors.Join(err, failed) != nil {
			return false
		}
		defer opened.Close()
		info, err := opened.Stat()
		return err == nil && os.SameFile(info, placed)
	}
}

// Whoever waits for a content that fails reads nothing of it.
func TestALateReaderReadsNoPart(t *testing.T) {
	r, _, spares := recycling(t)
	replaced(t, r, "1")
	replaced(t, r, "2")
	read := make(chan string, 1)
	v := inWhole("")
	v.Whole = func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("half", bufferSize))
		require.NoError(t, err)
		go func() {
			raw, err := os.ReadFile(filepath.Join(spares, "spare"))
			read <- fmt.Sprint(string(raw), err)
		}()
		time.Sleep(10 * time.Millisecond)
		return io.ErrUnexpectedEOF
	}
	_, err := r.Replace(v)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "<nil>", <-read)
}

// So it is where the content panics.
func TestALateReaderReadsNoPartAfterAPanic(t *testing.T) {
	r, _, spares := recycling(t)
	replaced(t, r, "1")
	replaced(t, r, "2")
	v := inWhole("")
	v.Whole = func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("half", bufferSize))
		require.NoError(t, err)
		panic("a defect")
	}
	require.Panics(t, func() { _, _ = r.Replace(v) })
	require.Empty(t, content(t, filepath.Join(spares, "spare")))
}

// A file of a file system that other machines may read is never written over: no lease tells of their readers.
// Verifies: ORC-040
func TestOnlyLocalFilesAreWrittenOver(t *testing.T) {
	r, dir, spares := recycling(t)
	r.isLocal = func(*os.File) bool { return false }
	replaced(t, r, "1")
	first, err := os.Open(filepath.Join(dir, "f")) // so that its number is not used again
	require.NoError(t, err)
	defer first.Close()
	replaced(t, r, "2")
	require.Empty(t, names(t, spares))
	replaced(t, r, "3")
	read, err := io.ReadAll(first)
	require.NoError(t, err)
	require.Equal(t, "1", string(read))

	for magic, local := range map[int64]bool{
		unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
		unix.NFS_SUPER_MAGIC: false, unix.FUSE_SUPER_MAGIC: false, unix.V9FS_MAGIC: false, unix.CIFS_SUPER_MAGIC: false,
		unix.CEPH_SUPER_MAGIC: false, unix.OVERLAYFS_SUPER_MAGIC: false, 0x6a656a63 /* virtiofs */ : false, 0: false,
	} {
		require.Equalf(t, local, isLocalType(magic), "%x", magic)
	}
	proc, err := os.Open("/proc")
	require.NoError(t, err)
	defer proc.Close()
	require.False(t, isLocal(proc))
}

// Each file has what the folder that it lies in gives to its files, whether it is new or was kept.
func TestANewFileIsMadeBesideItsTarget(t *testing.T) {
	r, dir, _ := recycling(t)
	if err := unix.Setxattr(dir, "system.posix_acl_default", accessForOneMore(), 0); err != nil {
		t.Skipf("the file system has no access control lists: %v", err)
	}
	path := filepath.Join(dir, "f")
	for i := range 5 {
		replaced(t, r, strings.Repeat("x", i))
		_, err := unix.Getxattr(path, "system.posix_acl_access", nil)
		require.NoErrorf(t, err, "content %d", i)
	}
}

// accessForOneMore encodes an access control list as the system does: one that lets another user read.
func accessForOneMore() []byte {
	const none = 1<<32 - 1
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, entry := range []struct {
		tag, rights uint16
		id          uint32
	}{{0x01, 7, none}, {0x02, 4, 12345}, {0x04, 5, none}, {0x10, 5, none}, {0x20, 0, none}} {
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.rights)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	return list
}

// A late reader that does not wait, as this package reads, is not turned away.
// Verifies: ORC-040
func TestALateReaderThatDoesNotWait(t *testing.T) {
	r, _, spares := recycling(t)
	replaced(t, r, "1")
	replaced(t, r, "2")
	folder := open(t, spares)
	late := make(chan string, 1)
	v := inWhole("")
	v.Whole = func(w io.Writer) error {
		_, err := os.OpenFile(filepath.Join(spares, "spare"), os.O_RDONLY|openFlags, 0)
		require.ErrorIs(t, err, unix.EWOULDBLOCK)
		go func() {
			raw, err := folder.Read(context.Background(), "spare", 10)
			late <- fmt.Sprint(string(raw), err)
		}()
		time.Sleep(5 * time.Millisecond)
		_, err = io.WriteString(w, "3")
		return err
	}
	_, err := r.Replace(v)
	require.NoError(t, err)
	require.Equal(t, "2<nil>", <-late, "the file that has the name by now")
}
