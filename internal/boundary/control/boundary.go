// Package control changes the boundary of a project: it sets it up, switches its mode, lifts it for a while, labels
// decisions, and takes the journal into the ledger.
package control

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/boundary"
)

// Guard is the boundary of a project beside a running service.
type Guard struct {
	Dir      folder.Dir
	recorder *Recorder
	newID    func() string
	clock    func() time.Time
	recorded atomic.Int64
	reading  sync.Mutex
}

// New makes the guard of a project. Its journal goes to the ledger.
func New(dir folder.Dir, l *ledger.Ledger, clock func() time.Time, newID func() string) *Guard {
	return &Guard{Dir: dir, recorder: NewRecorder(dir, l), clock: clock, newID: newID}
}

// Record puts into the ledger what the journal has beyond what is there.
func (g *Guard) Record(ctx context.Context) (lines int, err error) {
	lines, err = g.recorder.Record(ctx)
	g.recorded.Add(int64(lines))
	return lines, err
}

// Recorded returns how many lines went into the ledger since the start.
func (g *Guard) Recorded() int64 { return g.recorded.Load() }

// Tally counts what was recorded since the start.
func (g *Guard) Tally() Tally { return g.recorder.tally.read() }

// Mode returns the mode of the policy; "" where there is no boundary, or its policy cannot be read.
func (g *Guard) Mode() boundary.Mode {
	p, err := g.Dir.Policy()
	if err != nil {
		return ""
	}
	return p.Mode
}

// Report reports from a moment on.
func (g *Guard) Report(ctx context.Context, since time.Time) (report.Report, error) {
	_, h, err := g.read(ctx)
	if err != nil {
		return report.Report{}, err
	}
	return h.Report(since), nil
}

// Readiness measures the activation checklist.
func (g *Guard) Readiness(ctx context.Context) (boundary.Readiness, error) {
	p, h, err := g.read(ctx)
	if err != nil {
		return boundary.Readiness{}, err
	}
	return h.Readiness(&p, g.clock()), nil
}

// Decisions returns the decisions from the n-th on, oldest first, at most so many, and how many there are. Violations
// alone where that is asked for.
func (g *Guard) Decisions(ctx context.Context, from uint64, limit int,
	violations bool) (page []report.Violation, total int, err error) {
	_, h, err := g.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	page = []report.Violation{}
	for _, d := range h.Decisions {
		if violations && !d.Verdict.Violation() {
			continue
		}
		if uint64(total) >= from && len(page) < limit {
			page = append(page, report.ViolationOf(d))
		}
		total++
	}
	return page, total, nil
}

// ModeChange is a request to switch the mode.
type ModeChange struct {
	Mode     boundary.Mode `json:"mode"`
	Reason   string        `json:"reason"`
	Override string        `json:"override,omitempty"`
}

// SetMode switches the mode for an actor. When it returns nil, the switch is in the ledger.
func (g *Guard) SetMode(ctx context.Context, by string, c ModeChange) (from boundary.Mode, err error) {
	change := Change{By: by, Reason: c.Reason, At: g.clock(), ID: g.newID()}
	from, err = SetMode(g.Dir, c.Mode, c.Override, change, func() (*report.History, error) { return g.history(ctx) })
	if err != nil {
		return from, err
	}
	if _, err = g.Record(ctx); errors.Is(err, fault.InsufficientStorage) {
		err = fault.New(fault.Unavailable, "boundary_unwritable",
			"the mode is switched, but the disk has no room for the record of it").
			WithFix("make room: it is recorded as soon as there is some").Because(err)
	}
	return from, err
}

func (g *Guard) read(ctx context.Context) (boundary.Policy, *report.History, error) {
	p, err := Policy(g.Dir)
	if err != nil {
		return p, nil, err
	}
	h, err := g.history(ctx)
	return p, h, err
}

// history returns what the ledger has of the journal, which is brought up to date before: what was recorded counts,
// whatever became of the journal's files since. One is read at a time: it may be large.
func (g *Guard) history(ctx context.Context) (*report.History, error) {
	g.reading.Lock()
	defer g.reading.Unlock()
	// what is recorded can still be read
	if _, err := g.Record(ctx); err != nil && !errors.Is(err, fault.InsufficientStorage) {
		return nil, err
	}
	return report.ReadLines(func(visit func(folder.Line, error) error) error { return g.recorder.read(ctx, visit) })
}

// Watch records the journal every so often until ctx ends; what comes later is recorded at the next start. failed is
// told of an error, once until it is another.
func (g *Guard) Watch(ctx context.Context, every time.Duration, failed func(error)) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	said := ""
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		_, err := g.Record(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil || errors.Is(err, fs.ErrNotExist):
			said = ""
		case err.Error() != said:
			said = err.Error()
			failed(err)
		}
	}
}
