package requirements

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Open loads the snapshot and records what the operator has chosen anew. Run must be started for exports to be written,
// and for folded refusals to be accounted for.
func Open(ctx context.Context, l *ledger.Ledger, clock func() time.Time, options Options) (*Service, error) {
	s := newService(&shared{ledger: l, clock: clock, options: options})
	snap, err := load(ctx, l)
	if err != nil {
		return nil, err
	}
	s.current.Store(snap)
	l.Follow(func(batch []ledger.Commit) { // durable ones, published as one new snapshot
		s.current.Store(s.current.Load().After(batch))
		s.exporter.Wake()
	})
	for _, onRecord := range []func(context.Context) error{
		s.acceptRollback, s.chooseWorkflow, s.chooseEvidence, s.chooseBranch, s.chooseAuditKey,
	} {
		if err := onRecord(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newService(of *shared) *Service {
	s := &Service{shared: of, Reader: &Reader{of}, Log: &Log{shared: of}, Rechecker: &Rechecker{shared: of}}
	var sign func(*projection.Snapshot) ([]byte, error)
	if of.options.Signer.Key != "" {
		sign = s.checkpointOf
	}
	s.exporter = projection.NewExporter(of.options.ExportPath, of.current.Load, sign, of.options.OnDisplaced)
	s.Reviews = &Reviews{shared: of, evidence: s.Rechecker, exporter: s.exporter}
	s.refusals = folding.New(of.options.OnFolding)
	return s
}

// Run writes exports and accounts for folded refusals until ctx ends; then it does both once more, in this order: the
// last export is the state of the whole log.
func (s *Service) Run(ctx context.Context) error {
	exporting, stop := context.WithCancel(context.WithoutCancel(ctx))
	var folding sync.WaitGroup
	var foldErr error
	folding.Go(func() {
		defer stop()
		foldErr = s.refusals.Run(ctx, s.ledger, s.clock)
	})
	err := s.exporter.Run(exporting)
	folding.Wait()
	return errors.Join(foldErr, err)
}

// Close lets go of what Open has opened, for a service that may never have run.
func (s *Service) Close() { s.exporter.Close() }

func (s *Service) chooseWorkflow(ctx context.Context) error {
	if s.options.Workflow.Name == "" {
		kept, err := lifecycle.ParseWorkflow(cmp.Or(s.current.Load().Project.WorkflowName, lifecycle.V1.Name))
		if err != nil {
			return err
		}
		s.options.Workflow = kept
	}
	chosen := s.options.Workflow.Name
	if s.current.Load().Project.WorkflowName == chosen {
		return nil
	}
	return choose(ctx, s.ledger, func(p *projection.Project) ledger.Event {
		data := record.WorkflowChosen{From: p.WorkflowName, To: chosen}
		p.WorkflowName = chosen
		return ledger.Event{Kind: record.KindWorkflowChosen, Data: data}
	})
}

// chooseEvidence puts on record what is made of evidence from here on. Without a repository nothing is looked up; if
// nothing was asked for either, as by an import without a service, what is on record stays.
func (s *Service) chooseEvidence(ctx context.Context) error {
	was := s.current.Load().Project.Evidence
	if s.options.Repository == nil && s.options.Evidence != "" {
		s.options.Evidence = projection.EvidenceRecorded
	}
	chosen := cmp.Or(s.options.Evidence, was, projection.EvidenceRecorded)
	s.options.Evidence = chosen
	if was == chosen {
		return nil
	}
	return choose(ctx, s.ledger, func(p *projection.Project) ledger.Event {
		data := record.EvidenceChosen{From: p.Evidence, To: chosen}
		p.Evidence = chosen
		return ledger.Event{Kind: record.KindEvidenceChosen, Data: data}
	})
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
	return choose(ctx, s.ledger, func(p *projection.Project) ledger.Event {
		data := record.BranchChosen{From: p.Branch, To: chosen}
		p.Branch = chosen
		return ledger.Event{Kind: record.KindBranchChosen, Data: data}
	})
}

// chooseAuditKey puts the key on record that signs the checkpoints. It never changes silently: another one than the
// log names is refused, unless an operator gave a reason, which is recorded.
func (s *Service) chooseAuditKey(ctx context.Context) error {
	was, now := s.current.Load().Project.AuditKey, s.options.Signer.Key
	if now == "" || now == was {
		return nil
	}
	if err := CheckKey(was, now, s.options.AcceptKey); err != nil {
		return err
	}
	return choose(ctx, s.ledger, func(p *projection.Project) ledger.Event {
		data := record.AuditKeyChosen{From: p.AuditKey, To: now}
		if was != "" {
			data.Reason = s.options.AcceptKey
		}
		p.AuditKey = now
		return ledger.Event{Kind: record.KindAuditKeyChosen, Data: data}
	})
}

// acceptRollback puts on record that an operator goes on from an older log, and why.
func (s *Service) acceptRollback(ctx context.Context) error {
	if len(s.options.Lost) == 0 {
		return nil
	}
	return s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		for _, lost := range s.options.Lost {
			if err := giveUp(tx, lost, s.options.AcceptRollback); err != nil {
				return err
			}
		}
		return nil
	})
}

func giveUp(tx *ledger.Tx, lost Moment, reason string) error {
	p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
	if err != nil {
		return err
	}
	if givenUp(p.Rollbacks, lost) {
		return nil // another file remembers the same
	}
	fork, err := record.ForkBefore(tx, tx.Seq())
	if err != nil {
		return err
	}
	p.Rollbacks = append(slices.Clip(p.Rollbacks), projection.Rollback{Record: fork, Size: lost.Size, Root: lost.Root})
	if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
		return err
	}
	data := record.RolledBack{Reason: reason, Where: lost.Where, Size: lost.Size, Root: lost.Root,
		Note: string(lost.Signed)}
	return tx.Append(ledger.Event{Kind: record.KindRolledBack, Actor: ledger.System(), Data: data})
}

// choose changes the project by itself, and puts on record the event that change returns.
func choose(ctx context.Context, l *ledger.Ledger, change func(*projection.Project) ledger.Event) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		event := change(&p)
		event.Actor = ledger.System()
		if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
			return err
		}
		return tx.Append(event)
	})
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
