package watch

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/system/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	debounce = 20 * time.Millisecond
	never    = time.Hour // a rescan that cannot be what a test sees
)

// recorder runs Files and keeps what it reports: paths with the content they had at the call.
type recorder struct {
	t        *testing.T
	mu       sync.Mutex
	calls    []string
	failures []string
	unseen   []string // that Blind was told last
}

const mostBytes = 1 << 20

func opened(t *testing.T, paths ...string) (all []*tree.Path) {
	t.Helper()
	for _, path := range paths {
		p, err := tree.OpenPath(path)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		all = append(all, p)
	}
	return all
}

func look(t *testing.T, paths ...string) Seen {
	t.Helper()
	return Look(t.Context(), mostBytes, opened(t, paths...)...)
}

// start returns once the files are watched, which a file of its own tells by being reported.
func start(t *testing.T, seen Seen, rescan time.Duration, paths ...string) *recorder {
	t.Helper()
	return startEvery(t, timing{debounce, rescan}, seen, paths...)
}

func startEvery(t *testing.T, every timing, seen Seen, paths ...string) *recorder {
	t.Helper()
	r := &recorder{t: t}
	paths = append(paths, write(t, filepath.Join(t.TempDir(), "started"), ""))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- run(ctx, opened(t, paths...), seen, every, mostBytes, Told{Changed: r.changed, Failed: r.failed, Blind: r.blind})
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		at := slices.Index(r.calls, "started=")
		if at >= 0 {
			r.calls = slices.Delete(r.calls, at, at+1)
		}
		return at >= 0
	}, time.Minute, time.Millisecond)
	return r
}

func (r *recorder) changed(path string) {
	content := readable(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, filepath.Base(path)+"="+string(content))
}

func (r *recorder) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, err.Error())
}

func (r *recorder) blind(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unseen = paths
}

// expect waits until the last call is want and returns all calls up to it, which it forgets.
func (r *recorder) expect(want string) (calls []string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.calls) == 0 || r.calls[len(r.calls)-1] != want {
			return false
		}
		calls, r.calls = r.calls, nil
		return true
	}, time.Minute, time.Millisecond, "never reported %s", want)
	return calls
}

func (r *recorder) expectFailure(part string) {
	r.t.Helper()
	require.EventuallyWithT(r.t, func(c *assert.CollectT) {
		r.mu.Lock()
		defer r.mu.Unlock()
		require.Len(c, r.failures, 1)
		require.Contains(c, r.failures[0], part)
	}, time.Minute, time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = nil
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// replace does as editors do: a new file is renamed over the old one.
func replace(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.Rename(write(t, path+"~", content), path))
	return path
}

func link(t *testing.T, to, path string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, path+".new"))
	require.NoError(t, os.Rename(path+".new", path))
}

func TestChangesInPlaceAndByRename(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "1")
	r := start(t, look(t, path), never, path)
	for n := range 5 {
		write(t, path, fmt.Sprint("in place ", n))
		r.expect(fmt.Sprint("f=in place ", n))
		replace(t, path, fmt.Sprint("renamed ", n))
		r.expect(fmt.Sprint("f=renamed ", n))
	}
}

// z is changed last, and due last, so its report shows that a has been looked at before.
func TestOnlyOtherContentIsAChange(t *testing.T) {
	dir := t.TempDir()
	a, z := write(t, filepath.Join(dir, "a"), "same"), write(t, filepath.Join(dir, "z"), "1")
	r := start(t, look(t, a, z), never, a, z)
	replace(t, a, "same")
	inPlace, err := os.OpenFile(a, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = inPlace.WriteString("same")
	require.NoError(t, err)
	require.NoError(t, inPlace.Close())
	require.NoError(t, os.Chmod(a, 0o640))
	replace(t, z, "2")
	require.Equal(t, []string{"z=2"}, r.expect("z=2"))

	require.NoError(t, os.Remove(a))
	replace(t, z, "3")
	require.Equal(t, []string{"a=", "z=3"}, r.expect("z=3"), "a file that is gone is a change")
	replace(t, z, "3b")
	require.Equal(t, []string{"z=3b"}, r.expect("z=3b"), "once")

	replace(t, a, "same")
	replace(t, z, "4")
	require.Equal(t, []string{"a=same", "z=4"}, r.expect("z=4"), "so is one that is back, with the same content too")

	require.NoError(t, os.Remove(a))
	replace(t, z, "5")
	r.expect("z=5")
	replace(t, a, "other")
	require.Equal(t, []string{"a=other"}, r.expect("a=other"))
}

func TestChangeBeforeTheStartIsNoticed(t *testing.T) {
	dir := t.TempDir()
	known, stale := write(t, filepath.Join(dir, "a-known"), "1"), write(t, filepath.Join(dir, "stale"), "1")
	absent, unseen := filepath.Join(dir, "absent"), write(t, filepath.Join(dir, "unseen"), "1")
	seen := look(t, known, stale, absent)
	write(t, stale, "2")

	r := start(t, seen, never, known, stale, absent, unseen, unseen)
	require.Equal(t, []string{"stale=2", "unseen=1"}, r.expect("unseen=1"))
	replace(t, absent, "here")
	require.Equal(t, []string{"absent=here"}, r.expect("absent=here"))
	require.Len(t, seen, 2, "the caller's map is the caller's")
}

func TestLastOfManyChangesIsNeverLost(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "0")
	r := start(t, look(t, path), never, path)
	began := time.Now()
	for n := range 300 {
		replace(t, path, fmt.Sprint(n))
	}
	calls := len(r.expect("f=299"))
	looks := int(time.Since(began)/debounce) + 1 // one is not sooner than a debounce after the other
	require.LessOrEqual(t, calls, looks, "a burst is reported in few calls")
}

func TestKubernetesStyleSwap(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, filepath.Join(dir, "..1", "f"), "1")
	link(t, "..1", filepath.Join(dir, "..data"))
	link(t, "..data/f", path)
	r := start(t, look(t, path), never, path)
	for n := 2; n < 6; n++ {
		folder := fmt.Sprint("..", n)
		write(t, filepath.Join(dir, folder, "f"), fmt.Sprint(n))
		link(t, folder, filepath.Join(dir, "..data"))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, fmt.Sprint("..", n-1))))
		r.expect(fmt.Sprint("f=", n))
	}
}

func TestLinkedFileAndFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700)) // all of it is one working tree
	target := write(t, filepath.Join(dir, "elsewhere", "target"), "1")
	direct := filepath.Join(dir, "links", "direct")
	require.NoError(t, os.Mkdir(filepath.Dir(direct), 0o700))
	link(t, "../elsewhere/target", direct)
	for _, release := range []string{"1", "2"} {
		write(t, filepath.Join(dir, "releases", release, "f"), "release "+release)
	}
	current := filepath.Join(dir, "current")
	link(t, "releases/1", current)
	below := filepath.Join(current, "f")

	r := start(t, look(t, direct, below), never, direct, below)
	write(t, target, "2")
	r.expect("direct=2")
	link(t, "releases/2", current)
	r.expect("f=release 2")
	write(t, filepath.Join(dir, "releases", "2", "f"), "changed in place")
	r.expect("f=changed in place")
}

func TestUnreadableFileIsReportedOnceUntilItIsBack(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "1")
	r := start(t, look(t, path), debounce, path)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	r.expectFailure("not a regular file")
	require.NoError(t, os.Remove(path))
	replace(t, path, "2")
	r.expect("f=2")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	r.expectFailure("not a regular file")
}

func TestTheSameTroubleIsToldOnce(t *testing.T) {
	var told []string
	w := &watcher{told: Told{Failed: func(err error) { told = append(told, err.Error()) }}, troubles: map[string]trouble{}}
	for _, trouble := range []error{fs.ErrPermission, fs.ErrPermission, fs.ErrInvalid, nil, nil, fs.ErrInvalid} {
		w.note("f", "f", trouble)
	}
	w.note("g", "g", fs.ErrInvalid)
	require.Equal(t, []string{"permission denied", "invalid argument", "invalid argument", "invalid argument"}, told)
}

func TestFolderThatGoesAndComesBack(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "folder", "f"), "1")
	r := start(t, look(t, path), 3*debounce, path)
	require.NoError(t, os.RemoveAll(filepath.Dir(path)))
	r.expectFailure("watch folder " + filepath.Dir(path))
	write(t, path, "2")
	r.expect("f=2")
}

// The folder is replaced by one of the same name before anything has looked.
func TestReplacedFolderIsWatchedAgain(t *testing.T) {
	root := t.TempDir()
	path := write(t, filepath.Join(root, "folder", "f"), "1")
	write(t, filepath.Join(root, "next", "f"), "2")
	r := start(t, nil, never, path)
	r.expect("f=1")
	require.NoError(t, os.Rename(filepath.Dir(path), filepath.Join(root, "old")))
	require.NoError(t, os.Rename(filepath.Join(root, "next"), filepath.Dir(path)))
	r.expect("f=2")
	write(t, path, "3")
	r.expect("f=3")
}

func TestRelativePathIsGivenBackAsItWas(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "f", "1")
	r := start(t, look(t, "f"), never, "f")
	write(t, "f", "2")
	r.expect("f=2")
}

func TestFolderThatDoesNotExist(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "file"), "")
	for _, folder := range []string{filepath.Join(dir, "absent"), file} {
		err := Files(t.Context(), opened(t, filepath.Join(folder, "f")), nil, Options{}, Told{})
		require.ErrorContains(t, err, "folder "+folder)
	}
}

func TestEndedContext(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "1")
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := Files(ctx, opened(t, path, write(t, path+"2", "1")), nil, Options{MaxBytes: mostBytes}, Told{Changed: func(string) { calls++; cancel() }})
	require.NoError(t, err)
	require.Equal(t, 1, calls, "no call after the end")
}

func TestOneWatchForAFolderAndNoneForNeighbours(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &watcher{told: Told{Failed: func(err error) { t.Error(err) }}, troubles: map[string]trouble{}}
	w.events, err = fsnotify.NewWatcher()
	require.NoError(t, err)
	defer w.events.Close()
	for _, name := range []string{"a", "b"} {
		f, err := newFile(opened(t, filepath.Join(dir, name))[0], mostBytes, nil)
		require.NoError(t, err)
		w.files = append(w.files, f)
	}
	w.watchFolders(t.Context())
	require.Equal(t, []string{dir}, w.events.WatchList())
	w.touch(filepath.Join(dir, "neighbour"))
	require.Zero(t, w.nextDue())
	w.touch(filepath.Join(dir, "b"))
	require.True(t, w.files[0].due.IsZero())
	require.False(t, w.files[1].due.IsZero())
}

func TestSteadyWritingCannotPutOffTheLookForEver(t *testing.T) {
	begin := time.Now()
	f := &file{}
	f.postpone(begin, time.Second)
	require.Equal(t, begin.Add(time.Second), f.due)
	f.postpone(begin.Add(5*time.Second), time.Second)
	require.Equal(t, begin.Add(6*time.Second), f.due)
	f.postpone(begin.Add(9500*time.Millisecond), time.Second)
	require.Equal(t, begin.Add(patience*time.Second), f.due)
}

// A folder that goes between the first look and the start is a change, and is noticed when it comes back.
func TestAFolderThatWentBeforeTheStart(t *testing.T) {
	for _, name := range []string{"a.md", "*.md"} {
		dir := filepath.Join(t.TempDir(), "docs")
		write(t, filepath.Join(dir, "a.md"), "1")
		path := filepath.Join(dir, name)
		seen := look(t, path)
		require.NoError(t, os.Rename(dir, dir+".away"))
		r := start(t, seen, 50*time.Millisecond, path)
		r.expect(name + "=")
		require.NoError(t, os.Rename(dir+".away", dir))
		r.expect(name + "=" + map[string]string{"a.md": "1"}[name])
	}
}

// readable is the content of a small regular file; others are not opened.
func readable(path string) []byte {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeDir) != 0 || info.Size() > mostBytes {
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	content, _ := io.ReadAll(io.LimitReader(file, mostBytes))
	return content
}
