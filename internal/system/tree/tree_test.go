package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func put(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func link(t *testing.T, to, at string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
	require.NoError(t, os.Symlink(to, at))
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}

func open(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := OpenFolder(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func text(s string) Write {
	return Write{Perm: 0o600, Content: func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}}
}

// What others put in the place is replaced and named; what it leads to keeps every byte.
func TestReplaceNeverWritesThroughWhatStandsInThePlace(t *testing.T) {
	dir, outside := t.TempDir(), put(t, filepath.Join(t.TempDir(), "state.db"), "the log")
	f := open(t, dir)
	at := filepath.Join(dir, "status.json")
	put(t, filepath.Join(dir, "inside"), "kept")
	for displaced, plant := range map[string]func() error{
		"a symbolic link to " + outside:       func() error { return os.Symlink(outside, at) },
		"a symbolic link to inside":           func() error { return os.Symlink("inside", at) },
		"a symbolic link to ../absent/nobody": func() error { return os.Symlink("../absent/nobody", at) },
		"a symbolic link to status.json":      func() error { return os.Symlink("status.json", at) },
		"a pipe":                              func() error { return syscall.Mkfifo(at, 0o600) },
		"":                                    func() error { return os.Link(outside, at) },
	} {
		for _, unsynced := range []bool{false, true} {
			_ = os.Remove(at)
			require.NoError(t, plant())
			w := text("new")
			w.Unsynced = unsynced
			got, err := f.Replace("status.json", w)
			require.NoError(t, err)
			require.Equal(t, displaced, got)
			info, err := os.Lstat(at)
			require.NoError(t, err)
			require.True(t, info.Mode().IsRegular())
			require.Equal(t, "new", content(t, at))
			require.Equal(t, "the log", content(t, outside))
			require.Equal(t, "kept", content(t, filepath.Join(dir, "inside")))
			require.NoError(t, f.Sync("status.json"))
			require.Equal(t, []string{"inside", "status.json"}, names(t, dir), "no temporary file is left")
		}
	}
}

// What is synced is a file of the folder, and nothing waits for a pipe.
func TestSyncRefusesWhatIsNoFile(t *testing.T) {
	dir, outside := t.TempDir(), put(t, filepath.Join(t.TempDir(), "f"), "theirs")
	f := open(t, dir)
	require.ErrorIs(t, f.Sync("none"), fs.ErrNotExist)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.ErrorIs(t, f.Sync("pipe"), ErrNotRegular)
	put(t, filepath.Join(dir, "inside"), "")
	require.NoError(t, os.Symlink("inside", filepath.Join(dir, "link")))
	require.ErrorIs(t, f.Sync("link"), ErrNotRegular)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "out")))
	require.Error(t, f.Sync("out"))
}

// A link that is put in the place while the content is written is no way out either.
func TestALinkThatComesDuringTheWriteIsReplaced(t *testing.T) {
	dir, outside := t.TempDir(), put(t, filepath.Join(t.TempDir(), "state.db"), "the log")
	w := text("new")
	w.Check = func(string) error { return os.Symlink(outside, filepath.Join(dir, "f")) }
	displaced, err := open(t, dir).Replace("f", w)
	require.NoError(t, err)
	require.Equal(t, "a symbolic link to "+outside, displaced)
	require.Equal(t, "the log", content(t, outside))
	require.Equal(t, "new", content(t, filepath.Join(dir, "f")))
}

// Nothing is written into a folder that took the place of the one that was opened, nor into the old one.
func TestNothingIsWrittenWhenTheFolderWasSwapped(t *testing.T) {
	base := t.TempDir()
	dir, other := filepath.Join(base, "out"), filepath.Join(base, "other")
	put(t, filepath.Join(other, "f"), "theirs")
	put(t, filepath.Join(dir, "f"), "old")
	f := open(t, dir)
	swap := func(in func() error) {
		require.NoError(t, os.Rename(dir, dir+".away"))
		require.NoError(t, in())
	}
	restore := func() {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.Rename(dir+".away", dir))
	}
	for name, in := range map[string]func() error{
		"a link":                 func() error { return os.Symlink(other, dir) },
		"a link to itself moved": func() error { return os.Symlink(dir+".away", dir) },
		"another folder":         func() error { return os.Mkdir(dir, 0o700) },
		"a pipe":                 func() error { return syscall.Mkfifo(dir, 0o600) },
		"nothing":                func() error { return nil },
	} {
		swap(in)
		_, err := f.Replace("f", text("new"))
		require.ErrorIs(t, err, ErrSwapped, name)
		require.Equal(t, "old", content(t, dir+".away/f"), name)
		require.Equal(t, "theirs", content(t, other+"/f"), name)
		require.ErrorIs(t, f.RemoveStale("f"), ErrSwapped, name)
		restore()
	}
	w := text("new")
	w.Check = func(string) error { swap(func() error { return os.Symlink(other, dir) }); return nil }
	_, err := f.Replace("f", w)
	require.ErrorIs(t, err, ErrSwapped, "swapped after the content was written")
	require.Equal(t, "theirs", content(t, other+"/f"))
	restore()
	_, err = f.Replace("f", text("new"))
	require.NoError(t, err, "it goes on when the folder is back")
	require.Equal(t, "new", content(t, dir+"/f"))
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 1, "no temporary file is left")
}

func TestReplaceRefusesFoldersAndNamesWithAPath(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	_, err := f.Replace("folder", text("x"))
	require.ErrorContains(t, err, "is a folder")
	for _, name := range []string{"", "..", "../f", "a/b", "/f"} {
		_, err := f.Replace(name, text("x"))
		require.ErrorContains(t, err, "no name of a file", name)
	}
	broken := errors.New("broken")
	w := text("x")
	w.Check = func(string) error { return broken }
	_, err = f.Replace("f", w)
	require.ErrorIs(t, err, broken)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 1)
}

func TestOnlyRegularFilesInTheFolderAreRead(t *testing.T) {
	dir, outside := t.TempDir(), put(t, filepath.Join(t.TempDir(), "secret"), "secret")
	f := open(t, dir)
	put(t, filepath.Join(dir, "a", "f"), "12345")
	link(t, "a/f", filepath.Join(dir, "inside"))
	link(t, "a", filepath.Join(dir, "folder-link"))
	link(t, outside, filepath.Join(dir, "out"))
	link(t, filepath.Dir(outside), filepath.Join(dir, "outfolder"))
	link(t, "/absent", filepath.Join(dir, "dangling"))
	link(t, "loop", filepath.Join(dir, "loop"))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for _, name := range []string{"a/f", "inside", "folder-link/f"} {
		got, err := f.Read(t.Context(), name, 5)
		require.NoError(t, err, name)
		require.Equal(t, "12345", string(got))
		_, err = f.Read(t.Context(), name, 4)
		require.ErrorIs(t, err, ErrTooLarge, name)
	}
	for name, target := range map[string]string{"out": outside, "outfolder/secret": outside, "dangling": "/absent"} {
		_, err := f.Read(t.Context(), name, 5)
		led, is := errors.AsType[*LinkError](err)
		require.True(t, is, "%s: %v", name, err)
		require.Equal(t, target, led.Target)
	}
	for _, name := range []string{"pipe", "a", "."} {
		_, err := f.Read(t.Context(), name, 5)
		require.ErrorIs(t, err, ErrNotRegular, name)
	}
	_, err := f.Read(t.Context(), "loop", 5)
	require.Error(t, err)
	_, err = f.Read(t.Context(), "absent", 5)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = f.Read(t.Context(), "../f", 5)
	require.Error(t, err)
}

// A file of many gigabytes is refused unread; one that grows under the reader is refused at the limit; a reader whose
// context ends stops.
func TestReadingEndsAtTheLimitAndWithTheContext(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	huge, err := os.Create(filepath.Join(dir, "huge"))
	require.NoError(t, err)
	require.NoError(t, huge.Truncate(20<<30))
	_, err = f.Open(t.Context(), "huge", 16<<20)
	require.ErrorIs(t, err, ErrTooLarge, "not a byte is read")

	require.NoError(t, huge.Truncate(10))
	file, err := f.Open(t.Context(), "huge", 1000)
	require.NoError(t, err)
	require.NoError(t, huge.Truncate(20<<30))
	got, err := io.ReadAll(file)
	require.ErrorIs(t, err, ErrTooLarge)
	require.Len(t, got, 1000)
	require.NoError(t, file.Close())

	ctx, cancel := context.WithCancel(t.Context())
	file, err = f.Open(ctx, "huge", 1<<40)
	require.NoError(t, err)
	defer file.Close()
	n, err := file.Read(make([]byte, 1<<20))
	require.NoError(t, err)
	require.LessOrEqual(t, n, chunk, "the context is asked again after so many bytes")
	cancel()
	_, err = file.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
	_, err = f.Open(ctx, "huge", 1<<40)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, huge.Close())
}

func TestReadFileStaysInTheFolderOfTheFile(t *testing.T) {
	dir, outside := t.TempDir(), put(t, filepath.Join(t.TempDir(), "secret"), "secret")
	put(t, filepath.Join(dir, "f"), "1")
	link(t, "f", filepath.Join(dir, "in"))
	link(t, outside, filepath.Join(dir, "out"))
	t.Chdir(dir)
	for _, name := range []string{"f", "in", "./f", filepath.Join(dir, "f")} {
		got, err := ReadFile(t.Context(), name, 9)
		require.NoError(t, err, name)
		require.Equal(t, "1", string(got))
	}
	_, err := ReadFile(t.Context(), "out", 9)
	require.ErrorContains(t, err, outside)
	_, err = ReadFile(t.Context(), "absent/f", 9)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = ReadFile(t.Context(), "/absent-file", 9)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, syscall.Mkfifo("pipe", 0o600))
	_, err = ReadFile(t.Context(), "pipe/f", 9)
	require.ErrorIs(t, err, syscall.ENOTDIR, "a pipe in the place of a folder is not waited for")
}

// A folder that was made again is read; a link in its place is not.
func TestAFolderThatCameBackIsReadAndALinkIsNot(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "docs")
	put(t, filepath.Join(dir, "f"), "1")
	put(t, filepath.Join(base, "other", "f"), "theirs")
	f := open(t, dir)
	require.NoError(t, os.Rename(dir, dir+".away"))
	_, err := f.Read(t.Context(), "f", 9)
	require.ErrorIs(t, err, fs.ErrNotExist)
	link(t, "other", dir)
	_, err = f.Read(t.Context(), "f", 9)
	require.ErrorIs(t, err, ErrSwapped)
	require.NoError(t, os.Remove(dir))
	put(t, filepath.Join(dir, "f"), "2")
	got, err := f.Read(t.Context(), "f", 9)
	require.NoError(t, err)
	require.Equal(t, "2", string(got))
}

// The files of a path are confined to the git working tree they lie in, or else to their folder.
func TestWhatAPathIsConfinedTo(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	put(t, filepath.Join(base, "repo", ".git", "HEAD"), "")
	put(t, filepath.Join(base, "repo", "docs", "a.md"), "")
	put(t, filepath.Join(base, "repo", "module", ".git"), "gitdir: elsewhere")
	put(t, filepath.Join(base, "repo", "module", "a.md"), "")
	put(t, filepath.Join(base, "other", ".git", "HEAD"), "")
	put(t, filepath.Join(base, "other", "a.md"), "")
	put(t, filepath.Join(base, "plain", "docs", "a.md"), "")
	link(t, "../other", filepath.Join(base, "repo", "linked"))
	link(t, "repo", filepath.Join(base, "current"))
	t.Chdir(base)
	for given, want := range map[string]string{
		"repo/docs/a.md":         "repo",
		"repo/docs/*.md":         "repo",
		"repo/*/a.md":            "repo",
		"repo/absent/deep/a.md":  "repo",
		"repo/module/a.md":       "repo/module",
		"repo/linked/a.md":       "repo",
		"current/docs/a.md":      "repo",
		"other/a.md":             "other",
		"plain/docs/a.md":        "plain/docs",
		"plain/docs/*.md":        "plain/docs",
		"plain/*/a.md":           "plain",
		"plain/absent/deep/a.md": "plain",
	} {
		p, err := OpenPath(given)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(base, want), p.Folder(), given)
		require.NoError(t, p.Close())
	}
	for _, given := range []string{"repo/linked/a.md", "repo/l*/a.md"} {
		p, err := OpenPath(given)
		require.NoError(t, err)
		files, err := p.Match(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"repo/linked/a.md"}, files)
		_, err = p.Open(t.Context(), files[0], 9)
		led, is := errors.AsType[*LinkError](err)
		require.True(t, is, err)
		require.Equal(t, filepath.Join(base, "other", "a.md"), led.Target)
		require.NoError(t, p.Close())
	}
}

func TestMatch(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"b.md", "a.md", ".hidden.md", "odd[1].md", "odd1.md", "docs/x/req.md", "docs/x-1/req.md", "docs/y/req.md", "docs/.z/req.md", "folder.md/f"} {
		put(t, path, "")
	}
	require.NoError(t, syscall.Mkfifo("docs/pipe", 0o600))
	for path, want := range map[string][]string{
		"a.md":                {"a.md"},
		"absent.md":           {"absent.md"},
		"*.md":                {"a.md", "b.md", "odd1.md", "odd[1].md"},
		".*.md":               {".hidden.md"},
		"[b-z].md":            {"b.md"},
		"docs/*/req.md":       {"docs/x/req.md", "docs/x-1/req.md", "docs/y/req.md"},
		"./docs/?/req.md":     {"docs/x/req.md", "docs/y/req.md"},
		"docs/.z/*.md":        {"docs/.z/req.md"},
		"docs/*/*":            {"docs/x/req.md", "docs/x-1/req.md", "docs/y/req.md"},
		"absent/*.md":         nil,
		"odd[1].md":           {"odd[1].md"}, // a file of that very name
		"odd[12].md":          {"odd1.md"},
		`odd\[1].md`:          {"odd[1].md"},
		"docs/[a-z]/absent.*": nil,
	} {
		p, err := OpenPath(path)
		require.NoError(t, err, path)
		got, err := p.Match(t.Context())
		require.NoError(t, err, path)
		require.Equal(t, want, got, path)
		require.Equal(t, len(want) != 1 || want[0] != path, p.IsPattern(), path)
		require.NoError(t, p.Close())
	}
	match := func(ctx context.Context, path string) error {
		p, err := OpenPath(path)
		require.NoError(t, err)
		defer p.Close()
		_, err = p.Match(ctx)
		return err
	}
	require.ErrorContains(t, match(t.Context(), "docs/**/*.md"), "docs/*.md and docs/*/*.md")
	require.ErrorIs(t, match(t.Context(), "docs/[a.md"), filepath.ErrBadPattern)
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, match(ended, "docs/*.md"), context.Canceled)
}

func TestRemoveStaleTakesOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	random := strings.Repeat("A", randomLength)
	kept := []string{"f", ".f.tmp", ".f.notes.tmp", ".g." + random + tempSuffix}
	for _, name := range append([]string{".f." + random + tempSuffix}, kept...) {
		put(t, filepath.Join(dir, name), "")
	}
	require.NoError(t, open(t, dir).RemoveStale("f"))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, kept, names)
}

func TestReadDirDoesNotWaitForAPipe(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "b"), "")
	put(t, filepath.Join(dir, "a"), "")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	entries, err := ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	require.Equal(t, "a", entries[0].Name())
	_, err = ReadDir(filepath.Join(dir, "pipe"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
	_, err = ReadDir(filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
