package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A pause is long enough for a look, and much shorter than what a doubted file must be left alone.
const (
	slowly    = 200 * time.Millisecond
	pause     = 2 * slowly
	leftAlone = settling * slowly
	whole     = "one two three four"
)

func startSlowly(t *testing.T, paths ...string) *recorder {
	t.Helper()
	return startEvery(t, timing{slowly, never}, look(t, paths...), paths...)
}

// inTime makes a try, and another one where a step took so long that a half-written file is rightly believed, as may be
// on a machine that is busy with other things. What a try returns looks at its outcome.
func inTime(t *testing.T, try func(s *steps) func()) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		s := &steps{t: t}
		if check := try(s); s.longest < leftAlone/2 { // two of them are not longer than a doubt lasts
			check()
			return
		}
	}
	t.Fatal("in every try a file was left alone for too long")
}

// reported returns the calls so far.
func (r *recorder) reported() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// steps writes, and knows the longest time that a step took.
type steps struct {
	t       *testing.T
	last    time.Time // when a step ended; zero before the first
	longest time.Duration
}

func (s *steps) done() {
	now := time.Now()
	if !s.last.IsZero() {
		s.longest = max(s.longest, now.Sub(s.last))
	}
	s.last = now
}

// rest ends the steps that belong together.
func (s *steps) rest() { s.last = time.Time{} }

func (s *steps) pause() {
	time.Sleep(pause)
	s.done()
}

// rewrite writes a file in place with a pause before each further part.
func (s *steps) rewrite(path string, parts ...string) {
	s.t.Helper()
	s.done()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(s.t, err)
	for i, part := range parts {
		s.done()
		if i > 0 {
			s.pause()
		}
		_, err = f.WriteString(part)
		require.NoError(s.t, err)
	}
	s.done()
	require.NoError(s.t, f.Close())
}

func TestARewriteWithAPauseIsNoChange(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]string{
		"half": {"one two", " three four"}, "empty": {"", whole}, "twice": {"one", " two", " three four"},
	} {
		for _, pattern := range []string{"", "*"} {
			t.Run(name+pattern, func(t *testing.T) {
				t.Parallel()
				inTime(t, func(s *steps) func() {
					path := write(t, filepath.Join(t.TempDir(), "f"), whole)
					r := startSlowly(t, path+pattern)
					s.rewrite(path, parts...)
					time.Sleep(leftAlone * 3 / 2)
					calls := r.reported()
					write(t, path, whole+" five")
					r.expect(map[string]string{"": "f=" + whole + " five", "*": "f*="}[pattern])
					return func() { require.Empty(t, calls) }
				})
			})
		}
	}
}

func TestARewriteWithAPauseIsReportedWhole(t *testing.T) {
	t.Parallel()
	inTime(t, func(s *steps) func() {
		path := write(t, filepath.Join(t.TempDir(), "f"), whole)
		r := startSlowly(t, path)
		s.rewrite(path, "one", " two", " 3 four, and many more words than before")
		long := r.expect("f=one two 3 four, and many more words than before")
		s.rest()
		s.rewrite(path, "one", " 2")
		short := r.expect("f=one 2")
		s.rest()
		s.rewrite(path, "")
		empty := r.expect("f=")
		return func() {
			require.Len(t, long, 1)
			require.Equal(t, []string{"f=one 2"}, short, "what stays short is believed")
			require.Equal(t, []string{"f="}, empty, "so is what stays empty")
		}
	})
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
	inTime(t, func(s *steps) func() {
		path := write(t, filepath.Join(t.TempDir(), "f"), whole)
		r := startSlowly(t, path)
		s.rewrite(path, "half")
		s.pause()
		replace(t, path, "short")
		s.done()
		short := r.expect("f=short")
		s.rest()
		s.rewrite(path, whole)
		long := r.expect("f=" + whole)
		return func() {
			require.Equal(t, []string{"f=short"}, short)
			require.Equal(t, []string{"f=" + whole}, long)
		}
	})
}

func TestNoChangeIsReportedWhileAnotherFileIsWritten(t *testing.T) {
	t.Parallel()
	inTime(t, func(s *steps) func() {
		dir := t.TempDir()
		a, b := write(t, filepath.Join(dir, "a"), "1"), write(t, filepath.Join(dir, "b"), whole)
		r := startSlowly(t, a, b)
		s.rewrite(b, "half")
		replace(t, a, "2")
		s.pause()
		early := r.reported()
		s.rewrite(b, whole+" five")
		calls := r.expect("b=" + whole + " five")
		return func() {
			require.Empty(t, early)
			require.Equal(t, []string{"a=2", "b=" + whole + " five"}, calls)
		}
	})
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
