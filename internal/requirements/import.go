package requirements

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// ImportOptions are the choices of whoever asks for an import.
type ImportOptions struct {
	RequestID string
	DryRun    bool // only the report
	Unasked   bool // a document has changed, and nobody asked by name: charged to a budget of its own
}

// unaskedAccount is charged for imports that nobody asked for. No token has its role.
var unaskedAccount = audit.Actor{Name: "documents", Role: ledger.System().Role}

// CheckUnaskedBudget refuses imports that nobody asked for when what they may add on a day is spent.
func (s *Service) CheckUnaskedBudget(ctx context.Context) error {
	return s.ledger.CheckBudget(ctx, unaskedAccount)
}

// explainSpent says of an import that nobody asked for what its spent budget means.
func (s *Service) explainSpent(ctx context.Context, err error) error {
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

// outcome is how an import went.
type outcome struct {
	at  time.Time
	err error
}

// Import takes documents over into the state: new requirements are added, changed text is taken over,
// removed ones are retired. All of it is one transaction with one record. Ids are unique over all files.
// An import that changes nothing writes nothing. A refused one leaves the state as it was, and State and Review
// show why until one succeeds; so does a document that cannot be read.
func (s *Service) Import(ctx context.Context, who lifecycle.Actor, files func() ([]reqdoc.File, error),
	o ImportOptions) (Report, error) {
	return s.importing(ctx, who, func() (reqdoc.Set, error) {
		given, err := files()
		if err != nil {
			return reqdoc.Set{}, err
		}
		return read(given, s.options.Reading)
	}, o)
}

func (s *Service) importing(ctx context.Context, who lifecycle.Actor, set func() (reqdoc.Set, error),
	o ImportOptions) (Report, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up does not undo what it asked for
	s.oneImport.Lock()               // before reading: of two imports the later one has the newer documents
	defer s.oneImport.Unlock()
	documents, err := set()
	var report Report
	switch {
	case err != nil:
	case o.DryRun:
		now := s.current.Load()
		report, err = preview(now, now.Project, documents)
	default:
		report, err = s.take(ctx, who, documents, o)
	}
	if o.Unasked {
		err = s.explainSpent(ctx, err)
	}
	if !o.DryRun {
		s.lastImport.Store(&outcome{s.clock(), err})
	}
	return report, err
}

func (s *Service) take(ctx context.Context, who lifecycle.Actor, set reqdoc.Set, o ImportOptions) (Report, error) {
	var plan importPlan
	err := s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		if plan, err = newPlan(tx, before, set, tx.At()); err != nil || !plan.changes() {
			return err
		}
		if o.Unasked {
			tx.ChargeTo(unaskedAccount)
		}
		return plan.write(tx, who, o.RequestID)
	})
	if err != nil {
		return Report{}, err
	}
	return plan.reported(), nil // after the transaction, which all changes wait for
}

// preview is the report on an import that is not made.
func preview(from store.Getter, before projection.Project, set reqdoc.Set) (Report, error) {
	plan, err := newPlan(from, before, set, time.Time{})
	if err != nil {
		return Report{}, err
	}
	report := plan.reported()
	report.DryRun = true
	return report, nil
}

// Preview reports what an import would do to the state of an export; without one, to the empty state.
func Preview(export io.Reader, files []reqdoc.File, o reqdoc.Options) (Report, error) {
	set, err := read(files, o)
	if err != nil {
		return Report{}, err
	}
	snap, err := projection.New(projection.Project{}, nil, audit.Head{})
	if err == nil && export != nil {
		snap, err = projection.ReadFile(export)
	}
	if err != nil {
		return Report{}, fault.New(fault.Invalid, CodeExportInvalid, "the export cannot be read as one").
			WithFix("give the export that the service writes, whole, or none").Because(err)
	}
	return preview(snap, snap.Project, set)
}

func read(files []reqdoc.File, o reqdoc.Options) (reqdoc.Set, error) {
	set, err := reqdoc.Read(files, o)
	set.Warnings = append(set.Warnings, secretsInDocuments(files)...)
	if err == nil && len(set.Requirements) == 0 && !(set.Partial && len(set.Removed)+len(set.Renamed) > 0) {
		err = noRequirements(set.Skipped)
	}
	return set, err
}

func definitionOf(r reqdoc.Requirement) lifecycle.Definition {
	d := lifecycle.Definition{
		ID: r.ID, Title: r.Title, Text: r.Text, Kind: r.Kind, Acceptance: []lifecycle.Criterion{},
		Parents: r.Parents, DependsOn: r.DependsOn, Fingerprint: r.Fingerprint,
		Source: lifecycle.Source{
			Path: r.Path, Line: r.Line, EndLine: r.EndLine, Section: append([]string{}, r.Section...),
			Family: r.Family, Assigned: r.Assigned, Priority: r.Priority, Tick: r.Tick,
		},
	}
	for _, c := range r.Acceptance {
		d.Acceptance = append(d.Acceptance, lifecycle.Criterion(c))
	}
	return d
}

func noRequirements(skipped []reqdoc.Problem) error {
	var fields []fault.Field
	for _, p := range skipped[:min(len(skipped), maxViolations)] {
		fields = append(fields, fault.Field{Pointer: fmt.Sprintf("%s#L%d", p.Path, p.Line), Detail: p.Message,
			Fix: p.Fix})
	}
	return fault.New(fault.Invalid, CodeNoRequirements,
		"0 found: no text has an explicit id where one defines a requirement; the state is left as it was").
		WithFields(fields...).
		WithFix("give each requirement an id at the start of a heading, list item, bold label or table row, for example: - **REQ-001**: the text")
}
