package projection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
)

// newestOf returns the newest snapshot of a log whose size changes.
func newestOf(t *testing.T, size func() uint64) func() *Snapshot {
	return func() *Snapshot {
		snap, err := New(Project{Name: "Demo"}, nil, audit.Head{Size: size()})
		require.NoError(t, err)
		return snap
	}
}

// counted counts the checkpoints that are signed.
func counted(signed *atomic.Uint64) func(*Snapshot) ([]byte, error) {
	return func(*Snapshot) ([]byte, error) {
		signed.Add(1)
		return []byte("signed"), nil
	}
}

func TestTheLastExportIsWrittenAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	snap, err := New(Project{Name: "Demo"}, nil, audit.Head{Size: 3})
	require.NoError(t, err)
	x := NewExporter(Exporting{Path: path, Newest: func() *Snapshot { return snap }})
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, x.Run(ended))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var now bytes.Buffer
	require.NoError(t, snap.Write(&now))
	require.Equal(t, now.String(), string(raw))

	below := NewExporter(Exporting{Path: filepath.Join(path, "below a file"),
		Newest: func() *Snapshot { return snap }})
	require.Error(t, below.Run(ended), "a last export that fails is said")
	require.EqualValues(t, 3, below.State().Failures, "so is one that could not be cleaned up after")
}

func TestRest(t *testing.T) {
	require.Equal(t, minRest, restAfter(0))
	require.Equal(t, 400*time.Millisecond, restAfter(100*time.Millisecond))
	require.Equal(t, maxRest, restAfter(time.Minute))
	require.Zero(t, restBetween(time.Millisecond, 1), "who makes one change after the other waits for no rest")
	require.Equal(t, 2*time.Millisecond, restBetween(time.Millisecond, 3))
	require.Equal(t, restFactor*time.Millisecond, restBetween(time.Millisecond, 1000))
	require.Equal(t, restFactor*time.Second, restBetween(time.Second, 1), "a slow export takes the time of others")
	require.Equal(t, maxRest, restBetween(time.Minute, 1))
}

// The rest between two exports that are waited for is that of restBetween.
func TestAnExportIsFollowedByARest(t *testing.T) {
	size := uint64(1)
	newest := newestOf(t, func() uint64 { return size })
	x := NewExporter(Exporting{Path: filepath.Join(t.TempDir(), "status.json"), Newest: newest})
	defer x.Close()
	require.NoError(t, x.writeNewest())
	for _, records := range []uint64{1, 2, 4, 1000} {
		size += records
		before := time.Now().Add(time.Hour) // so that no rest is saved
		x.rested = before
		require.NoError(t, x.writeNewest())
		took := x.State().Took
		require.Equal(t, took+restBetween(took, records), x.rested.Sub(before), "%d records", records)
	}
	size++
	x.rested = time.Time{}
	require.NoError(t, x.writeNewest())
	require.Greater(t, time.Since(x.rested), credit/2, "a rest that was saved is not to be waited for")
}

func TestWait(t *testing.T) {
	x := NewExporter(Exporting{})
	require.Equal(t, ExportNone, x.Wait(t.Context(), 9, time.Hour), "without an export nothing is waited for")
	require.True(t, x.State().Off)
	x = NewExporter(Exporting{Path: "somewhere"})
	require.Equal(t, ExportPending, x.Wait(t.Context(), 9, 0))
	require.Equal(t, ExportPending, x.Wait(t.Context(), 9, time.Millisecond))
	x.note(8, 0)
	done := make(chan Exported)
	go func() { done <- x.Wait(context.Background(), 9, time.Minute) }()
	x.note(9, 0)
	require.Equal(t, ExportWritten, <-done)
	ended, end := context.WithCancel(t.Context())
	end()
	require.Equal(t, ExportPending, x.Wait(ended, 10, time.Minute))
}

// Nobody waits for an export that takes longer than they may wait, or that cannot be written.
func TestNobodyWaitsInVain(t *testing.T) {
	for why, happened := range map[string]func(*Exporter){
		"it takes longer": func(x *Exporter) { x.note(8, 2*time.Minute) },
		"it is at rest": func(x *Exporter) {
			x.rested = time.Now().Add(2 * time.Minute)
			x.note(8, time.Millisecond)
		},
		"it failed": func(x *Exporter) { x.fail(errors.New("the disk is full"), false) },
	} {
		x := NewExporter(Exporting{Path: "somewhere"})
		happened(x)
		start := time.Now()
		require.Equal(t, ExportPending, x.Wait(t.Context(), 9, time.Minute), why)
		require.Less(t, time.Since(start), time.Minute, why)
		x.note(9, time.Second)
		require.Equal(t, ExportWritten, x.Wait(t.Context(), 9, time.Minute), why)
	}
}

// Who waits writes the export himself where one may begin at once, while the exporter runs.
func TestWhoWaitsWritesTheExport(t *testing.T) {
	var size atomic.Uint64
	size.Store(1)
	newest := newestOf(t, size.Load)
	x := NewExporter(Exporting{Path: filepath.Join(t.TempDir(), "status.json"), Newest: newest})
	pending := func(ctx context.Context, size uint64, atMost time.Duration, why string) {
		x.state.Took, x.state.Rested = 0, time.Time{} // however slow the last export was
		require.Equal(t, ExportPending, x.Wait(ctx, size, atMost), why)
		require.NotEmpty(t, x.hurry, why)
		<-x.hurry
	}
	pending(t.Context(), 1, time.Millisecond, "it does not run yet")
	x.begin()
	pending(t.Context(), 1, time.Millisecond, "nobody knows how long it takes")
	require.NoError(t, x.writeNewest())
	for n := uint64(2); n < 5; n++ {
		size.Store(n)
		x.rested = time.Time{}
		require.Equal(t, ExportWritten, x.Wait(t.Context(), n, time.Minute))
		require.Equal(t, n, x.State().Writes)
		require.Empty(t, x.hurry, "nobody is woken for it")
	}
	x.rested = time.Time{}
	far, err := New(Project{Name: "Demo", IDs: []string{"REQ-1"}}, map[string]*Entry{
		"REQ-1": NewEntry(lifecycle.Requirement{}, []byte("{}"), lifecycle.Workflow{})}, audit.Head{Size: 5})
	require.NoError(t, err)
	near := x.Newest
	x.Newest = func() *Snapshot { return far }
	pending(t.Context(), 5, time.Millisecond, "it has much that the last one had not")
	x.Newest = near
	size.Store(5)
	ended, end := context.WithCancel(t.Context())
	end()
	pending(ended, 5, time.Minute, "who has gone waits for nothing")
	x.rested = time.Now().Add(time.Minute)
	pending(t.Context(), 5, time.Millisecond, "it is at rest")
	x.rested = time.Time{}
	require.Equal(t, ExportPending, x.Wait(t.Context(), 6, time.Millisecond), "it cannot be there yet")
	size.Store(7)
	x.turn.Lock()
	pending(t.Context(), 7, time.Millisecond, "another export is under way")
	x.turn.Unlock()
	require.NoError(t, x.end())
	size.Store(8)
	pending(t.Context(), 8, time.Millisecond, "nobody writes after the last export")
}

// The checkpoint lies beside the export, is never ahead of it, and is of the same moment when the work is done; a
// failure to write it is counted, and made good.
func TestTheCheckpointFollowsTheExport(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "status.json")
	require.Equal(t, filepath.Join(dir, "status.checkpoint"), CheckpointPath(path))
	var size atomic.Uint64
	size.Store(1)
	newest := newestOf(t, size.Load)
	sign := func(s *Snapshot) ([]byte, error) { return fmt.Appendf(nil, "%d", s.Head.Size), nil }
	require.NoError(t, os.Mkdir(CheckpointPath(path), 0o755)) // in the way
	x := NewExporter(Exporting{Path: path, Newest: newest, Sign: sign})
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	require.Eventually(t, func() bool { return x.State().Failures > 0 }, time.Minute, time.Millisecond)
	require.Error(t, x.State().Err)
	require.Equal(t, ExportWritten, x.Wait(t.Context(), 1, time.Minute), "the export does not wait for it")
	require.NoError(t, os.Remove(CheckpointPath(path)))
	require.Eventually(t, func() bool { return x.State().Signed == 1 }, time.Minute, time.Millisecond)
	for n := uint64(2); n < 20; n++ {
		size.Store(n)
		x.Wake()
		require.Equal(t, ExportWritten, x.Wait(t.Context(), n, time.Minute))
		s := x.State()
		require.LessOrEqual(t, s.Signed, s.Size)
	}
	require.Eventually(t, func() bool { return x.State().Signed == 19 }, time.Minute, time.Millisecond, "put off, not left out")
	size.Store(20)
	end()
	require.NoError(t, <-done)
	raw, err := os.ReadFile(CheckpointPath(path))
	require.NoError(t, err)
	require.Equal(t, "20", string(raw))
}

// While there are ever newer exports that nobody waits for, the checkpoint is signed about once a second.
func TestTheCheckpointIsSignedSeldom(t *testing.T) {
	var size, signed atomic.Uint64
	size.Store(1)
	newest := newestOf(t, func() uint64 { return size.Add(1) })
	x := NewExporter(Exporting{Path: filepath.Join(t.TempDir(), "status.json"), Newest: newest, Sign: counted(&signed)})
	start := time.Now()
	for range 5 {
		require.NoError(t, x.round(t.Context()))
	}
	require.LessOrEqual(t, signed.Load(), 2+uint64(time.Since(start)/maxUnsigned))
	x.Close()
}

// It is signed no more often while each change waits for its export: a rest ends early for who waits, and who was
// served waits no more.
func TestTheCheckpointIsSignedSeldomWhereOthersWait(t *testing.T) {
	const clients, each = 8, 200
	var size, signed atomic.Uint64
	newest := newestOf(t, size.Load)
	x := NewExporter(Exporting{Path: filepath.Join(t.TempDir(), "status.json"), Newest: newest, Sign: counted(&signed)})
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	start := time.Now()
	var waiting sync.WaitGroup
	for range clients {
		waiting.Go(func() {
			for range each {
				n := size.Add(1)
				x.Wake()
				if got := x.Wait(ctx, n, time.Minute); got != ExportWritten {
					t.Errorf("the export of %d is %s", n, got)
				}
			}
		})
	}
	waiting.Wait()
	require.LessOrEqual(t, signed.Load(), 2+uint64(time.Since(start)/minRest), "a rest that nobody ended, or a second")
	end()
	require.NoError(t, <-done)
}
