package project

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
)

// boundaryEvery is how often the boundary's journal is looked at.
const boundaryEvery = time.Second

// served is the service on the requirements, with what it rests on.
type served struct {
	service    *requirements.Service
	repository *evidence.Repository // nil where evidence is only recorded
	signer     audit.Signer
}

// openService opens the repository of the evidence and the key of the log, and makes the service on the requirements.
func (p *Plan) openService(ctx context.Context, b *base, opened *closing) (*served, error) {
	repository, err := p.openRepository(ctx, b)
	if err != nil {
		return nil, err
	}
	options := requirements.Options{
		Workflow: p.workflow, ExportPath: p.Export, ExportWait: p.ExportWait, RequireIfMatch: p.RequireIfMatch,
		Reading: p.Reading, Evidence: projection.EvidenceRecorded, AcceptKey: p.AcceptNewKey, Lost: b.lost,
		AcceptRollback: p.AcceptRollback, OnFolding: b.logFolding, OnDisplaced: b.logDisplaced,
	}
	if repository != nil {
		opened.add(repository.Close)
		options.Evidence, options.Repository = projection.EvidenceVerified, repository
	}
	if options.Signer, err = p.openKey(ctx, b); err != nil {
		return nil, err
	}
	service, err := requirements.Open(ctx, b.ledger, time.Now, options)
	return &served{service, repository, options.Signer}, startNeedsRoom(err)
}

// logFolding logs that an actor repeats what is refused, as a client in a loop does.
func (b *base) logFolding(f requirements.Folding) {
	b.log.Warn().Str("actor", f.Actor.Name).Str("role", f.Actor.Role).Str("request", f.Request).
		Str("subject", f.Subject).Str("code", string(f.Code)).
		Msg("the same is refused again and again: for the rest of the minute it is counted, and recorded in sum")
}

// logDisplaced logs that somebody put something in the place of a file that the service writes.
func (b *base) logDisplaced(d projection.Displaced) {
	b.log.Warn().Str("file", d.Path).Str("was", d.What).Int("times", d.Times).
		Msg("something else stood in the place of this file: it is replaced, and what it led to is as it was")
}

// work is what works on the ledger besides the service.
type work struct {
	boundary  *control.Boundary
	conductor *conductor.Conductor
	driver    *drive.Driver
	cutOff    []state.Request // runs that had not ended when the service did
}

// openWork makes the conductor, what drives requirements with it, and the guard of the boundary.
func (p *Plan) openWork(ctx context.Context, around Process, b *base, s *served) (w *work, err error) {
	beside := folder.In(p.dir().Project())
	project := bridge.New(s.service, b.ledger,
		bridge.Options{Signer: s.signer, Prompts: p.prompts, Cited: citedFrom(s.repository)})
	w = &work{
		boundary: control.New(beside, b.ledger, time.Now, hook.NewID),
		conductor: conductor.New(b.ledger, conductor.Options{
			Tools: p.contracts, Box: tools.Box(), Project: project, Root: beside.Root, Clock: time.Now,
			Deterministic: p.Deterministic,
			Agents:        bridge.Admission{Tokens: b.credentials.tokens, URL: around.URL, Clock: time.Now},
		}),
	}
	w.driver = &drive.Driver{Project: project, Conductor: w.conductor, Draining: around.Draining}
	w.cutOff, err = w.conductor.Unfinished(ctx)
	return w, err
}

// followBoundary takes the boundary's journal into the ledger until ctx ends.
func (w *work) followBoundary(ctx context.Context, log zerolog.Logger) {
	w.boundary.Watch(ctx, boundaryEvery, func(err error) {
		log.Warn().Err(err).Msg("the boundary's journal could not be recorded; it is tried again")
	})
}

// resume goes on with the conductor's runs that were cut off when the service ended.
func (w *work) resume(ctx context.Context, postponed *postponed, log zerolog.Logger) {
	var all sync.WaitGroup
	for _, cut := range w.cutOff { // none waits for the tools of another
		all.Go(func() {
			trace, err := w.conductor.Resume(ctx, cut)
			for isFull(err) && postponed.awaitRoom(ctx) {
				trace, err = w.conductor.Resume(ctx, cut)
			}
			if err != nil {
				log.Error().Err(err).Str("run", cut.ID).Msg("a run of the conductor that was cut off cannot go on")
				return
			}
			log.Info().Str("run", cut.ID).Str("status", string(trace.Status)).
				Msg("a run of the conductor that was cut off went on to its end")
		})
	}
	all.Wait()
}
