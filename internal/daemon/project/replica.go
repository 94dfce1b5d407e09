package project

import (
	"context"
	"slices"

	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/operator/tokens"
)

// Run runs what has to happen while the project is open, until ctx ends, and requests, which lasts until those of the
// process have ended. Each may write to the log while it ends, so the last export is written when all of them have.
// What one replica does at a time is run while this one is on duty.
func (p *Project) Run(ctx context.Context, requests func(context.Context)) error {
	all := append(slices.Clone(p.loops), loop{"requests", endless(requests)})
	if p.data.duty == nil {
		return append(all, p.onDuty...).runBefore(ctx, loop{"export", p.Service.Run})
	}
	all = append(all, loop{"duty", func(ctx context.Context) error { return p.data.duty.Run(ctx, p.serveTerm) }})
	return all.runBefore(ctx, loop{"service", p.Service.Run})
}

// serveTerm does what the replica on duty does, until the duty ends.
//
// Implements: ORC-365
func (p *Project) serveTerm(ctx context.Context) error {
	if err := p.beginTerm(ctx); err != nil {
		if ctx.Err() == nil {
			p.data.log.Error().Err(err).Msg("what the replica on duty does could not begin; it is tried again")
		}
		return nil
	}
	return p.onDuty.runBefore(ctx, loop{"export", p.Service.Export})
}

// beginTerm goes on where the replica that had the duty before has ended.
func (p *Project) beginTerm(ctx context.Context) error {
	if err := tokens.InLedger(p.Ledger).EndMinted(ctx); err != nil {
		return err
	}
	return p.runs.begin(ctx)
}

// Duty returns what says whether this process is on duty; nil where no other has the store.
func (p *Project) Duty() *duty.Keeper { return p.data.duty }
