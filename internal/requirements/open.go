package requirements

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/cited"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/keptprogress"
	"orchestrator/internal/requirements/keptreview"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/texts"
	"orchestrator/internal/requirements/turn"
	"orchestrator/internal/rules/lifecycle"
)

// Open loads the snapshot and records what the operator has chosen anew. Run must be started for exports to be written,
// and for folded refusals to be accounted for.
func Open(ctx context.Context, l *ledger.Ledger, clock func() time.Time, options Options) (*Service, error) {
	of := &shared{ledger: l, clock: clock, options: options}
	if options.Replica != "" {
		of.clock = func() time.Time { return of.current.Load().Head.Dated(clock()) }
	}
	s := newService(of)
	err := l.Follow(ctx, follower{s.shared, s.exporter.Wake}.ofLedger())
	if err == nil {
		err = s.choose(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// choose leaves to the log what it has on record, and puts on record what is chosen anew.
func (s *Service) choose(ctx context.Context) error {
	o, onRecord := s.options, s.current.Load().Project
	err := onRecord.CheckForm(o.Reading.Qualify)
	if err == nil {
		err = choices.GiveUp(ctx, s.ledger, o.Lost, o.AcceptRollback)
	}
	if err == nil {
		err = choices.Workflow(ctx, s.ledger, onRecord.WorkflowName, o.Workflow.Name)
	}
	if err == nil {
		err = s.chooseEvidence(ctx)
	}
	if err == nil {
		err = s.chooseBranch(ctx)
	}
	if err == nil {
		err = choices.AuditKey(ctx, s.ledger, onRecord.AuditKey, o.Signer.Key, o.AcceptKey)
	}
	return err
}

func newService(of *shared) *Service {
	s := &Service{shared: of, Reader: &Reader{of}, Log: &Log{shared: of}}
	s.Rechecker = &Rechecker{shared: of, one: turn.New()}
	var sign func(*projection.Snapshot) ([]byte, error)
	o := of.options
	if o.Signer.Key != "" {
		sign = s.checkpointOf
	}
	s.exporter = projection.NewExporter(projection.Exporting{Path: o.ExportPath, Spares: o.ExportSpares,
		Newest: of.current.Load, Sign: sign, Synced: o.ExportSync, OnDisplaced: o.OnDisplaced, OnDuty: o.OnDuty})
	s.Reviews = &Reviews{shared: of, evidence: s.Rechecker, exporter: s.exporter,
		log: keptreview.NewLog(), rows: keptreview.New(), texts: texts.New(of.ledger),
		cited: cited.New(s.Rechecker.attachedReport)}
	s.progress = keptprogress.New(keptprogress.From{Ledger: of.ledger, Log: s.log, Newest: of.current.Load,
		Clock: of.clock})
	s.refusals = folding.New(o.OnFolding, o.Replica)
	return s
}

// Run writes exports and accounts for folded refusals until ctx ends; then it does both once more, in this order: the
// last export is the state of the whole log. Meanwhile it reads where the log has the texts that requirements had, so
// that nobody who asks for them waits for that. Where one of several processes writes the export, Export does that.
func (s *Service) Run(ctx context.Context) error {
	exporting, stop := context.WithCancel(context.WithoutCancel(ctx))
	var folding sync.WaitGroup
	var foldErr, err error
	folding.Go(func() { _ = s.texts.CatchUp(ctx) }) // who asks for them meets what keeps them from being read
	folding.Go(func() {
		defer stop()
		foldErr = s.refusals.Run(ctx, s.ledger, s.clock)
	})
	if s.options.OnDuty == nil {
		err = s.exporter.Run(exporting)
	}
	folding.Wait()
	return errors.Join(foldErr, err)
}

// Export writes the export while this process is to write it, until ctx ends, and then once more.
func (s *Service) Export(ctx context.Context) error { return s.exporter.Run(ctx) }

// Close lets go of what Open has opened, for a service that may never have run.
func (s *Service) Close() { s.exporter.Close() }

// chooseEvidence puts on record what is made of evidence from here on. Without a repository nothing is looked up; if
// nothing was asked for either, as by an import without a service, what is on record stays.
func (s *Service) chooseEvidence(ctx context.Context) (err error) {
	if s.options.Repository == nil && s.options.Evidence != "" {
		s.options.Evidence = projection.EvidenceRecorded
	}
	s.options.Evidence, err = choices.Evidence(ctx, s.ledger, s.current.Load().Project.Evidence, s.options.Evidence)
	return err
}

// chooseBranch puts on record whose tip evidence is held against from here on: the branch that the operator names, else
// the one on record, else the one that HEAD names. Where HEAD names none either, evidence is unknown.
func (s *Service) chooseBranch(ctx context.Context) error {
	if !s.verifies() {
		return nil
	}
	was := s.current.Load().Project.Branch
	chosen := cmp.Or(s.options.Branch, was)
	if chosen == "" {
		var err error
		if chosen, err = s.options.Repository.HeadBranch(ctx); err != nil {
			return err
		}
	}
	s.options.Repository.Follow(chosen)
	tip, err := s.options.Repository.Tip(ctx)
	s.tip.Store(&branchTip{tip, err})
	if chosen == was {
		return nil
	}
	if err != nil { // nobody chooses a branch that is not there
		return err
	}
	return choices.Branch(ctx, s.ledger, chosen)
}

// State is what health checks and metrics show.
type State struct {
	Ledger       error  // why no change can be made any more, or nil
	Import       string // why the last import failed, or ""
	Branch       string // whose tip evidence is held against; "" where nothing is looked up
	Unknown      string // why the tip of Branch is not known, or ""
	Read         account.Counts
	Export       projection.ExportState
	LogSize      uint64
	Requirements int
	ByStatus     map[lifecycle.Status]int
	Folded       uint64 // refusals since the start that were only counted
}

// State reads the present state.
func (s *Service) State() State {
	snap := s.current.Load()
	branch, unknown := s.branch()
	return State{s.ledger.Err(), s.importFailure(), branch, unknown, account.Sum(snap.Project.Import.Readings()),
		s.exporter.State(), snap.Head.Size, len(snap.Project.IDs),
		snap.Counts.ByStatus, s.refusals.Total()}
}
