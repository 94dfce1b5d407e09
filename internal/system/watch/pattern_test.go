package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
)

func TestFilesOfAPattern(t *testing.T) {
	dir := t.TempDir()
	a := write(t, filepath.Join(dir, "a.md"), "1")
	pattern := filepath.Join(dir, "*.md")
	r := start(t, look(t, pattern), never, pattern)
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
	r := start(t, look(t, pattern, z), never, pattern, z)
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
	r := start(t, look(t, pattern), never, pattern)
	write(t, filepath.Join(dir, "two", "req.md"), "1")
	r.expect("req.md=")
	write(t, filepath.Join(dir, "two", "req.md"), "2")
	r.expect("req.md=")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "one")))
	r.expect("req.md=")
}

// An editor moves the file away, and writes the new one a moment later; a look falls in between.
//
// Verifies: ORC-082
func TestAFileThatIsAwayForAMomentStays(t *testing.T) {
	dir := t.TempDir()
	a, b := write(t, filepath.Join(dir, "a.md"), "1"), write(t, filepath.Join(dir, "b.md"), "1")
	pattern := filepath.Join(dir, "*.md")
	f, err := newFile(opened(t, pattern)[0], mostBytes, look(t, pattern))
	require.NoError(t, err)
	calls := 0
	w := &watcher{
		every: timing{time.Nanosecond, never}, troubles: map[string]trouble{}, files: []*file{f},
		told: Told{Changed: func(string) { calls++ }, Failed: func(err error) { t.Error(err) }},
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
	err := Files(t.Context(), opened(t, filepath.Join(dir, "absent", "*", "f")), nil, Options{}, Told{})
	require.ErrorContains(t, err, "folder "+filepath.Join(dir, "absent"))
}
