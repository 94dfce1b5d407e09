// Package listing lists the runs of the conductor.
package listing

import (
	"context"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

// Run is a run in a list.
type Run struct {
	ID          string       `json:"id"`
	Number      uint64       `json:"number"`
	Caller      audit.Actor  `json:"caller"`
	Ended       bool         `json:"ended"`
	Obligations []Obligation `json:"obligations"`
}

// Obligation is an obligation of a run, with its status.
type Obligation struct {
	ID         string              `json:"id"`
	Status     planning.Status     `json:"status"`
	Obligation planning.Obligation `json:"obligation"`
	Why        string              `json:"why,omitempty"`
}

// maxListBytes ends a page of runs early, whatever limit was asked for, since obligations may be large.
const maxListBytes = 4 << 20

// List returns a page of runs, newest first: those before a number (0 means all), at most limit, fewer if they are
// large. next is where the next page starts.
func List(ctx context.Context, from *state.Store, before uint64, limit int) (page []Run, next uint64, err error) {
	err = from.View(ctx, func(v state.View) error {
		n, err := v.Count()
		if err != nil {
			return err
		}
		if before > 0 {
			n = min(n, before-1)
		}
		page, next = []Run{}, 0
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
func Summary(ctx context.Context, from *state.Store, id string) (one Run, err error) {
	err = from.View(ctx, func(v state.View) error {
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

func listed(v state.View, r state.Request) (Run, error) {
	one := Run{ID: r.ID, Number: r.Number, Caller: r.Caller, Ended: r.Ended, Obligations: []Obligation{}}
	of, err := v.Obligations(r.ID)
	for _, o := range of {
		one.Obligations = append(one.Obligations, Obligation{o.ID, o.Status, o.Of, o.Why})
	}
	return one, err
}
