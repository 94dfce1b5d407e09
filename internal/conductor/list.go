package conductor

import (
	"context"
	"slices"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// RunSummary is a run in a list.
type RunSummary struct {
	ID          string              `json:"id"`
	Number      uint64              `json:"number"`
	Caller      Caller              `json:"caller"`
	Ended       bool                `json:"ended"`
	Obligations []ObligationSummary `json:"obligations"`
}

// ObligationSummary is an obligation of a run, with its status.
type ObligationSummary struct {
	ID         string              `json:"id"`
	Status     planning.Status     `json:"status"`
	Obligation planning.Obligation `json:"obligation"`
	Why        string              `json:"why,omitempty"`
}

// maxListBytes ends a page of runs early, whatever limit was asked for, since obligations may be large.
const maxListBytes = 4 << 20

// List returns a page of runs, newest first: those before a number (0 means all), at most limit, fewer if they are
// large. next is where the next page starts.
func (c *Conductor) List(ctx context.Context, before uint64, limit int) (page []RunSummary, next uint64, err error) {
	err = c.state.View(ctx, func(v state.View) error {
		n, err := v.Count()
		if err != nil {
			return err
		}
		if before > 0 {
			n = min(n, before-1)
		}
		page, next = []RunSummary{}, 0
		for size := 0; n > 0; n-- {
			if len(page) == limit || size >= maxListBytes {
				next = n + 1
				break
			}
			r, found, err := v.Numbered(n)
			if err != nil {
				return err
			}
			if !found {
				continue // it was numbered, and never began
			}
			one, err := listed(v, r)
			if err != nil {
				return err
			}
			raw, err := ledger.Encode(one)
			if err != nil {
				return err
			}
			page, size = append(page, one), size+len(raw)
		}
		return nil
	})
	return page, next, err
}

// Summary returns the summary of a run.
func (c *Conductor) Summary(ctx context.Context, id string) (one RunSummary, err error) {
	err = c.state.View(ctx, func(v state.View) error {
		r, found, err := v.Request(id)
		if err != nil {
			return err
		}
		if !found {
			return fault.New(fault.NotFound, "unknown_run", "there is no run %q", fault.Clip(id, 64)).
				WithFix("GET /obligations lists the runs; a viewer's run is not kept")
		}
		one, err = listed(v, r)
		return err
	})
	return one, err
}

func listed(v state.View, r state.Request) (RunSummary, error) {
	one := RunSummary{ID: r.ID, Number: r.Number, Caller: r.Caller, Ended: r.Ended, Obligations: []ObligationSummary{}}
	of, err := v.Obligations(r.ID)
	for _, o := range of {
		one.Obligations = append(one.Obligations, ObligationSummary{o.ID, o.Status, o.Of, o.Why})
	}
	return one, err
}

// ActiveRun returns a run that has begun to change a requirement and has not ended; "" if there is none.
func (c *Conductor) ActiveRun(ctx context.Context, id string) (run string, err error) {
	open, err := c.Unfinished(ctx)
	for _, r := range open {
		if slices.ContainsFunc(flow.All(r.Request.Obligations),
			func(o planning.Obligation) bool { return changesRequirement(o) && o.Payload["id"] == id }) {
			return r.ID, err
		}
	}
	return "", err
}
