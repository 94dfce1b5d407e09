package projection

import (
	"context"
	"time"
)

// Exported says what became of the export that contains a change, as the header Export-Status does.
type Exported string

const (
	ExportWritten Exported = "written"
	ExportPending Exported = "pending"
	ExportNone    Exported = "none" // the service writes none
)

// Wait returns once the log up to size is in the file, or when the time is over. It waits for nothing that does not
// come in time, such as an export that takes longer than atMost, or one that failed.
func (x *Exporter) Wait(ctx context.Context, size uint64, atMost time.Duration) Exported {
	switch {
	case x.Path == "":
		return ExportNone
	case x.standsBy():
		return ExportPending
	}
	var timeout <-chan time.Time
	for {
		x.mu.Lock()
		state, advanced, failing := x.state, x.advanced, x.failing
		x.mu.Unlock()
		if state.Size >= size {
			return ExportWritten
		}
		if atMost <= 0 || failing {
			return ExportPending
		}
		if timeout == nil && max(time.Until(state.Rested), 0)+state.Took > atMost {
			return ExportPending
		}
		if ctx.Err() == nil && x.writeAtOnce() {
			continue
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

// writeAtOnce tries to write the export on this goroutine, and reports whether it tried. It writes nothing while an
// export may not begin yet or another is under way, nor where there is nothing newer, or so much that it may take longer
// than the last export. A write is not broken off: a disk that stalls keeps the caller waiting.
func (x *Exporter) writeAtOnce() bool {
	if x.Synced || !x.turn.TryLock() {
		return false
	}
	defer x.turn.Unlock()
	if !x.running || x.written == nil || time.Now().Before(x.rested) {
		return false
	}
	newest := x.Newest()
	if newest.Head.Size == x.written.Head.Size || !newest.isNear(x.written) {
		return false
	}
	_ = x.writeNewest() // the state says so
	return true
}

// mostOther is how many of a snapshot's chunks may be others in one that is near it.
const mostOther = 64

// isNear reports whether two snapshots share most of what they have, as one does with what few changes make of it.
func (s *Snapshot) isNear(other *Snapshot) bool {
	if len(s.chunks) != len(other.chunks) {
		return false
	}
	differ := 0
	for i, chunk := range s.chunks {
		if len(chunk) != len(other.chunks[i]) {
			return false
		}
		if len(chunk) > 0 && &chunk[0] != &other.chunks[i][0] {
			differ++
		}
	}
	return differ <= mostOther
}
