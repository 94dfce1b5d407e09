package underway

import (
	"context"
	"sync"

	"orchestrator/internal/ledger/store"
)

// Period is a time in which runs may go on: that of the process, or one in which it has a lease.
type Period struct {
	ended context.Context // ends all runs; a caller that hangs up ends none that is kept
	end   context.CancelFunc

	mu      sync.Mutex // orders Enter and Stop: no run enters once Stop waits
	running sync.WaitGroup
}

// NewPeriod begins a period that lasts until ctx ends, or End is called. Where ctx is under a lease, so is all
// that runs write.
func NewPeriod(ctx context.Context) *Period {
	p := &Period{}
	p.ended, p.end = context.WithCancel(ctx)
	return p
}

// Enter returns the context of a run, which ends with the period, and has ended already if the period has. One that is
// kept goes on although its caller hangs up. leave must be called when the run has ended.
func (p *Period) Enter(ctx context.Context, kept bool) (under context.Context, leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended.Err() != nil {
		return p.ended, func() {}
	}
	p.running.Add(1)
	if kept {
		ctx = context.WithoutCancel(ctx)
	}
	if lease, is := store.LeaseOf(p.ended); is {
		ctx = store.Under(ctx, lease)
	}
	under, cancel := context.WithCancel(ctx)
	still := context.AfterFunc(p.ended, cancel)
	return under, func() {
		still()
		cancel()
		p.running.Done()
	}
}

// Err returns why the period has ended, or nil.
func (p *Period) Err() error { return p.ended.Err() }

// End ends the runs without waiting for them.
func (p *Period) End() { p.end() }

// Stop ends the runs, and returns when none goes on.
func (p *Period) Stop() {
	p.mu.Lock()
	p.end()
	p.mu.Unlock()
	p.running.Wait()
}
