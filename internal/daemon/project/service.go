package project

import (
	"context"
	"crypto/rand"
	"time"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/origin"
	"orchestrator/internal/requirements/projection"
)

// openService opens the service on the requirements.
func (p *Plan) openService(ctx context.Context, d *dataFolder, repository *evidence.Repository,
	signer audit.Signer) (*requirements.Service, error) {
	options := requirements.Options{
		Workflow: p.workflow, ExportPath: p.Export, ExportSpares: p.Data, ExportWait: p.ExportWait,
		ExportSync:     p.ExportSync,
		RequireIfMatch: p.RequireIfMatch, Reading: p.Reading, Evidence: projection.EvidenceRecorded, Signer: signer, AcceptKey: p.AcceptNewKey,
		Origins: origin.Of, Lost: d.lost, AcceptRollback: p.AcceptRollback, OnFolding: d.logFolding,
		OnDisplaced: d.logDisplaced,
		Cited:       citedFrom(repository),
	}
	if p.Store.IsShared() {
		options.Replica, options.OnCommits = rand.Text(), d.credentials.Follow
		options.OnDuty = d.duty.OnDuty
	}
	if repository != nil {
		options.Evidence, options.Repository, options.Branch = projection.EvidenceVerified, repository, p.Branch
	}
	service, err := requirements.Open(ctx, d.ledger, time.Now, options)
	if err == nil && repository != nil {
		d.logBranch(service.State())
	}
	return service, startNeedsRoom(err)
}

// logBranch logs which branch evidence is held against, or why that is not known.
func (d *dataFolder) logBranch(state requirements.State) {
	if state.Unknown != "" {
		d.log.Warn().Str("branch", state.Branch).Str("cause", state.Unknown).
			Msg("evidence is unknown, and nothing becomes done")
		return
	}
	d.log.Info().Str("branch", state.Branch).Msg("evidence counts when this branch has it")
}

// logFolding logs that an actor repeats what is refused, as a client in a loop does.
func (d *dataFolder) logFolding(f requirements.Folding) {
	d.log.Warn().Str("actor", f.Actor.Name).Str("role", f.Actor.Role).Str("request", f.Request).
		Str("subject", f.Subject).Str("code", string(f.Code)).
		Msg("the same is refused again and again: for the rest of the minute it is counted, and recorded as one sum")
}

// logDisplaced logs that somebody put something in the place of a file that the service writes.
func (d *dataFolder) logDisplaced(what projection.Displaced) {
	d.log.Warn().Str("file", what.Path).Str("was", what.What).Int("times", what.Times).
		Msg("something else stood in the place of this file: it is replaced, and what it led to is as it was")
}
