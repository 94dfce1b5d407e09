// Package project opens one project, so that a process can serve it: the database, held against what lies beside it,
// the tokens, the repository of the evidence, the key of the log, the service, the conductor, and the first import, in
// this order. Each step hands on what the next needs, and everything is closed in reverse. Whatever is doubtful refuses
// the start, and says what to do.
//
// What has to happen again and again while the project is open is a list of loops, which Run runs.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/datadir"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/token"
)

// Process is what the process around a project hands in.
type Process struct {
	Log      zerolog.Logger
	URL      string      // where agents reach the service
	Draining func() bool // reports whether the process is about to end
}

// Project is one open project.
type Project struct {
	Data       datadir.Dir
	Service    *requirements.Service
	Boundary   *control.Boundary
	Conductor  *conductor.Conductor
	Driver     *drive.Driver
	Model      *language.LLM // nil where the environment names none
	Tokens     *token.Authenticator
	MadeTokens []string // the roles that got one at this start

	base     *base
	clock    *clock
	importer *importer
	loops    loops
	opened   closing
}

// Open opens the project, and imports its documents.
func (p *Plan) Open(ctx context.Context, around Process) (*Project, error) {
	var opened closing
	project, err := p.open(ctx, around, &opened)
	if err != nil {
		return nil, errors.Join(err, opened.close())
	}
	project.opened = opened
	return project, nil
}

// open does, in order, all that can refuse to start.
func (p *Plan) open(ctx context.Context, around Process, opened *closing) (*Project, error) {
	base, err := p.openBase(ctx, around.Log, opened)
	if err != nil {
		return nil, err
	}
	served, err := p.openService(ctx, base, opened)
	if err != nil {
		return nil, err
	}
	work, err := p.openWork(ctx, around, base, served)
	if err != nil {
		return nil, err
	}
	if err := base.credentials.account(ctx, served.service, base.postponed); err != nil {
		return nil, err
	}
	p.warnOfDeadEnds(around.Log)
	if err := exportfile.Compare(ctx, served.service, p.Export); err != nil {
		return nil, err
	}
	project := p.assemble(base, served, work)
	return project, project.importer.first(ctx)
}

// warnOfDeadEnds names the statuses of the workflow that nothing leads out of.
func (p *Plan) warnOfDeadEnds(log zerolog.Logger) {
	if dead := p.workflow.DeadEnds(); len(dead) > 0 {
		log.Warn().Str("workflow", p.workflow.Name).Strs("statuses", texts(dead)).
			Msg("these statuses can never reach done; --workflow rework adds the rows that lead back")
	}
}

// assemble puts together what was opened, and what has to happen while it is.
func (p *Plan) assemble(b *base, s *served, w *work) *Project {
	every := p.Recheck
	if s.repository == nil {
		every = 0 // what was only recorded cannot be looked at again
	}
	clock := newClock(b.ledger, b.log)
	importer := &importer{service: s.service, documents: p.documents, reading: p.Reading, named: p.named(),
		postponed: b.postponed, log: b.log}
	return &Project{
		Data: p.dir(), Service: s.service, Boundary: w.boundary, Conductor: w.conductor, Driver: w.driver,
		Model: p.model, Tokens: b.credentials.tokens, MadeTokens: b.credentials.made,
		base: b, clock: clock, importer: importer,
		loops: loops{
			{"export", s.service.Run},
			{"documents", endless(func(ctx context.Context) { importer.watch(ctx, b.watcher) })},
			{"tokens", endless(func(ctx context.Context) { b.credentials.watch(ctx, b.watcher, b.postponed) })},
			{"idempotency keys", endless(func(ctx context.Context) { forgetKeys(ctx, s.service, b.log) })},
			{"boundary", endless(func(ctx context.Context) { w.followBoundary(ctx, b.log) })},
			{"runs", endless(func(ctx context.Context) { w.resume(ctx, b.postponed, b.log) })},
			{"evidence", endless(func(ctx context.Context) { recheck(ctx, s.service, every, b.log) })},
			{"clock", endless(clock.watch)},
			{"store", endless(b.watchStore)},
			{"postponed work", endless(b.postponed.catchUp)},
		},
	}
}

// Documents returns what reads the requirement documents as they are then.
func (p *Project) Documents(ctx context.Context) func() ([]reqdoc.File, error) {
	return p.importer.read(ctx)
}

// Checks returns the checks of /readyz that are those of this project.
func (p *Project) Checks() []httpapi.Check {
	return []httpapi.Check{p.base.postponed.check(), p.clock.check(), p.base.watcher.check()}
}

// Figures returns how updates were grouped into commits so far.
func (p *Project) Figures() boltstore.Stats { return p.base.store.Stats() }

// PublishAddress writes into the data folder where the service answers. An old address must not stay: another service
// may have it now.
func (p *Project) PublishAddress(ctx context.Context, addr string) error {
	err := writeAddress(p.Data, addr)
	if isFull(err) {
		_ = os.Remove(p.Data.Address()) // what it took may be enough
		return p.base.postponed.tryNow(ctx, "addr", func(context.Context) error { return writeAddress(p.Data, addr) })
	}
	return err
}

func writeAddress(data datadir.Dir, addr string) error {
	return durable.WriteFile(data.Address(), 0o600, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, addr)
		return err
	})
}

// Run runs what has to happen while the project is open, until ctx ends, and writes the last export.
func (p *Project) Run(ctx context.Context) error { return p.loops.run(ctx) }

// Failed returns a channel that is closed when the database can no longer be written; Err then says why.
func (p *Project) Failed() <-chan struct{} { return p.base.ledger.Failed() }

// Err returns what ended the database, or nil.
func (p *Project) Err() error {
	if err := p.base.ledger.Err(); err != nil {
		return cmp.Or(p.base.store.Err(), err)
	}
	return nil
}

// Close closes all that was opened, in reverse.
func (p *Project) Close() error { return p.opened.close() }
