package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// writers are clients that send changes until they are told to stop.
type writers struct {
	mu       sync.Mutex
	answered map[string]bool // the texts of changes that were answered with 200
	stop     chan struct{}
	wg       sync.WaitGroup
	failed   []error
}

func startWriters(p *process, n int) *writers {
	w := &writers{answered: map[string]bool{}, stop: make(chan struct{})}
	for client := range n {
		w.wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-w.stop:
					return
				default:
				}
				text := fmt.Sprintf("client %d, note %d", client, i)
				got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: note(text)})
				if err == nil && got.status != http.StatusOK {
					err = errors.New(got.String())
				}
				w.mu.Lock()
				if err == nil {
					w.answered[text] = true
				} else {
					w.failed = append(w.failed, err)
				}
				w.mu.Unlock()
			}
		})
	}
	return w
}

// now are the changes that were answered so far.
func (w *writers) now() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.answered)
}

func (w *writers) end(t *testing.T) {
	t.Helper()
	close(w.stop)
	w.wg.Wait()
	require.Empty(t, w.failed, "a backup disturbs nobody")
}

// sizeOfLog is what the service says how many records its log has.
func sizeOfLog(t *testing.T, p *process) uint64 {
	t.Helper()
	got, err := p.call(request{role: "viewer", method: "GET", path: "/audit?limit=1"})
	require.NoError(t, err)
	var page struct{ Size uint64 }
	require.NoError(t, json.Unmarshal([]byte(got.body), &page))
	return page.Size
}

// A backup that is taken while others write is the log of a moment between its beginning and its end: all that was
// answered before it began is in it, and it can be verified and restored.
//
// Verifies: ORC-104
func TestBackupUnderLoadHasAllThatWasAnsweredBefore(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir, "--rate-limit", "0", "--export-wait", "0")
	w := startWriters(p, 6)
	require.NoError(t, poll(func() error {
		if len(w.now()) < 400 {
			return errors.New("the writers were not answered")
		}
		return nil
	}))
	type taken struct {
		file        string
		before      map[string]bool
		from, until uint64
		records     uint64
	}
	var all []taken
	for n := range 3 {
		b := taken{file: fmt.Sprintf("%d.zip", n), before: w.now(), from: sizeOfLog(t, p)}
		out, code := orchestrate(t, dir, "backup", "-o", b.file, "--json")
		require.Zero(t, code, out)
		b.until = sizeOfLog(t, p)
		var report struct{ Records uint64 }
		require.NoError(t, json.Unmarshal([]byte(out), &report))
		b.records = report.Records
		all = append(all, b)
	}
	w.end(t)
	require.NoError(t, p.stop(0))
	require.Greater(t, all[2].until, all[0].from, "others wrote meanwhile")
	for _, b := range all {
		require.GreaterOrEqual(t, b.records, b.from)
		require.LessOrEqual(t, b.records, b.until)
		out, code := orchestrate(t, dir, "audit", "verify", b.file, "--against", "project_status.checkpoint")
		require.Equal(t, 1, code, "the checkpoint is of later: %s", out)
		require.Contains(t, out, "its end was cut off, or this is an older copy")
		restoredHas(t, dir, b.file, b.before)
	}
}

// restoredHas restores a backup into a folder of its own, and demands that a service there has the changes.
func restoredHas(t *testing.T, dir, file string, answered map[string]bool) {
	t.Helper()
	to := newProject(t)
	out, code := orchestrate(t, to, "restore", filepath.Join(dir, file))
	require.Zero(t, code, out)
	require.NoError(t, os.CopyFS(filepath.Join(to, ".orchestrator", "tokens"), os.DirFS(filepath.Join(dir, ".orchestrator", "tokens"))))
	p := startServer(t, to)
	there := notes(t, p, "REQ-001")
	for text := range answered {
		require.True(t, there[text], "%s was answered with 200 before the backup began", text)
	}
	require.NoError(t, p.stop(0))
	requireInOrder(t, to)
}

// A token may make few requests a second; a backup of many pieces waits, and comes to its end.
func TestBackupWaitsForTheRateLimit(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir, "--rate-limit", "20", "--rate-burst", "3")
	out, code := orchestrate(t, dir, "backup", "-o", "log.zip")
	require.Zero(t, code, out)
	got, err := p.call(request{role: "-", method: "GET", path: "/metrics"})
	require.NoError(t, err)
	require.Contains(t, got.body, `code="rate_limited"`)
	require.NoError(t, p.stop(0))
}
