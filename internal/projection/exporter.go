package projection

import (
	"context"
	"sync"
	"time"

	"orchestrator/internal/durable"
)

// Pacing of the export: a large one costs disk time that commits need, so after one that took longer
// than freeOfRest the exporter rests restFactor times as long, at most maxRest.
const (
	freeOfRest = 20 * time.Millisecond
	restFactor = 4
	maxRest    = 5 * time.Second
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Exporter writes the newest snapshot whenever there is a newer one; one write at a time.
type Exporter struct {
	path   string
	newest func() *Snapshot
	wakeUp chan struct{} // holds one

	mu       sync.Mutex
	advanced chan struct{} // closed and replaced when the file is newer
	state    ExportState
}

// ExportState says how the export fares.
type ExportState struct {
	Size     uint64 // of the log in the file
	Writes   uint64
	Failures uint64
	Err      error // of the last attempt
	Took     time.Duration
}

// NewExporter writes what newest returns to path; "" writes nothing.
func NewExporter(path string, newest func() *Snapshot) *Exporter {
	return &Exporter{path: path, newest: newest, wakeUp: make(chan struct{}, 1), advanced: make(chan struct{})}
}

// Wake says that there is a newer snapshot.
func (x *Exporter) Wake() {
	select {
	case x.wakeUp <- struct{}{}:
	default: // it is awake already, and will look for the newest
	}
}

// Run writes until ctx ends, and then once more. A failed write is tried again until it succeeds; only the
// last one's error is returned.
func (x *Exporter) Run(ctx context.Context) error {
	if x.path == "" {
		<-ctx.Done()
		return nil
	}
	if err := durable.RemoveStale(x.path); err != nil {
		x.note(0, 0, err)
	}
	retry := firstRetry
	for ctx.Err() == nil {
		took, err := x.writeNewest()
		pause, again := restAfter(took), false
		if err != nil {
			pause, again = retry, true
			retry = min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		sleep(ctx, pause)
		if !again {
			x.awaitWork(ctx)
		}
	}
	_, err := x.writeNewest()
	return err
}

func (x *Exporter) awaitWork(ctx context.Context) {
	select {
	case <-x.wakeUp:
	case <-ctx.Done():
	}
}

func restAfter(took time.Duration) time.Duration {
	if took <= freeOfRest {
		return 0
	}
	return min(restFactor*took, maxRest)
}

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (x *Exporter) writeNewest() (time.Duration, error) {
	snap := x.newest()
	if snap.Head.Size == x.State().Size {
		return 0, nil
	}
	start := time.Now()
	err := durable.WriteFile(x.path, 0o644, snap.Write)
	took := time.Since(start)
	x.note(snap.Head.Size, took, err)
	return took, err
}

func (x *Exporter) note(size uint64, took time.Duration, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Err = err
	if err != nil {
		x.state.Failures++
		return
	}
	x.state.Writes++
	x.state.Size, x.state.Took = size, took
	close(x.advanced)
	x.advanced = make(chan struct{})
}

// State reads how the export fares.
func (x *Exporter) State() ExportState {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.state
}

// Wait returns whether the log up to size is in the file before the time is over.
func (x *Exporter) Wait(ctx context.Context, size uint64, atMost time.Duration) bool {
	if x.path == "" {
		return true
	}
	var timeout <-chan time.Time
	for {
		x.mu.Lock()
		written, advanced := x.state.Size, x.advanced
		x.mu.Unlock()
		if written >= size {
			return true
		}
		if atMost <= 0 {
			return false
		}
		if timeout == nil {
			t := time.NewTimer(atMost)
			defer t.Stop()
			timeout = t.C
		}
		select {
		case <-advanced:
		case <-timeout:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
