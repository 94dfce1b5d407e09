package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/projection"
	"orchestrator/internal/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/store"
)

// Family is the one that this version reads: Markdown with explicit ids.
const Family = "markdown"

// File is a requirement document as it was read from disk.
type File struct {
	Path    string // as the user wrote it; kept in every requirement's source
	Content []byte
}

// Report says what an import did, or would do.
type Report struct {
	DryRun    bool                    `json:"dry_run"`
	Sources   []projection.SourceFile `json:"sources"`
	Found     int                     `json:"found"`
	Unchanged int                     `json:"unchanged"`
	Added     []string                `json:"added"`
	Moved     []string                `json:"moved"`    // same text, other place
	Reworded  []Reworded              `json:"reworded"` // other text
	Restored  []string                `json:"restored"` // had been removed, and are back
	Removed   []Removed               `json:"removed"`  // retired: kept and marked
	Notices   []Notice                `json:"notices"`  // what was doubtful, or looked like an id and was not taken
}

// Reworded is a requirement whose text changed.
type Reworded struct {
	ID      string `json:"id"`
	Suspect bool   `json:"suspect"` // work had begun: PM must accept the new text
}

// Removed is a requirement that the document no longer has.
type Removed struct {
	ID     string           `json:"id"`
	Status lifecycle.Status `json:"status"`
	PMMust string           `json:"pm_must,omitempty"`
}

// Notice is something about the document that its author should know.
type Notice struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// importState remembers how the last import went, for readiness.
type importState struct{ failure atomic.Pointer[error] }

// Import takes documents over into the state: new requirements are added, changed text is taken over,
// removed ones are retired. All of it is one transaction with one record. Ids are unique over all files.
// An import that changes nothing writes nothing. A refused one leaves the state as it was, and State shows
// why until one succeeds; so does a document that cannot be read.
func (s *Service) Import(ctx context.Context, who lifecycle.Actor, read func() ([]File, error), requestID string, dryRun bool) (Report, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up does not undo what it asked for
	files, err := read()
	s.importing.Lock()
	defer s.importing.Unlock()
	var report Report
	if err == nil {
		report, err = s.importFiles(ctx, who, files, requestID, dryRun)
	}
	if !dryRun {
		s.imports.failure.Store(&err)
	}
	return report, err
}

// ImportFailure is why the last import failed, or nil.
func (s *Service) ImportFailure() error {
	if err := s.imports.failure.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *Service) importFiles(ctx context.Context, who lifecycle.Actor, files []File, requestID string, dryRun bool) (Report, error) {
	doc, err := readFiles(files)
	if err != nil {
		return Report{}, err
	}
	if dryRun {
		plan, err := s.plan(s.current.Load(), s.current.Load().Project, doc)
		plan.report.DryRun = true
		return plan.report, err
	}
	var plan importPlan
	err = s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		if plan, err = s.plan(tx, before, doc); err != nil || !plan.changes() {
			return err
		}
		return plan.write(tx, who, requestID)
	})
	return plan.report, err
}

// document is what was read from all files together.
type document struct {
	name    string
	sources []projection.SourceFile
	defined []lifecycle.Definition
	notices []Notice
}

func readFiles(files []File) (document, error) {
	doc := document{notices: []Notice{}, sources: []projection.SourceFile{}}
	seen := map[string]lifecycle.Source{}
	for _, f := range files {
		parsed, err := reqdoc.Parse(f.Content)
		if err != nil {
			return doc, inFile(f.Path, err)
		}
		if doc.name == "" {
			doc.name = parsed.Title
		}
		doc.sources = append(doc.sources, projection.SourceFile{Path: f.Path, SHA256: digestOf(f.Content)})
		for _, r := range parsed.Requirements {
			def := definitionOf(f.Path, r)
			if first, twice := seen[r.ID]; twice {
				return doc, twoFiles(r.ID, first, def.Source)
			}
			seen[r.ID] = def.Source
			doc.defined = append(doc.defined, def)
		}
		for _, n := range slices.Concat(parsed.Warnings, parsed.Skipped) {
			doc.notices = append(doc.notices, Notice{f.Path, n.Line, n.Message, n.Fix})
		}
	}
	if len(doc.defined) == 0 {
		return doc, noRequirements(doc.notices)
	}
	return doc, nil
}

func definitionOf(path string, r reqdoc.Requirement) lifecycle.Definition {
	return lifecycle.Definition{
		ID: r.ID, Title: r.Title, Text: r.Text, Kind: r.Kind, Acceptance: append([]string{}, r.Acceptance...), Fingerprint: r.Fingerprint,
		Source: lifecycle.Source{Path: path, Line: r.Line, EndLine: r.EndLine, Section: append([]string{}, r.Section...), Family: Family},
	}
}

// inFile names the file in what the parser found, since a request may concern several.
func inFile(path string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		named := *f
		named.Detail = path + ": " + f.Detail
		return &named
	}
	return err
}

func twoFiles(id string, first, second lifecycle.Source) error {
	return fault.New(fault.Invalid, "duplicate_id", "%s is defined at %s:%d and again at %s:%d", id, first.Path, first.Line, second.Path, second.Line).
		WithFix("an id is unique over all requirement documents; rename or remove one")
}

func noRequirements(notices []Notice) error {
	var fields []fault.Field
	for _, n := range notices[:min(len(notices), maxViolations)] {
		fields = append(fields, fault.Field{Pointer: fmt.Sprintf("#L%d", n.Line), Detail: n.Path + ": " + n.Message, Fix: n.Fix})
	}
	return fault.New(fault.Invalid, "no_requirements", "no requirement with an explicit id was found; the state is left as it was").
		WithFields(fields...).
		WithFix("give each requirement an id at the start of a heading, list item, bold label or table row, for example: - **REQ-001**: the text")
}

// importPlan is what an import will write.
type importPlan struct {
	report  Report
	before  projection.Project
	after   projection.Project
	defined []lifecycle.Definition
	retired []string
	next    []lifecycle.Requirement
}

// from is the state the plan is made against: the transaction, or for a dry run the snapshot.
func (s *Service) plan(from store.Getter, before projection.Project, doc document) (importPlan, error) {
	p := importPlan{before: before, after: projection.Project{Name: doc.name, Sources: doc.sources, WorkflowName: before.WorkflowName}}
	p.report = Report{
		Sources: doc.sources, Found: len(doc.defined), Notices: doc.notices,
		Added: []string{}, Moved: []string{}, Reworded: []Reworded{}, Restored: []string{}, Removed: []Removed{},
	}
	present := make(map[string]bool, len(doc.defined))
	for _, def := range doc.defined {
		present[def.ID] = true
		p.after.IDs = append(p.after.IDs, def.ID)
		if err := p.define(from, def); err != nil {
			return p, err
		}
	}
	for _, id := range before.IDs {
		if present[id] {
			continue
		}
		p.after.IDs = append(p.after.IDs, id)
		if err := p.retire(from, id); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *importPlan) define(from store.Getter, def lifecycle.Definition) error {
	current, found, err := projection.TableRequirements.Get(from, def.ID)
	if err != nil {
		return err
	}
	var known *lifecycle.Requirement
	if found {
		known = &current
	}
	next, drift := lifecycle.Define(known, def)
	switch drift {
	case lifecycle.Unchanged:
		p.report.Unchanged++
		return nil
	case lifecycle.Added:
		p.report.Added = append(p.report.Added, def.ID)
	case lifecycle.Moved:
		p.report.Moved = append(p.report.Moved, def.ID)
	case lifecycle.Reworded:
		p.report.Reworded = append(p.report.Reworded, Reworded{def.ID, next.Suspect})
	case lifecycle.Restored:
		p.report.Restored = append(p.report.Restored, def.ID)
	}
	p.defined, p.next = append(p.defined, def), append(p.next, next)
	return nil
}

func (p *importPlan) retire(from store.Getter, id string) error {
	current, found, err := projection.TableRequirements.Get(from, id)
	if err != nil {
		return err
	}
	if !found {
		return projection.Disagreement("the project lists %q, which is not among the requirements", id)
	}
	next, drift := lifecycle.Retire(current)
	removed := Removed{ID: id, Status: next.Status}
	if next.NeedsDeferral() {
		removed.PMMust = "work had begun: defer it, or put its text back into the document"
	}
	if drift == lifecycle.Removed || removed.PMMust != "" {
		p.report.Removed = append(p.report.Removed, removed)
	}
	if drift == lifecycle.Removed {
		p.retired, p.next = append(p.retired, id), append(p.next, next)
	}
	return nil
}

func (p *importPlan) changes() bool {
	return len(p.next) > 0 || p.after.Name != p.before.Name ||
		!slices.Equal(p.after.Sources, p.before.Sources) || !slices.Equal(p.after.IDs, p.before.IDs)
}

func (p *importPlan) write(tx *ledger.Tx, who lifecycle.Actor, requestID string) error {
	for _, next := range p.next {
		if _, err := projection.TableRequirements.Put(tx, next.ID, next); err != nil {
			return err
		}
	}
	if _, err := projection.TableProject.Put(tx, projection.KeyProject, p.after); err != nil {
		return err
	}
	data := imported{Name: p.after.Name, Sources: p.after.Sources, Defined: p.defined, Retired: p.retired}
	if !slices.Equal(p.after.IDs, p.before.IDs) {
		data.IDs = p.after.IDs
	}
	return tx.Append(ledger.Event{Kind: kindImported, Actor: auditActor(who), RequestID: requestID, Data: data})
}

// String is the report in one line, for logs.
func (r Report) String() string {
	parts := []string{fmt.Sprintf("%d found, %d unchanged", r.Found, r.Unchanged)}
	for _, c := range []struct {
		n    int
		what string
	}{
		{len(r.Added), "added"}, {len(r.Moved), "moved"}, {len(r.Reworded), "reworded"}, {len(r.Restored), "restored"}, {len(r.Removed), "removed"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
