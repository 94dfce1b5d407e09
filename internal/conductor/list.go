package conductor

import (
	"context"
	"slices"

	"orchestrator/internal/conductor/listing"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// RunSummary is a run in a list.
type RunSummary = listing.Run

// List returns a page of runs, as listing.List does.
func (c *Conductor) List(ctx context.Context, before uint64, limit int,
	waitsFor *Caller) (page []RunSummary, next uint64, err error) {
	return listing.List(ctx, c.state, c.Clock(), before, limit, waitsFor, &c.settled)
}

// Summary returns the summary of a run.
func (c *Conductor) Summary(ctx context.Context, id string) (RunSummary, error) {
	return listing.Summary(ctx, c.state, c.Clock(), id)
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
