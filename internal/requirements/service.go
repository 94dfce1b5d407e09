// Package requirements holds the use cases on requirements: import, read, propose a change, export, verify.
//
// It connects the rules (rules/lifecycle, which decide) with the ledger (which commits a change and its
// audit record in one transaction). Every read is served from an immutable snapshot that is published
// after the commit is durable; project_status.json is a projection of that snapshot.
//
// Tables: requirements (id: Requirement), reports (SHA-256 of an attached report: its record), idempotency (actor NUL
// key: the first answer), project (one key: name, sources, workflow, document order), tokens (one key: those the log
// accounts for). Audit record kinds and the shape of their data are in records.go.
package requirements

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// The codes of requirements that a caller decides by.
const (
	CodeNoRequirements fault.Code = "no_requirements" // the documents define none
	CodeExportInvalid  fault.Code = "export_invalid"  // a file is no export

	codeUnknown   fault.Code = "unknown_requirement"
	codeKeyReused fault.Code = "idempotency_key_reused"
)

var tableIdempotency = ledger.Table[firstAnswer]{Name: "idempotency"}

// Options are the choices of an operator.
type Options struct {
	Workflow       lifecycle.Workflow         // the zero value keeps the store's; for a new store it is lifecycle.V1
	ExportPath     string                     // "" writes no export
	ExportWait     time.Duration              // how long a change waits for the export that contains it
	RequireIfMatch bool                       // a change without If-Match is refused
	Reading        reqdoc.Options             // how requirement documents are read
	Evidence       string                     // projection.Verify or Record; "" keeps the store's, Record in a new one
	Repository     Repository                 // where evidence is looked up; needed for Verify
	Signer         audit.Signer               // signs checkpoints of the log; without one there are none
	AcceptKey      string                     // why the Signer may have another key than the one on record
	Lost           []Moment                   // that the log has not gone through
	AcceptRollback string                     // why the service goes on all the same
	OnDisplaced    func(projection.Displaced) // told what stood in the place of a file of the export; may be nil
	OnFolding      func(Folding)              // told when further refusals of an actor are only counted; may be nil
}

// Service is safe for concurrent use.
type Service struct {
	ledger     *ledger.Ledger
	clock      func() time.Time
	options    Options
	current    atomic.Pointer[projection.Snapshot]
	exporter   *projection.Exporter
	oneImport  sync.Mutex // one at a time
	lastImport atomic.Pointer[outcome]
	logReview  logReview
	refusals   refusals
	oneRecheck sync.Mutex    // one at a time
	rechecks   atomic.Uint64 // that have begun
	rechecked  bool          // the last one came to its end; held by oneRecheck
	signed     atomic.Pointer[signedAt]
	lastReport atomic.Pointer[attached] // that was looked at: evidence cites one report many times
}

// Open loads the snapshot and records the choice of workflow if it changed. Run must be started for
// exports to be written, and for folded refusals to be accounted for.
func Open(ctx context.Context, l *ledger.Ledger, clock func() time.Time, options Options) (*Service, error) {
	s := &Service{ledger: l, clock: clock, options: options}
	s.refusals.init(options.OnFolding)
	var sign func(*projection.Snapshot) ([]byte, error)
	if options.Signer.Key != "" {
		sign = s.checkpointOf
	}
	s.exporter = projection.NewExporter(options.ExportPath, s.current.Load, sign, options.OnDisplaced)
	snap, err := load(ctx, l)
	if err != nil {
		return nil, err
	}
	s.current.Store(snap)
	l.Follow(s.follow)
	if err := s.acceptRollback(ctx); err != nil {
		return nil, err
	}
	if err := s.chooseWorkflow(ctx); err != nil {
		return nil, err
	}
	if err := s.chooseEvidence(ctx); err != nil {
		return nil, err
	}
	return s, s.chooseAuditKey(ctx)
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

// follow publishes a batch of durable commits as one new snapshot.
func (s *Service) follow(batch []ledger.Commit) {
	s.current.Store(s.current.Load().After(batch))
	s.exporter.Wake()
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
	return s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		data := workflowChosen{From: p.WorkflowName, To: chosen}
		p.WorkflowName = chosen
		if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
			return err
		}
		return tx.Append(ledger.Event{Kind: kindWorkflowChosen, Actor: ledger.System(), Data: data})
	})
}

// chooseEvidence puts on record what is made of evidence from here on.
func (s *Service) chooseEvidence(ctx context.Context) error {
	was := s.current.Load().Project.Evidence
	s.options.Evidence = cmp.Or(s.options.Evidence, was, projection.Record)
	if s.options.Repository == nil {
		s.options.Evidence = projection.Record
	}
	chosen := s.options.Evidence
	if was == chosen {
		return nil
	}
	return s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		data := evidenceChosen{From: p.Evidence, To: chosen}
		p.Evidence = chosen
		if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
			return err
		}
		return tx.Append(ledger.Event{Kind: kindEvidenceChosen, Actor: ledger.System(), Data: data})
	})
}

func auditActor(who lifecycle.Actor) audit.Actor {
	return audit.Actor{Name: who.Name, Role: string(who.Role)}
}
