// Package control changes the boundary of a project: it sets it up, switches its mode, lifts it for a while, labels
// decisions, and takes the journal into the ledger.
package control

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/boundary"
)

// Boundary is the boundary of a project beside a running service.
type Boundary struct {
	Dir      folder.Dir
	recorder *Recorder
	kept     *kept
	newID    func() string
	clock    func() time.Time
	recorded atomic.Int64
	reviews  reviews
}

// New returns the boundary of a project. Its journal goes to the ledger.
func New(dir folder.Dir, l *ledger.Ledger, clock func() time.Time, newID func() string) *Boundary {
	return &Boundary{Dir: dir, recorder: NewRecorder(dir, l), kept: newKept(l, dir.Root), clock: clock, newID: newID}
}

// Record puts into the ledger what the journal has beyond what is there.
func (b *Boundary) Record(ctx context.Context) (lines int, err error) {
	lines, err = b.recorder.Record(ctx)
	b.recorded.Add(int64(lines))
	return lines, err
}

// Recorded returns how many lines went into the ledger since the start.
func (b *Boundary) Recorded() int64 { return b.recorded.Load() }

// Tally counts what was recorded since the start.
func (b *Boundary) Tally() Tally { return b.recorder.tally.read() }

// Mode returns the mode of the policy; "" where there is no boundary, or its policy cannot be read.
func (b *Boundary) Mode() boundary.Mode {
	p, err := b.Dir.Policy()
	if err != nil {
		return ""
	}
	return p.Mode
}

// Report reports from a moment on.
func (b *Boundary) Report(ctx context.Context, since time.Time) (r report.Report, err error) {
	err = b.read(ctx, func(p *boundary.Policy, h *report.History) { r = h.ReportUnder(p, since, b.clock()) })
	return r, err
}

// Readiness measures the activation checklist.
func (b *Boundary) Readiness(ctx context.Context) (r report.Readiness, err error) {
	err = b.read(ctx, func(p *boundary.Policy, h *report.History) { r = h.Readiness(p, b.clock()) })
	return r, err
}

// Decisions returns the decisions from the n-th on, oldest first, at most so many, and how many there are. Violations
// alone where that is asked for.
func (b *Boundary) Decisions(ctx context.Context, from uint64, limit int,
	violations bool) (page []report.Violation, total int, err error) {
	page = []report.Violation{}
	err = b.read(ctx, func(_ *boundary.Policy, h *report.History) {
		for i := range h.Decisions {
			d := &h.Decisions[i]
			if violations && !d.Verdict.Violation() {
				continue
			}
			if uint64(total) >= from && len(page) < limit {
				page = append(page, report.ViolationOf(d))
			}
			total++
		}
	})
	return page, total, err
}

// ModeChange is a request to switch the mode.
type ModeChange struct {
	Mode     boundary.Mode `json:"mode"`
	Reason   string        `json:"reason"`
	Override string        `json:"override,omitempty"`
}

// SetMode switches the mode for an actor, with all that follows it. When it returns nil, the switch is in the ledger.
func (b *Boundary) SetMode(ctx context.Context, by string, c ModeChange) (done ModeSwitched, err error) {
	done, err = Switch{
		To: c.Mode, Override: c.Override, NewID: b.newID,
		Change: Change{By: by, Reason: c.Reason, At: b.clock(), ID: b.newID()},
		History: func() (h *report.History, err error) {
			err = b.history(ctx, func(now *report.History) { h = now.Copy() })
			return h, err
		},
	}.Make(b.Dir)
	if err != nil {
		return done, err
	}
	return done, b.recordNow(ctx, "the mode is switched")
}

// recordNow records what a person did, which is in the journal already.
func (b *Boundary) recordNow(ctx context.Context, done string) error {
	_, err := b.Record(ctx)
	if errors.Is(err, fault.InsufficientStorage) {
		err = fault.New(fault.Unavailable, "boundary_unwritable",
			"%s, but the disk has no room for the record of it", done).
			WithFix("make room: it is recorded as soon as there is some").Because(err)
	}
	return err
}

// Attesting is a request to vouch for an item, or to take that back.
type Attesting struct {
	Item   string `json:"item"`
	Note   string `json:"note"`
	Revoke bool   `json:"revoke,omitzero"`
}

// Attest notes that an actor vouches for an item. When it returns nil, that is in the ledger.
func (b *Boundary) Attest(ctx context.Context, by string, a Attesting) (boundary.Attestation, error) {
	said, err := Attest(b.Dir, a.Item, a.Revoke, Change{By: by, Reason: a.Note, At: b.clock(), ID: b.newID()})
	if err != nil {
		return said, err
	}
	return said, b.recordNow(ctx, "it is attested")
}

// read calls use with the policy and the history of now.
func (b *Boundary) read(ctx context.Context, use func(*boundary.Policy, *report.History)) error {
	p, err := Policy(b.Dir)
	if err != nil {
		return err
	}
	said := b.Tally().Said
	return b.history(ctx, func(h *report.History) {
		now := b.clock()
		b.reviews.set(h.Reviews(p.Thresholds, now), now, said)
		use(&p, h)
	})
}

// history calls use with what the ledger has of the journal, which is brought up to date before: what was recorded
// counts, whatever became of the journal's files since.
func (b *Boundary) history(ctx context.Context, use func(*report.History)) error {
	// what is recorded can still be read
	if _, err := b.Record(ctx); err != nil && !errors.Is(err, fault.InsufficientStorage) {
		return err
	}
	return b.kept.ask(ctx, use)
}

// Watch records the journal every so often until ctx ends, and keeps the reviews up to date that the metrics show; what
// comes later is recorded at the next start. failed is told of an error, once until it is another.
func (b *Boundary) Watch(ctx context.Context, every time.Duration, failed func(error)) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	said := ""
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		_, err := b.Record(ctx)
		if err == nil {
			err = b.refreshReviews(ctx)
		}
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
