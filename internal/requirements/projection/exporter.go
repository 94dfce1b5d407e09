package projection

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"orchestrator/internal/system/tree"
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

// maxUnsigned is how long the checkpoint beside the export may stay behind it while changes wait for their exports.
const maxUnsigned = time.Second

// Exporter writes the newest snapshot whenever there is a newer one; one write at a time. When nobody waits, it writes
// the signed checkpoint of the same moment beside it.
type Exporter struct {
	path     string
	folder   *tree.Folder // that path lies in, from the time it can be opened; of Run alone
	newest   func() *Snapshot
	sign     func(*Snapshot) ([]byte, error) // nil writes no checkpoint
	onReport func(Displaced)                 // told of what others put in the place of a file; may be nil

	wakeUp chan struct{} // there is a newer snapshot; holds one
	hurry  chan struct{} // somebody waits for it; holds one

	written  *Snapshot // in the file; of Run alone, as is signedAt
	signedAt time.Time

	mu       sync.Mutex
	advanced chan struct{} // closed and replaced when the file is newer
	state    ExportState
}

// ExportState says how the export fares.
type ExportState struct {
	Off       bool   // no export is written, so nothing waits for one
	Pending   bool   // an export is to be written, and none was tried yet
	Size      uint64 // of the log in the file
	Signed    uint64 // of the log in the checkpoint
	Writes    uint64
	Failures  uint64
	Err       error // of the last attempt
	Took      time.Duration
	Displaced []Displaced // one for each file in whose place something else was found, in the order of their paths
}

// NewExporter writes what newest returns to path, and the checkpoint that sign makes of it to CheckpointPath; "" writes
// nothing. The folder is opened now and kept: one that is put in its place is not written to. onReport is told, from
// the goroutine of Run, of what stood in the place of a file; nil tells nobody.
func NewExporter(path string, newest func() *Snapshot, sign func(*Snapshot) ([]byte, error),
	onReport func(Displaced)) *Exporter {
	var folder *tree.Folder
	if path != "" {
		folder, _ = tree.OpenFolder(filepath.Dir(path)) // Run tries again, and reports
	}
	return &Exporter{
		path: path, folder: folder, newest: newest, sign: sign, onReport: onReport,
		wakeUp: make(chan struct{}, 1), hurry: make(chan struct{}, 1), advanced: make(chan struct{}),
		state: ExportState{Off: path == "", Pending: path != ""},
	}
}

// CheckpointPath returns where the checkpoint of an export lies: project_status.checkpoint beside project_status.json.
// Where there is no export, "", there is no checkpoint either.
func CheckpointPath(export string) string {
	if export == "" {
		return ""
	}
	return strings.TrimSuffix(export, filepath.Ext(export)) + ".checkpoint"
}

// Wake wakes the exporter: there is a newer snapshot.
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
	defer x.Close()
	x.removeStale()
	retry := firstRetry
	for ctx.Err() == nil {
		if err := x.round(ctx); err != nil {
			x.rest(ctx, retry, nil)
			retry = min(2*retry, lastRetry)
			continue
		}
		retry = firstRetry
		var due <-chan time.Time // for a checkpoint that was put off
		if x.unsigned() {
			due = time.After(minRest)
		}
		select {
		case <-x.wakeUp:
		case <-due:
		case <-ctx.Done():
		}
	}
	if _, err := x.writeNewest(); err != nil {
		return err
	}
	return x.writeCheckpoint()
}

// round writes the export, rests, and writes the checkpoint: before the rest where the last one is old, and after it
// unless somebody ended it.
func (x *Exporter) round(ctx context.Context) error {
	took, err := x.writeNewest()
	if err != nil {
		return err
	}
	if time.Since(x.signedAt) > maxUnsigned {
		if err := x.writeCheckpoint(); err != nil {
			return err
		}
	}
	if took > slowExport {
		x.rest(ctx, restAfter(took), nil)
	} else if took > 0 && x.rest(ctx, restAfter(took), x.hurry) {
		return nil // somebody waits for the next export
	}
	return x.writeCheckpoint()
}

func (x *Exporter) unsigned() bool {
	return x.sign != nil && x.written != nil && x.written.Head.Size != x.State().Signed
}

func (x *Exporter) writeCheckpoint() error {
	if !x.unsigned() {
		return nil
	}
	note, err := x.sign(x.written)
	if err == nil {
		err = x.replace(CheckpointPath(x.path), func(w io.Writer) error {
			_, err := w.Write(note)
			return err
		})
	}
	if err != nil {
		x.failed(err)
		return err
	}
	x.signedAt = time.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Signed = x.written.Head.Size
	return nil
}

func restAfter(took time.Duration) time.Duration {
	return min(max(restFactor*took, minRest), maxRest)
}

// rest ends after d, or when somebody is in a hurry, which it reports.
func (x *Exporter) rest(ctx context.Context, d time.Duration, hurry <-chan struct{}) (hurried bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hurry:
		return true
	case <-ctx.Done():
	}
	return false
}

func (x *Exporter) writeNewest() (time.Duration, error) {
	snap := x.newest()
	if snap.Head.Size == x.State().Size {
		return 0, nil
	}
	start := time.Now()
	err := x.replace(x.path, snap.Write)
	took := time.Since(start)
	if err != nil {
		x.failed(err)
		return took, err
	}
	x.written = snap
	x.note(snap.Head.Size, took)
	return took, nil
}

func (x *Exporter) failed(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Err, x.state.Pending = err, false
	x.state.Failures++
}

func (x *Exporter) note(size uint64, took time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Err, x.state.Pending = nil, false
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

// Exported says what became of the export that contains a change, as the header Export-Status does.
type Exported string

const (
	ExportWritten Exported = "written"
	ExportPending Exported = "pending"
	ExportNone    Exported = "none" // the service writes none
)

// Wait returns once the log up to size is in the file, or when the time is over.
func (x *Exporter) Wait(ctx context.Context, size uint64, atMost time.Duration) Exported {
	if x.path == "" {
		return ExportNone
	}
	var timeout <-chan time.Time
	for {
		x.mu.Lock()
		written, advanced := x.state.Size, x.advanced
		x.mu.Unlock()
		if written >= size {
			return ExportWritten
		}
		if atMost <= 0 {
			return ExportPending
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
			return ExportPending
		case <-ctx.Done():
			return ExportPending
		}
	}
}
