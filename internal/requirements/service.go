// Package requirements holds the use cases on requirements: import, read, propose a change, export, verify.
//
// It connects the rules (rules/lifecycle, which decide) with the ledger (which commits a change and its
// audit record in one transaction). Every read is served from an immutable snapshot that is published
// after the commit is durable; project_status.json is a projection of that snapshot.
//
// Tables: requirements (id: Requirement), reports (SHA-256 of an attached report: its record), idempotency (actor NUL
// key: the first answer), project (one key: name, sources, workflow, document order), tokens (one key: those the log
// accounts for). Audit record kinds and the shape of their data are in package record.
package requirements

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// Options are the choices of an operator.
type Options struct {
	Workflow       lifecycle.Workflow         // the zero value keeps the store's; for a new store it is lifecycle.V1
	ExportPath     string                     // "" writes no export
	ExportWait     time.Duration              // how long a change waits for the export that contains it
	RequireIfMatch bool                       // a change without If-Match is refused
	Reading        reqdoc.Options             // how requirement documents are read
	Evidence       string                     // one of projection; "" keeps the store's, EvidenceRecorded in a new one
	Repository     Repository                 // where evidence is looked up; needed where evidence is verified
	Signer         audit.Signer               // signs checkpoints of the log; without one there are none
	AcceptKey      string                     // why the Signer may have another key than the one on record
	Lost           []Moment                   // that the log has not gone through
	AcceptRollback string                     // why the service goes on all the same
	OnDisplaced    func(projection.Displaced) // told what stood in the place of a file of the export; may be nil
	OnFolding      func(Folding)              // told when further refusals of an actor are only counted; may be nil
}

// shared is what all parts of the service have in common.
type shared struct {
	ledger  *ledger.Ledger
	clock   func() time.Time
	options Options
	current atomic.Pointer[projection.Snapshot] // that is published
}

// Service proposes changes, imports documents, and accounts for both. It is made of parts, each of which can be handed
// on by itself to who needs no more. All are safe for concurrent use.
type Service struct {
	*shared
	*Reader
	*Log
	*Rechecker
	*Reviews

	exporter  *projection.Exporter
	oneImport sync.Mutex // one at a time
	refusals  refusals
}

// Reader reads the requirements as they are published.
type Reader struct{ *shared }

// Log reads the log of the requirements, signs it, and proves what is in it.
type Log struct {
	*shared

	signed atomic.Pointer[signedAt]
}

// Rechecker looks evidence up, and looks again whether what was found of it still holds.
type Rechecker struct {
	*shared

	one        sync.Mutex                    // one recheck at a time
	begun      atomic.Uint64                 // rechecks
	ended      bool                          // the last one came to its end; held by one
	lastReport atomic.Pointer[record.Report] // that was looked at: evidence cites one report many times
}

// Reviews reviews the project and its requirements.
type Reviews struct {
	*shared

	evidence   *Rechecker
	exporter   *projection.Exporter
	lastImport atomic.Pointer[outcome]
	logReview  logReview
}

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
		s.acceptRollback, s.chooseWorkflow, s.chooseEvidence, s.chooseAuditKey,
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
	s.refusals.init(of.options.OnFolding)
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
		foldErr = s.runFolding(ctx)
	})
	err := s.exporter.Run(exporting)
	folding.Wait()
	return errors.Join(foldErr, err)
}

func load(ctx context.Context, l *ledger.Ledger) (*projection.Snapshot, error) {
	var snap *projection.Snapshot
	err := l.View(ctx, func(r store.Reader) error {
		p, _, err := projection.TableProject.Get(r, projection.KeyProject)
		if err != nil {
			return err
		}
		entries := make(map[string]*projection.Entry, len(p.IDs))
		err = projection.TableRequirements.Scan(r, func(id string, raw []byte, req lifecycle.Requirement) error {
			entries[id] = projection.NewEntry(req, slices.Clone(raw), p.Workflow())
			return nil
		})
		if err != nil {
			return err
		}
		snap, err = projection.New(p, entries, l.Head())
		return err
	})
	return snap, err
}

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

// chooseEvidence puts on record what is made of evidence from here on.
func (s *Service) chooseEvidence(ctx context.Context) error {
	was := s.current.Load().Project.Evidence
	s.options.Evidence = cmp.Or(s.options.Evidence, was, projection.EvidenceRecorded)
	if s.options.Repository == nil {
		s.options.Evidence = projection.EvidenceRecorded
	}
	chosen := s.options.Evidence
	if was == chosen {
		return nil
	}
	return choose(ctx, s.ledger, func(p *projection.Project) ledger.Event {
		data := record.EvidenceChosen{From: p.Evidence, To: chosen}
		p.Evidence = chosen
		return ledger.Event{Kind: record.KindEvidenceChosen, Data: data}
	})
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
