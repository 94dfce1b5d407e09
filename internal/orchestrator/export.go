package orchestrator

import (
	"context"
	"io"
	"sync"
	"time"

	"orchestrator/internal/audit"
	"orchestrator/internal/durable"
	"orchestrator/internal/rules/lifecycle"
)

// SchemaVersion is the version of the export's shape, schemas/project.schema.json.
const SchemaVersion = 1

// Pacing of the export: a large one costs disk time that commits need, so after one that took longer
// than freeOfRest the exporter rests restFactor times as long, at most maxRest.
const (
	freeOfRest = 20 * time.Millisecond
	restFactor = 4
	maxRest    = 5 * time.Second
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// exportHead is everything in the export that stands before the requirements.
type exportHead struct {
	SchemaVersion int           `json:"schema_version"`
	Project       exportProject `json:"project"`
	Workflow      string        `json:"workflow"`
	Revision      uint64        `json:"revision"`
	Log           exportLog     `json:"log"`
	Summary       exportSummary `json:"summary"`
}

type exportProject struct {
	Name    string       `json:"name"`
	Sources []SourceFile `json:"sources"`
}

type exportLog struct {
	Size uint64     `json:"size"`
	Root audit.Hash `json:"root"`
}

type exportSummary struct {
	Total    int                      `json:"total"`
	ByStatus map[lifecycle.Status]int `json:"by_status"`
	Done     int                      `json:"done"`
	Suspect  int                      `json:"suspect"`
	Retired  int                      `json:"retired"`
}

// writeTo writes the export: the head, then the stored bytes of every requirement, a line each. Nothing
// is encoded but the head.
func (s *snapshot) writeTo(w io.Writer) error {
	by := map[lifecycle.Status]int{}
	for status, n := range s.counts.byStatus {
		if n > 0 {
			by[status] = n
		}
	}
	head, err := encode(exportHead{
		SchemaVersion, exportProject{s.project.Name, append([]SourceFile{}, s.project.Sources...)}, s.project.Workflow,
		s.counts.revision, exportLog{s.head.Size, s.head.Root},
		exportSummary{len(s.position), by, by[lifecycle.Done], s.counts.suspect, s.counts.retired},
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(append(head[:len(head)-1], `,"requirements":[`...)); err != nil {
		return err
	}
	separator := []byte("\n")
	for e := range s.all() {
		if _, err := w.Write(separator); err != nil {
			return err
		}
		if _, err := w.Write(e.raw); err != nil {
			return err
		}
		separator = []byte(",\n")
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

// exporter writes the newest snapshot whenever there is a newer one; one write at a time.
type exporter struct {
	path   string
	newest func() *snapshot
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

func newExporter(path string, newest func() *snapshot) *exporter {
	return &exporter{path: path, newest: newest, wakeUp: make(chan struct{}, 1), advanced: make(chan struct{})}
}

func (x *exporter) wake() {
	select {
	case x.wakeUp <- struct{}{}:
	default: // it is awake already, and will look for the newest
	}
}

// run writes until ctx ends, and then once more. A failed write is tried again until it succeeds; only the
// last one's error is returned.
func (x *exporter) run(ctx context.Context) error {
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

func (x *exporter) awaitWork(ctx context.Context) {
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

func (x *exporter) writeNewest() (time.Duration, error) {
	snap := x.newest()
	if snap.head.Size == x.status().Size {
		return 0, nil
	}
	start := time.Now()
	err := durable.WriteFile(x.path, 0o644, snap.writeTo)
	took := time.Since(start)
	x.note(snap.head.Size, took, err)
	return took, err
}

func (x *exporter) note(size uint64, took time.Duration, err error) {
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

func (x *exporter) status() ExportState {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.state
}

// wait returns whether the log up to size is in the file before the time is over.
func (x *exporter) wait(ctx context.Context, size uint64, atMost time.Duration) bool {
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
