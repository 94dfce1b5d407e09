// Package clockjump notices when the wall clock is set while the process runs. Records are dated with what the clock
// said, and tokens expire by it, so an operator wants to know.
package clockjump

import (
	"fmt"
	"sync"
	"time"
)

const (
	// Least is the smallest jump that is reported. Smaller ones are corrections as time servers make them.
	Least = time.Hour

	remembered = 24 * time.Hour // how long a jump is reported
)

// Watch compares the wall clock with the time that has passed. The zero Watch has seen nothing yet. It may be used by
// many goroutines.
type Watch struct {
	mu     sync.Mutex
	wall   time.Time     // at the first look, or after the last jump
	uptime time.Duration // at the same moment

	jump   time.Duration // the last one; 0 is none
	at     time.Duration // the uptime when it was seen
	landed time.Time     // what the wall clock said then
}

// Look takes what the wall clock says now, and how long the process has run by a clock that nobody sets. It returns by
// how much the wall clock jumped, which is negative where it was set back; 0 is no jump.
func (w *Watch) Look(wall time.Time, uptime time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	wall = wall.Round(0) // without the monotonic reading, which would hide a jump
	jump := wall.Sub(w.wall) - (uptime - w.uptime)
	first := w.wall.IsZero()
	if !first && jump.Abs() < Least {
		return 0 // the reference stays, so that many small steps add up to a jump
	}
	w.wall, w.uptime = wall, uptime
	if first {
		return 0
	}
	w.jump, w.at, w.landed = jump, uptime, wall
	return jump
}

// Problem describes a jump of the last day, or is "".
func (w *Watch) Problem(uptime time.Duration) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.jump == 0 || uptime-w.at > remembered {
		return ""
	}
	direction := "forward"
	if w.jump < 0 {
		direction = "back"
	}
	return fmt.Sprintf("the clock jumped %s by %s, to %s, or the machine slept; records are dated and tokens expire by what it says",
		direction, w.jump.Abs().Round(time.Second), w.landed.UTC().Format(time.RFC3339))
}

// Ahead describes a log whose last record is dated in the future, or is "": the clock was wrong then, or is wrong now.
func Ahead(last, now time.Time) string {
	if ahead := last.Sub(now); ahead > Least {
		return fmt.Sprintf("the last record is dated %s, which is %s ahead of the clock",
			last.UTC().Format(time.RFC3339), ahead.Round(time.Second))
	}
	return ""
}
