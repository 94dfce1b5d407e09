package projection

import (
	"context"
	"sync"
	"time"

	"orchestrator/internal/durable"
)

// Pacing of the export: it costs disk time that commits need, so after each one the exporter rests
// restFactor times as long as it took, within minRest and maxRest. A change that waits for its export ends
// the rest, unless the export is so slow that waiting is in vain.
const (
	restFactor = 4
	minRest    = 100 * time.Millisecond
	maxRest    = 5 * time.Second
	slowExport = 20 * time.Millisecond
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Exporter writes the newest snapshot whenever there is a newer one; one write at a time.
type Exporter struct {
	path   string
	newest func() *Snapshot
	wakeUp chan struct{} // there is a newer snapshot; holds one
	hurry  chan struct{} // somebody waits for it; holds one

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
	return &Exporter{path: path, newest: newest, wakeUp: make(chan struct{}, 1), hurry: make(chan struct{}, 1), advanced: make(chan struct{})}
}

// Wake says that there is a newer snapshot.
func (x *Exporter) Wake() { signal(x.wakeUp) }

// signal leaves a token in a channel that holds one; a second would say nothing new.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
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
		if err != nil {
			x.rest(ctx, retry, nil)
			retry = min(2*retry, lastRetry)
			continue
		}
		retry = firstRetry
		if took > slowExport {
			x.rest(ctx, restAfter(took), nil)
		} else if took > 0 {
			x.rest(ctx, restAfter(took), x.hurry)
		}
		select {
		case <-x.wakeUp:
		case <-ctx.Done():
		}
	}
	_, err := x.writeNewest()
	return err
}

func restAfter(took time.Duration) time.Duration {
	return min(max(restFactor*took, minRest), maxRest)
}

// rest ends after d, or when somebody is in a hurry.
func (x *Exporter) rest(ctx context.Context, d time.Duration, hurry <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hurry:
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
		signal(x.hurry)
		select {
		case <-advanced:
		case <-timeout:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
