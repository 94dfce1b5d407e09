package requirements

import (
	"context"
	"errors"
	"maps"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// ImportOptions are the choices of whoever asks for an import.
type ImportOptions struct {
	RequestID string
	DryRun    bool // only the report
	Unasked   bool // a document has changed, and nobody asked by name: charged to a budget of its own
	Origin    projection.ImportOrigin
	Progress  *drift.Progress // told how far the import is; may be nil
	Stop      <-chan struct{} // nothing is imported when it is closed before the documents are read; nil never is
	documents map[string]account.Origin
}

// unaskedAccount is charged for imports that nobody asked for. No token has its role.
var unaskedAccount = audit.Actor{Name: "documents", Role: ledger.System().Role}

// CheckUnaskedBudget refuses imports that nobody asked for when what they may add on a day is spent.
func (s *Service) CheckUnaskedBudget(ctx context.Context) error {
	return s.ledger.CheckBudget(ctx, unaskedAccount)
}

// explainSpent adds to the error of an automatic import what its spent budget means.
func (s *shared) explainSpent(ctx context.Context, err error) error {
	if !errors.Is(err, fault.RateLimited) {
		return err
	}
	b, failed := s.ledger.BudgetOf(ctx, unaskedAccount)
	if failed != nil {
		return failed
	}
	return fault.New(fault.RateLimited, "log_budget_spent",
		"the changed documents are not imported, and the last good state stays in force: "+
			"imports that nobody asked for have added %d bytes to the log today, of %d", b.Spent, b.Limit).
		WithFix("they are imported after %s, when the budget resets; a pm can import them now with POST /project/import", b.Resets.Format(time.RFC3339)).
		Because(err)
}

// Import takes documents over into the state: new requirements are added, changed text is taken over,
// removed ones are retired. All of it is one transaction with one record. Ids are unique over all files.
// An import that changes nothing writes nothing. A refused one leaves the state as it was, and State and Review
// show why until one succeeds; so does a document that cannot be read.
func (s *Service) Import(ctx context.Context, who lifecycle.Actor, files func() ([]reqdoc.File, error),
	o ImportOptions) (drift.Report, error) {
	o.documents = map[string]account.Origin{}
	return s.importing(ctx, who, func() (reqdoc.Set, error) {
		given, err := files()
		if err != nil {
			return reqdoc.Set{}, err
		}
		if s.options.Origins != nil && !o.DryRun {
			maps.Copy(o.documents, s.options.Origins(context.WithoutCancel(ctx), drift.NotImported(given, s.current.Load().Project)))
		}
		return drift.ReadUnless(o.Stop, given, o.Progress.Of(s.options.Reading), s.current.Load().Project)
	}, o)
}

// HasImported reports whether documents are, byte for byte, those that were imported last, without open changes.
func (s *shared) HasImported(files []reqdoc.File) bool {
	return drift.AreImported(files, s.current.Load().Project)
}

func (s *Service) importing(ctx context.Context, who lifecycle.Actor, set func() (reqdoc.Set, error),
	o ImportOptions) (drift.Report, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up does not undo what it asked for
	s.oneImport.Lock()               // before reading: of two imports the later one has the newer documents
	defer s.oneImport.Unlock()
	documents, err := set()
	var report drift.Report
	if now := s.current.Load(); err == nil && o.DryRun {
		report, err = drift.DryRun(now, now.Project, documents)
	} else if err == nil {
		report, err = s.take(ctx, who, documents, o)
	}
	report.WarnOfReused(s.current.Load().WasRenamed)
	if o.Unasked {
		err = s.explainSpent(ctx, err)
	}
	if !o.DryRun {
		s.lastImport.Store(&outcome{s.clock(), err})
	}
	return report, err
}

func (s *Service) take(ctx context.Context, who lifecycle.Actor, set reqdoc.Set,
	o ImportOptions) (drift.Report, error) {
	var plan drift.Plan
	err := s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		if plan, err = drift.New(tx, before, set, tx.At()); err != nil || !plan.Changes() {
			return err
		}
		if o.Unasked {
			tx.ChargeTo(unaskedAccount)
		}
		return plan.Write(tx, drift.Asked{By: who, RequestID: o.RequestID, Origin: o.Origin, Documents: o.documents,
			Progress: o.Progress})
	})
	if err != nil {
		return drift.Report{}, err
	}
	return plan.Report(), nil // after the transaction, which all changes wait for
}
