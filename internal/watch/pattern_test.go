package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"b.md", "a.md", ".hidden.md", "odd[1].md", "odd1.md", "docs/x/req.md", "docs/y/req.md", "docs/.z/req.md", "folder.md/f"} {
		write(t, path, "")
	}
	for path, want := range map[string][]string{
		"a.md":                {"a.md"},
		"absent.md":           {"absent.md"},
		"*.md":                {"a.md", "b.md", "odd1.md", "odd[1].md"},
		".*.md":               {".hidden.md"},
		"[b-z].md":            {"b.md"},
		"docs/*/req.md":       {"docs/x/req.md", "docs/y/req.md"},
		"./docs/?/req.md":     {"docs/x/req.md", "docs/y/req.md"},
		"docs/.z/*.md":        {"docs/.z/req.md"},
		"absent/*.md":         nil,
		"odd[1].md":           {"odd[1].md"}, // a file of that very name
		"odd[12].md":          {"odd1.md"},
		`odd\[1].md`:          {"odd[1].md"},
		"docs/[a-z]/absent.*": nil,
	} {
		got, err := Match(path)
		require.NoError(t, err, path)
		require.Equal(t, want, got, path)
	}
	_, err := Match("docs/**/*.md")
	require.ErrorContains(t, err, "docs/*.md and docs/*/*.md")
	_, err = Match("docs/[a.md")
	require.ErrorIs(t, err, filepath.ErrBadPattern)
}

func TestFilesOfAPattern(t *testing.T) {
	dir := t.TempDir()
	a := write(t, filepath.Join(dir, "a.md"), "1")
	pattern := filepath.Join(dir, "*.md")
	r := start(t, Look(pattern), never, pattern)
	changed := "*.md=" // the recorder cannot read a pattern

	b := write(t, filepath.Join(dir, "b.md"), "new")
	r.expect(changed)
	write(t, a, "in place")
	r.expect(changed)
	replace(t, b, "renamed")
	r.expect(changed)
	require.NoError(t, os.Rename(b, filepath.Join(dir, "c.md")))
	r.expect(changed)
	require.NoError(t, os.Remove(a))
	r.expect(changed)
	require.NoError(t, os.Remove(filepath.Join(dir, "c.md")))
	r.expect(changed)
	write(t, a, "back")
	r.expect(changed)
}

func TestWhatAPatternDoesNotMatchIsNoChange(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.md"), "1")
	pattern, z := filepath.Join(dir, "*.md"), write(t, filepath.Join(dir, "z"), "1")
	r := start(t, Look(pattern, z), never, pattern, z)
	write(t, filepath.Join(dir, ".a.md"), "hidden")
	write(t, filepath.Join(dir, "a.md~"), "backup")
	write(t, filepath.Join(dir, "a.txt"), "other")
	replace(t, filepath.Join(dir, "a.md"), "1")
	replace(t, z, "2")
	require.Equal(t, []string{"z=2"}, r.expect("z=2"))
}

func TestNewFolderForAPattern(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one", "req.md"), "1")
	pattern := filepath.Join(dir, "*", "req.md")
	r := start(t, Look(pattern), never, pattern)
	write(t, filepath.Join(dir, "two", "req.md"), "1")
	r.expect("req.md=")
	write(t, filepath.Join(dir, "two", "req.md"), "2")
	r.expect("req.md=")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "one")))
	r.expect("req.md=")
}

// An editor moves the file away, and writes the new one a moment later; a look falls in between.
func TestAFileThatIsAwayForAMomentStays(t *testing.T) {
	dir := t.TempDir()
	a, b := write(t, filepath.Join(dir, "a.md"), "1"), write(t, filepath.Join(dir, "b.md"), "1")
	pattern := filepath.Join(dir, "*.md")
	f, err := newFile(pattern, Look(pattern))
	require.NoError(t, err)
	calls := 0
	w := &watcher{
		every: timing{time.Nanosecond, never}, troubles: map[string]string{}, files: []*file{f},
		changed: func(string) { calls++ }, failed: func(err error) { t.Error(err) },
	}
	w.events, err = fsnotify.NewWatcher()
	require.NoError(t, err)
	defer w.events.Close()
	look := func() {
		f.due = time.Now()
		w.look(t.Context())
	}
	look()
	require.NoError(t, os.Rename(a, a+"~"))
	look()
	require.False(t, f.due.IsZero(), "there is to be a second look")
	replace(t, a, "1")
	look()
	require.Zero(t, calls)

	require.NoError(t, os.Remove(b))
	look()
	require.Zero(t, calls)
	look()
	require.Equal(t, 1, calls)
}

func TestPatternBelowAFolderThatDoesNotExist(t *testing.T) {
	dir := t.TempDir()
	err := Files(t.Context(), []string{filepath.Join(dir, "absent", "*", "f")}, nil, debounce, nil, nil)
	require.ErrorContains(t, err, "folder "+filepath.Join(dir, "absent"))
}
