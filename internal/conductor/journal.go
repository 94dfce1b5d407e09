package conductor

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/underway"
)

// journal collects what a run has to write, and writes it step by step: each step is one record.
type journal struct {
	store        *state.Store
	request      state.Request
	ephemeral    bool                          // leaves nothing behind
	pending      []func(w *state.Writer) error // what the next step writes
	factsPending bool                          // pending has assertions, which tools may query
	left         func() time.Duration          // for a read
}

// enqueue adds a write to the next step, unless the run is ephemeral: what changes nothing outside of the conductor's
// state need not be on record before it happens.
func (j *journal) enqueue(write func(w *state.Writer) error) {
	if !j.ephemeral {
		j.pending = append(j.pending, write)
	}
}

// flush writes what is pending, as one record.
func (j *journal) flush(ctx context.Context, step string) error {
	if len(j.pending) == 0 {
		return nil
	}
	err := j.store.Step(ctx, j.request.ID, step, j.request.Caller, func(w *state.Writer) error {
		for _, write := range j.pending {
			if err := write(w); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
		j.pending, j.factsPending = nil, false
	case errors.Is(err, state.ErrKeyTaken): // by a request that was sent at the same time
		return underway.Refusal("another run")
	}
	return err
}

// view reads what is known as the caller sees it, including what this run has asserted. Its error is budget.TimeIsUp if
// that takes longer than what is left of the time.
func (j *journal) view(ctx context.Context, read func(v state.View) error) error {
	if j.factsPending {
		if err := j.flush(ctx, "known"); err != nil {
			return err
		}
	}
	bounded, stop := context.WithTimeout(ctx, j.left())
	defer stop()
	err := j.store.View(bounded, func(v state.View) error { return read(v.For(j.request.Caller.Name)) })
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return budget.TimeIsUp
	}
	return err
}
