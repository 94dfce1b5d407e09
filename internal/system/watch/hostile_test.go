package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/tree"
)

const (
	mostSwaps = 10_000
	huge      = 20 << 30 // of a sparse file
)

// attacker puts one thing after another in the place of a file.
type attacker struct {
	path, inside, outside string
	random                *rand.Rand
	sparse                int64
}

// swap replaces the file by something at random. What cannot be renamed over it takes its place a moment later.
func (a *attacker) swap(n int) (kind string, err error) {
	next := a.path + ".next"
	kinds := []string{"honest", "in place", "pipe", "link in", "link out", "link to a pipe", "dangling", "loop", "folder", "huge", "huge in place", "nothing"}
	kind = kinds[a.random.IntN(len(kinds))]
	switch kind {
	case "honest":
		err = os.WriteFile(next, fmt.Appendf(nil, "honest %d", n), 0o600)
	case "in place":
		if !regular(a.path) {
			return kind, nil
		}
		return kind, os.WriteFile(a.path, fmt.Appendf(nil, "honest %d", n), 0o600)
	case "huge in place":
		if !regular(a.path) {
			return kind, nil
		}
		return kind, os.Truncate(a.path, a.sparse)
	case "pipe":
		err = syscall.Mkfifo(next, 0o600)
	case "link in":
		err = os.Symlink(filepath.Base(a.inside), next)
	case "link out":
		err = os.Symlink(a.outside, next)
	case "link to a pipe":
		err = os.Symlink("../pipe", next)
	case "dangling":
		err = os.Symlink("nowhere", next)
	case "loop":
		err = os.Symlink(filepath.Base(a.path), next)
	case "folder":
		return kind, errors.Join(os.RemoveAll(a.path), os.Mkdir(a.path, 0o700))
	case "huge":
		err = errors.Join(os.WriteFile(next, nil, 0o600), os.Truncate(next, a.sparse))
	case "nothing":
		return kind, os.RemoveAll(a.path)
	}
	if err != nil {
		return kind, err
	}
	if info, wrong := os.Lstat(a.path); wrong == nil && info.IsDir() {
		err = os.Remove(a.path)
	}
	return kind, errors.Join(err, os.Rename(next, a.path))
}

func regular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// Somebody swaps files, pipes, links, folders and huge files under the watcher, and under a reader that never rests, ten
// thousand times. Neither hangs or follows a link out, and in the end the watcher reports the last honest content.
func TestSwapsUnderTheWatcher(t *testing.T) {
	const seed = 20261122
	t.Logf("seed %d", seed)
	base := t.TempDir()
	dir := filepath.Join(base, "docs")
	path := write(t, filepath.Join(dir, "f"), "honest start")
	a := &attacker{
		path: path, inside: write(t, filepath.Join(dir, "inside"), "honest inside"), outside: write(t, filepath.Join(base, "secret"), "secret"),
		random: rand.New(rand.NewPCG(seed, 1)), sparse: huge,
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(base, "pipe"), 0o600))
	pattern := filepath.Join(dir, "f*")
	r := startEvery(t, timing{time.Millisecond, 5 * time.Millisecond}, look(t, path, pattern), path, pattern)

	var reads, swapped atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() { readAlways(ctx, t, path, &reads) })
	kinds := map[string]int{}
	swaps := mostSwaps
	if testing.Short() {
		swaps /= 10
	}
	for n := 0; n < swaps || reads.Load() < int64(swaps/10); n++ {
		kind, err := a.swap(n)
		require.NoError(t, err, kind)
		kinds[kind]++
		swapped.Add(1)
	}
	stop()
	reader.Wait()
	t.Logf("%d swaps, %d reads at the same time: %v", swapped.Load(), reads.Load(), kinds)

	require.NoError(t, os.RemoveAll(path))
	replace(t, path, "the last honest content")
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, call := range r.calls {
			if call == "f=the last honest content" {
				return len(r.unseen) == 0
			}
		}
		return false
	}, time.Minute, time.Millisecond, "the watcher goes on")
}

// readAlways reads a file again and again. Whatever it reads was in the folder.
func readAlways(ctx context.Context, t *testing.T, path string, reads *atomic.Int64) {
	in := opened(t, path)[0]
	for ctx.Err() == nil {
		reads.Add(1)
		file, err := in.Open(ctx, path, mostBytes)
		if err != nil {
			continue
		}
		content, _ := io.ReadAll(file)
		_ = file.Close()
		if string(content) == "secret" || len(content) > mostBytes {
			t.Errorf("read %d bytes that are not in the folder: %.20q", len(content), content)
			return
		}
	}
}

// What cannot be read is told, and that it can be again. A huge file is refused unread: reading 20 GiB takes minutes.
func TestWhatIsNotWatchedIsTold(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "1")
	r := start(t, look(t, path), debounce, path)
	unseen := func(want ...string) {
		t.Helper()
		require.Eventually(t, func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return fmt.Sprint(r.unseen) == fmt.Sprint(want)
		}, time.Minute, time.Millisecond)
	}
	for n, plant := range []func() error{
		func() error { return os.Truncate(path, huge) },
		func() error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
		func() error { return errors.Join(os.Remove(path), os.Symlink("/etc/hostname", path)) },
		func() error { return errors.Join(os.Remove(path), os.Symlink("f", path)) },
		func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		require.NoError(t, plant())
		unseen(path)
		require.NoError(t, os.RemoveAll(path))
		replace(t, path, fmt.Sprint("honest ", n))
		r.expect(fmt.Sprint("f=honest ", n))
		unseen()
	}
}

// A file that looks as it did is not read without an event; one that was touched is.
func TestAFileThatLooksTheSameIsNotReadAgain(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "1")
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	f, err := newFile(opened(t, path)[0], mostBytes, look(t, path))
	require.NoError(t, err)
	before := f.last.sum
	require.NoError(t, os.WriteFile(path, []byte("2"), 0o600))
	require.NoError(t, os.Chtimes(path, old, old)) // as if nothing had happened
	now, err := f.read(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, now.sum)
	f.touched = true
	now, err = f.read(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, before, now.sum, "an event is believed more than a time")
	require.False(t, f.touched)

	tick := time.Now() // that two writes fall into, on a file system with a coarse clock
	require.NoError(t, os.Chtimes(path, tick, tick))
	f.last, err = f.read(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("3"), 0o600))
	require.NoError(t, os.Chtimes(path, tick, tick))
	now, err = f.read(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, f.last.sum, now.sum, "written just now")
}

// The files of a pattern are bounded together, and not each alone: hashing them takes time.
func TestTheFilesOfAPatternAreBoundedTogether(t *testing.T) {
	dir := t.TempDir()
	full := strings.Repeat("x", mostBytes)
	for n := range MostFull {
		write(t, filepath.Join(dir, fmt.Sprint("f", n)), full)
	}
	pattern := filepath.Join(dir, "f*")
	f, err := newFile(opened(t, pattern)[0], mostBytes, nil)
	require.NoError(t, err)
	now, err := f.read(t.Context())
	require.NoError(t, err)
	require.Len(t, now.parts, MostFull)
	write(t, filepath.Join(dir, "g"), "not of the pattern")
	write(t, filepath.Join(dir, "f9"), "1")
	_, err = f.read(t.Context())
	require.ErrorIs(t, err, tree.ErrTooLarge)
	require.ErrorContains(t, err, "together more than")
	require.Empty(t, Look(t.Context(), mostBytes, opened(t, pattern)...))
}
