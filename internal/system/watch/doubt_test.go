package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A pause is long enough for a look, and so much shorter than what a doubted file must be left alone that a busy
// machine does not make it as long.
const (
	slowly = 200 * time.Millisecond
	pause  = 2 * slowly
	whole  = "one two three four"
)

func startSlowly(t *testing.T, paths ...string) *recorder {
	t.Helper()
	return startEvery(t, timing{slowly, never}, look(t, paths...), paths...)
}

// rewrite writes a file in place with a pause before each further part.
func rewrite(t *testing.T, path string, parts ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(t, err)
	for i, part := range parts {
		if i > 0 {
			time.Sleep(pause)
		}
		_, err = f.WriteString(part)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
}

func TestARewriteWithAPauseIsNoChange(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]string{
		"half": {"one two", " three four"}, "empty": {"", whole}, "twice": {"one", " two", " three four"},
	} {
		for _, pattern := range []string{"", "*"} {
			t.Run(name+pattern, func(t *testing.T) {
				t.Parallel()
				path := write(t, filepath.Join(t.TempDir(), "f"), whole)
				r := startSlowly(t, path+pattern)
				rewrite(t, path, parts...)
				time.Sleep(settling * slowly * 3 / 2)
				r.mu.Lock()
				require.Empty(t, r.calls)
				r.mu.Unlock()
				write(t, path, whole+" five")
				r.expect(map[string]string{"": "f=" + whole + " five", "*": "f*="}[pattern])
			})
		}
	}
}

func TestARewriteWithAPauseIsReportedWhole(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "f"), whole)
	r := startSlowly(t, path)
	rewrite(t, path, "one", " two", " 3 four, and many more words than before")
	require.Len(t, r.expect("f=one two 3 four, and many more words than before"), 1)
	rewrite(t, path, "one", " 2")
	require.Equal(t, []string{"f=one 2"}, r.expect("f=one 2"), "what stays short is believed")
	rewrite(t, path, "")
	require.Equal(t, []string{"f="}, r.expect("f="), "so is what stays empty")
}

func TestWhatIsDoubted(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*testing.T, string, string) string
		content string
		want    bool
	}{
		"shorter in place":    {write, "one", true},
		"empty in place":      {write, "", true},
		"as long in place":    {write, strings.ToUpper(whole), false},
		"longer in place":     {write, whole + " five", false},
		"shorter by renaming": {replace, "one", false},
		"empty by renaming":   {replace, "", true}, // nobody has an empty document; a writer that made a new file has one
	} {
		path := write(t, filepath.Join(t.TempDir(), "f"), whole)
		f, err := newFile(opened(t, path)[0], mostBytes, look(t, path))
		require.NoError(t, err)
		c.change(t, path, c.content)
		now, err := f.read(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, f.doubtful(now, time.Now(), debounce), name)
	}
}

// A rename over a file that is being written leaves nothing to doubt.
func TestARenameEndsADoubt(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "f"), whole)
	r := startSlowly(t, path)
	rewrite(t, path, "half")
	time.Sleep(pause)
	replace(t, path, "short")
	require.Equal(t, []string{"f=short"}, r.expect("f=short"))
	write(t, path, whole)
	require.Equal(t, []string{"f=" + whole}, r.expect("f="+whole))
}

func TestNoChangeIsReportedWhileAnotherFileIsWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := write(t, filepath.Join(dir, "a"), "1"), write(t, filepath.Join(dir, "b"), whole)
	r := startSlowly(t, a, b)
	rewrite(t, b, "half")
	replace(t, a, "2")
	time.Sleep(pause)
	r.mu.Lock()
	require.Empty(t, r.calls)
	r.mu.Unlock()
	write(t, b, whole+" five")
	require.Equal(t, []string{"a=2", "b=" + whole + " five"}, r.expect("b="+whole+" five"))
}

func TestWaitingForAnotherFileEnds(t *testing.T) {
	now := time.Now()
	w := &watcher{every: timing{debounce: time.Second}, files: []*file{{changed: true}, {due: now}}}
	require.True(t, w.hold(now))
	require.True(t, w.hold(now.Add(patience*settling*time.Second-1)))
	require.False(t, w.hold(now.Add(patience*settling*time.Second)))
	require.True(t, w.hold(now.Add(time.Hour)), "the next change waits anew")
	w.files[1].due = time.Time{}
	require.False(t, w.hold(now.Add(time.Hour)))
	require.True(t, w.held.IsZero())
}

// Without events, as on a network file system, the looks alone must see that somebody still writes.
func TestADoubtLastsWhileTheContentChanges(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), whole)
	f, err := newFile(opened(t, path)[0], mostBytes, look(t, path))
	require.NoError(t, err)
	now := time.Now()
	doubtful := func(content string, at time.Time) bool {
		t.Helper()
		write(t, path, content)
		seen, err := f.read(t.Context())
		require.NoError(t, err)
		return f.doubtful(seen, at, time.Second)
	}
	require.True(t, doubtful("o", now))
	require.True(t, doubtful("on", now.Add(10*time.Second)))
	require.False(t, doubtful("on", now.Add(20*time.Second)))
	require.True(t, doubtful("one", now.Add(30*time.Second)))
	require.False(t, doubtful("one t", now.Add(130*time.Second)), "steady writing cannot put it off for ever")
	require.Nil(t, f.doubt)

	f.doubt = &doubt{}
	f.postpone(now, time.Second)
	require.Equal(t, now.Add(settling*time.Second), f.due)
}
