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
	"os"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/language/translator"
	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/daemon/joining"
	"orchestrator/internal/daemon/webhooks"
	"orchestrator/internal/datadir"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/token"
	"orchestrator/internal/webhook/sending"
)

// Process is what the process around a project hands in.
type Process struct {
	Log      zerolog.Logger
	URL      string      // where agents reach the service
	Agent    string      // what messages to webhooks are sent by
	Draining func() bool // reports whether the process is about to end

	Follow    Follow          // shows how far the import at the start is; nil has the log say so
	Alone     func(do func()) // does what needs much memory once, before there are requests; may be nil
	Sparingly func(do func()) // the same, beside requests
}

func (p Process) alone(do func()) {
	if p.Alone == nil {
		do()
		return
	}
	p.Alone(do)
}

// Follow shows how far something is, which far tells at any time, until stop is called.
type Follow func(far func() (done, total int, what string)) (stop func())

// Project is one open project.
type Project struct {
	Data       datadir.Dir
	Service    *requirements.Service
	Ledger     *ledger.Ledger // of the service
	Boundary   *control.Boundary
	Conductor  *conductor.Conductor
	Driver     *drive.Driver
	Model      *translator.LLM // nil where the environment names none
	Tokens     *token.Authenticator
	MadeTokens []string // the roles that got one at this start

	data     *dataFolder
	clock    *clock
	importer *importer
	webhooks *webhooks.Webhooks
	loops    loops
	onDuty   loops // of one replica at a time
	runs     *conducting
	opened   closers
	address  *publishedAddress
}

// Open opens the project, and imports its documents.
func (p *Plan) Open(ctx context.Context, around Process) (*Project, error) {
	var opened closers
	project, err := p.open(ctx, around, &opened)
	if err != nil {
		return nil, errors.Join(err, opened.close())
	}
	project.address = &publishedAddress{}
	opened.add(sure(project.address.release))
	project.opened = opened
	return project, nil
}

// open does, in order, all that can refuse to start.
func (p *Plan) open(ctx context.Context, around Process, opened *closers) (*Project, error) {
	docs, err := documents.Open(p.Requirements)
	if err != nil {
		return nil, err
	}
	opened.add(sure(docs.Close))
	data, err := p.openDataFolder(ctx, docs, joining.Replica{Place: p.Store, Data: p.dir(), Lease: p.Lease,
		Advertise: p.Advertise, URL: around.URL, Log: around.Log}, opened)
	if err != nil {
		return nil, err
	}
	ctx = data.duty.Under(ctx)
	repository, err := p.openRepository(ctx, data)
	if err != nil {
		return nil, err
	}
	if repository != nil {
		opened.add(repository.Close)
	}
	signer, err := p.openKey(ctx, data)
	if err != nil {
		return nil, err
	}
	service, err := p.openService(ctx, data, repository, signer)
	if err != nil {
		return nil, err
	}
	opened.add(sure(service.Close))
	adapter := bridge.New(service, data.ledger,
		bridge.Options{Signer: signer, Prompts: p.prompts, Cited: citedFrom(repository)})
	conducting, err := p.openConductor(ctx, around, data, docs, adapter, repository)
	if err != nil {
		return nil, err
	}
	if err := p.agree(ctx, data, service); err != nil {
		return nil, err
	}
	telling := bridge.Telling{Project: adapter, Runs: conducting.conductor.Summary, URL: around.URL}
	project := p.assemble(around, data, docs, repository, service, conducting)
	project.tell(webhooks.New(webhooks.Config{Data: p.dir(), Ledger: data.ledger, Service: service, Telling: telling,
		Agent: around.Agent, Log: around.Log, Shared: data.duty != nil, Joined: !data.duty.OnDuty()}))
	if !data.duty.OnDuty() {
		return project, nil // whoever is on duty imports
	}
	return project, project.importer.first(ctx)
}

// agree brings the tokens into force, and refuses tables that do not agree with the export.
func (p *Plan) agree(ctx context.Context, data *dataFolder, service *requirements.Service) error {
	if err := p.account(ctx, data, service); err != nil {
		return err
	}
	warnOfDeadEnds(service.Workflow(), data.log)
	return p.holdExport(ctx, data, service)
}

// holdExport refuses tables that the log contradicts, and reports an export that it contradicts.
func (p *Plan) holdExport(ctx context.Context, data *dataFolder, service *requirements.Service) error {
	torn, err := exportfile.Hold(ctx, service, data.ledger, p.Export)
	if torn {
		data.log.Warn().Str("file", p.Export).
			Msg("it is not what the log amounts to, such as after a power cut; it is written anew from the database")
	}
	return err
}

// warnOfDeadEnds names the statuses of the workflow that nothing leads out of.
func warnOfDeadEnds(w requirements.WorkflowView, log zerolog.Logger) {
	if len(w.DeadEnds) > 0 {
		log.Warn().Str("workflow", w.Name).Strs("statuses", texts(w.DeadEnds)).
			Msg("these statuses can never reach done; the pm can switch to workflow rework, which leads back, with " +
				"PUT /workflow")
	}
}

// assemble puts together what was opened, and what has to happen while it is.
func (p *Plan) assemble(around Process, d *dataFolder, docs documents.Set, repository *evidence.Repository,
	service *requirements.Service, c *conducting) *Project {
	clock := newClock(d.ledger, d.log)
	boundary := control.New(folder.In(p.dir().Project()), d.ledger, time.Now, hook.NewID)
	importer := &importer{service: service, documents: docs, reading: p.Reading, named: p.named(),
		postponed: d.postponed, log: d.log, alone: around.alone, sparingly: around.Sparingly, follow: around.Follow}
	return &Project{
		Data: p.dir(), Service: service, Ledger: d.ledger, Boundary: boundary, Conductor: c.conductor, Driver: c.driver,
		Model: p.model, Tokens: d.credentials.Tokens, MadeTokens: d.credentials.Made,
		data: d, clock: clock, importer: importer,
		loops: loops{
			{"tokens", endless(func(ctx context.Context) { d.watchTokens(ctx) })},
			{"clock", endless(clock.watch)},
			{"store", endless(d.watchStore)},
			{"memory", endless(func(ctx context.Context) { d.replica.Remember(ctx, d.ledger) })},
			{"postponed work", endless(d.postponed.catchUp)},
		},
		onDuty: loops{
			{"documents", endless(func(ctx context.Context) { importer.watch(ctx, d.watcher) })},
			{"idempotency keys", endless(func(ctx context.Context) { forgetKeys(ctx, service, d.log) })},
			{"boundary", endless(func(ctx context.Context) { followBoundary(ctx, boundary, d.log) })},
			{"runs", endless(func(ctx context.Context) { c.resume(ctx, d.postponed, d.log) })},
			{"conductor", endless(c.stopAtEnd)},
			{"schedules", endless(func(ctx context.Context) { c.keepTimes(ctx, d.credentials.Tokens, d.log) })},
			{"evidence", endless(func(ctx context.Context) {
				recheck(ctx, service, p.recheckEvery(repository), d.log)
			})},
		},
		runs: c,
	}
}

// tell adds the webhooks.
func (p *Project) tell(w *webhooks.Webhooks) {
	p.webhooks = w
	p.onDuty = append(p.onDuty, loop{"webhooks", endless(w.Run)})
}

// Documents returns what reads the requirement documents as they are then.
func (p *Project) Documents(ctx context.Context) func() ([]reqdoc.File, error) {
	return p.importer.read(ctx)
}

// Checks returns the checks of /readyz that are those of this project.
func (p *Project) Checks() []httpapi.Check {
	return []httpapi.Check{p.data.postponed.check(), p.clock.check(), p.data.watcher.check(),
		p.data.credentials.Check(), p.webhooks.Check()}
}

// Figures returns how updates were grouped into commits so far.
func (p *Project) Figures() storage.Stats { return p.data.store.Stats() }

// Webhooks returns what is counted of each webhook.
func (p *Project) Webhooks() []sending.Figures { return p.webhooks.Figures() }

// PublishAddress writes into the data folder where the service answers, and holds the file as long as the project is
// open. An old address must not stay: another service may have it now.
func (p *Project) PublishAddress(ctx context.Context, addr string) error {
	publish := func(context.Context) error { return p.address.publish(p.Data, addr) }
	err := publish(ctx)
	if isFull(err) {
		_ = os.Remove(p.Data.Address()) // what it took may be enough
		return p.data.postponed.tryNow(ctx, "addr", publish)
	}
	return err
}

// Failed returns a channel that is closed when the database can no longer be written; Err then says why.
func (p *Project) Failed() <-chan struct{} { return p.data.ledger.Failed() }

// Err returns what ended the database, or nil.
func (p *Project) Err() error {
	if err := p.data.ledger.Err(); err != nil {
		return cmp.Or(p.data.store.Err(), err)
	}
	return nil
}

// Close closes all that was opened, in reverse.
func (p *Project) Close() error { return p.opened.close() }
