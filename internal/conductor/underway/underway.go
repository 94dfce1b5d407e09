// Package underway knows which runs this process goes on with, so that who asks for one of them can wait for its end.
package underway

import (
	"context"
	"sync"

	"orchestrator/internal/fault"
)

// Refusal refuses a request whose run has not ended.
func Refusal(run string) error {
	return fault.New(fault.Conflict, "run_under_way", "%s with this idempotency_key has not finished", run).
		WithFix("send the same request again later to get the trace of that run")
}

// Runs are the runs that are under way. The zero value has none. It is safe for concurrent use.
type Runs struct {
	mu  sync.Mutex
	all map[string]*held
}

// held is a run that somebody goes on with, or is about to.
type held struct {
	by   int
	done chan struct{}
}

// Begin marks a run as one that is gone on with, until end is called. Several may do so at once.
func (r *Runs) Begin(id string) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.all[id]
	if h == nil {
		h = &held{done: make(chan struct{})}
		if r.all == nil {
			r.all = map[string]*held{}
		}
		r.all[id] = h
	}
	h.by++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if h.by--; h.by == 0 {
			delete(r.all, id)
			close(h.done)
		}
	}
}

// Wait returns when nobody goes on with a run, at once if nobody does.
func (r *Runs) Wait(ctx context.Context, id string) error {
	r.mu.Lock()
	h := r.all[id]
	r.mu.Unlock()
	if h == nil {
		return nil
	}
	select {
	case <-h.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
