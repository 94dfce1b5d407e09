package durable

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/tree"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func requireContent(t *testing.T, want, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func requireNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	require.ElementsMatch(t, want, names)
}

func TestWriteFileMakesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	require.NoError(t, WriteFile(path, 0o600, text("a long first content")))
	require.NoError(t, WriteFile(path, 0o600, text("second")))
	requireContent(t, "second", path)
	requireNames(t, dir, "state.json")
}

func TestWriteFileRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, WriteFile("plain", 0o600, text("x")))
	requireContent(t, "x", "plain")
}

func TestWriteFileGivesPermLessUmask(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, nil, 0o666))
	for perm, want := range map[os.FileMode]os.FileMode{0o600: 0o600, 0o644: 0o640, 0o400: 0o400} {
		require.NoError(t, WriteFile(path, perm, text("x")))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode(), "asked for %v", perm)
	}
}

// Each version is one letter repeated to a length of its own, so that any mix or cut shows.
func TestReadersSeeWholeFilesOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	version := func(n int) string { return strings.Repeat(string(rune('a'+n%26)), 100_000+n*1000) }
	whole := map[string]bool{}
	for n := range 50 {
		whole[version(n)] = true
	}
	require.NoError(t, WriteFile(path, 0o600, text(version(0))))

	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				got, err := os.ReadFile(path)
				if err != nil || !whole[string(got)] {
					t.Errorf("read %d bytes that nobody wrote as a whole, error %v", len(got), err)
					return
				}
			}
		})
	}
	for start := range 2 {
		writers.Go(func() {
			for n := start; n < 50; n += 2 {
				if err := WriteFile(path, 0o600, text(version(n))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	requireNames(t, dir, "f")
}

func TestFailedWriteLeavesTheOldFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, WriteFile(path, 0o600, text("old")))
	broken := errors.New("source broke")

	err := WriteFile(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 3*64<<10)) // more than the buffer, so the file has been written to
		require.NoError(t, err)
		return broken
	})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, path)
	requireContent(t, "old", path)
	requireNames(t, dir, "f")

	require.Panics(t, func() { _ = WriteFile(path, 0o600, func(io.Writer) error { panic("defect") }) })
	requireContent(t, "old", path)
	requireNames(t, dir, "f")
}

// check sees the whole new content while the old one is still in place, and decides.
func TestReplaceLooksBeforeItReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	require.NoError(t, WriteFile(path, 0o600, text("old")))
	wrong := errors.New("wrong")
	_, err := Replace(path, tree.Write{Perm: 0o600, Content: text("new"), Check: func(written string) error {
		requireContent(t, "new", written)
		requireContent(t, "old", path)
		return wrong
	}})
	require.ErrorIs(t, err, wrong)
	requireContent(t, "old", path)
	requireNames(t, dir, "state.json")
	displaced, err := Replace(path, tree.Write{Perm: 0o600, Content: text("new"), Check: func(string) error { return nil }})
	require.NoError(t, err)
	require.Empty(t, displaced)
	requireContent(t, "new", path)
	requireNames(t, dir, "state.json")
}

func TestFailedRenameLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	err := WriteFile(path, 0o600, func(io.Writer) error { return os.Mkdir(path, 0o700) })
	require.ErrorContains(t, err, "write "+path)
	requireNames(t, dir, "f")
}

func TestRefusedTargets(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	for path, want := range map[string]string{
		"absent/f": "no such file or directory",
		"file/f":   "not a directory",
		"folder":   "is a folder",
	} {
		called := false
		err := WriteFile(filepath.Join(dir, path), 0o600, func(io.Writer) error { called = true; return nil })
		require.ErrorContains(t, err, want, path)
		require.ErrorContains(t, err, "write "+filepath.Join(dir, path), path)
		require.False(t, called, path)
	}
	requireNames(t, dir, "file", "folder")
}

func TestUnwritableFolderIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	err := WriteFile(filepath.Join(dir, "f"), 0o600, text("x"))
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, "create a file in folder "+dir+": permission denied")
}

// The name is too long for the temporary file: the one way to fail at creating it that root meets too.
func TestFailureToCreateNamesFolderAndCause(t *testing.T) {
	dir := t.TempDir()
	err := WriteFile(filepath.Join(dir, strings.Repeat("n", 250)), 0o600, text("x"))
	require.ErrorIs(t, err, syscall.ENAMETOOLONG)
	require.ErrorContains(t, err, "create a file in folder "+dir+": ")
	require.NotContains(t, err.Error(), ".tmp")
	requireNames(t, dir)
}

// Links on the way to the folder are the caller's. A link in the place of the file is replaced, and what it leads to is
// left alone.
func TestALinkToTheFolderIsFollowedAndALinkInThePlaceIsReplaced(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "real/deep"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real/f"), []byte("old"), 0o600))
	for link, to := range map[string]string{
		"linkfolder": "real/deep", "direct": "real/f", "absolute": filepath.Join(dir, "real/f"), "dangling": "real/new", "loop": "loop",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, WriteFile(filepath.Join(dir, "linkfolder/f"), 0o600, text("deep")))
	requireContent(t, "deep", filepath.Join(dir, "real/deep/f"))
	require.NoError(t, WriteFile(dir+"/linkfolder/../g", 0o600, text("beside")), "the parent of where the link leads")
	requireContent(t, "beside", filepath.Join(dir, "real/g"))
	for name, want := range map[string]string{
		"direct": "a symbolic link to real/f", "absolute": "a symbolic link to " + filepath.Join(dir, "real/f"),
		"dangling": "a symbolic link to real/new", "loop": "a symbolic link to loop", "pipe": "a pipe", "plain": "",
	} {
		displaced, err := Replace(filepath.Join(dir, name), tree.Write{Perm: 0o600, Content: text("by " + name)})
		require.NoError(t, err, name)
		require.Equal(t, want, displaced)
		info, err := os.Lstat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular(), name)
		requireContent(t, "by "+name, filepath.Join(dir, name))
	}
	requireContent(t, "old", filepath.Join(dir, "real/f"))
	requireNames(t, filepath.Join(dir, "real"), "f", "g", "deep")
}

func TestContentIsStreamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	const lines, line = 1 << 18, "sixty-four bytes of content in every line, so 16 MiB in the end\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, WriteFile(path, 0o600, func(w io.Writer) error {
		for range lines {
			if _, err := io.WriteString(w, line); err != nil {
				return err
			}
		}
		return nil
	}))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(got, bytes.Repeat([]byte(line), lines)))
}

func TestRemoveStaleTakesOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	kept := []string{"f", ".f.tmp", ".f.notes.tmp", ".g." + rand.Text() + ".tmp"}
	for _, name := range append([]string{"." + "f." + rand.Text() + ".tmp"}, kept...) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, RemoveStale(path))
	requireNames(t, dir, kept...)
}

func TestRemoveStaleWithoutFolder(t *testing.T) {
	require.NoError(t, RemoveStale(filepath.Join(t.TempDir(), "absent", "f")))
}
