// Package drift says what an import changes: it holds requirement documents against the state that they are to be taken
// over into, plans what is written, and reports what is new, worded otherwise, moved, renamed, back or gone.
//
// Nothing is written here but a plan in the transaction of the import; a dry run and the preview of an export make the
// same plan.
package drift

import (
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// Plan is what an import will write, and what it will say.
type Plan struct {
	report  Report
	before  projection.Project
	after   projection.Project
	defined []definition
	retired []string
	next    []lifecycle.Requirement // of those that were known
	read    []account.Document
	at      time.Time

	present map[string]bool         // ids that the documents define
	reword  []lifecycle.Definition  // as they were, of what changed; in the order of report.Changed
	newer   []lifecycle.Definition  // as they are, of the same
	gone    []lifecycle.Requirement // what this import retires
}

// definition is one that is new, or not as it was.
type definition struct {
	lifecycle.Definition

	added bool // the project had no requirement of this id
}

// New plans the import of documents that were read at a time against a state: that of the transaction, or for a dry run
// of a snapshot.
func New(from store.Getter, before projection.Project, set reqdoc.Set, at time.Time) (Plan, error) {
	if set.Qualify != "" && before.Form(set.Qualify) != set.Qualify {
		return Plan{}, formChanged()
	}
	p := Plan{
		at: at, before: before, report: reportOn(set), present: make(map[string]bool,
			len(set.Requirements)),
		after: before, read: account.Of(set),
	}
	p.after.Name, p.after.Sources, p.after.IDs = set.Title, []projection.SourceFile{}, nil
	if !set.Partial {
		p.after.Pending = set.Pending
	}
	if !before.Imported() {
		p.after.Qualify = set.Qualify
	}
	for _, d := range set.Documents {
		p.after.Sources = append(p.after.Sources, projection.SourceFile{Path: d.Path, SHA256: d.SHA256})
	}
	if len(before.IDs) == 0 {
		from = nothing{}
	}
	var err error
	if set.Requirements, err = keepFingerprints(from, set.Requirements); err != nil {
		return p, err
	}
	for _, r := range set.Requirements {
		p.present[r.ID] = true
	}
	if set.Partial {
		err := p.applyDelta(from, set)
		return p, err
	}
	if err := p.defineAll(from, set); err != nil {
		return p, err
	}
	for _, r := range set.Requirements {
		p.after.IDs = append(p.after.IDs, r.ID)
	}
	p.report.propose(set, before.IDs)
	for _, id := range before.IDs {
		if p.present[id] {
			continue
		}
		p.after.IDs = append(p.after.IDs, id)
		if err := p.retire(from, id); err != nil {
			return p, err
		}
	}
	return p, nil
}

// formChanged refuses documents whose ids were read in a form that is no longer that of the project.
func formChanged() error {
	return fault.New(fault.Conflict, "changed_meanwhile",
		"the ids of the project got another form while the documents were read").WithFix("import them again")
}

func (p *Plan) warn(at reqdoc.Place, id, message, fix string) {
	p.report.Warnings = append(p.report.Warnings, Remark{Place(at), id, message, fix})
}

func (p *Plan) defineAll(from store.Getter, set reqdoc.Set) error {
	if n := len(set.Requirements); !p.before.Imported() { // all of them are new
		p.defined = make([]definition, 0, n)
		p.report.Added = make([]Added, 0, n)
	}
	for _, r := range set.Requirements {
		if err := p.define(from, definitionOf(r)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) define(from store.Getter, def lifecycle.Definition) error {
	current, found, err := projection.TableRequirements.Get(from, def.ID)
	if err != nil {
		return err
	}
	at := Place{def.Source.Path, def.Source.Line}
	if !found {
		p.defined = append(p.defined, definition{def, true})
		p.report.Added = append(p.report.Added, Added{def.ID, def.Title, at})
		return nil
	}
	next, drift := lifecycle.Define(&current, def, p.at, lifecycle.LatestRules)
	if drift == lifecycle.Unchanged {
		p.report.Unchanged++
		return nil
	}
	p.defined, p.next = append(p.defined, definition{def, false}), append(p.next, next)
	priority := changeOfPriority(current.Source.Priority, def.Source.Priority)
	switch {
	case drift == lifecycle.Restored:
		p.report.Restored = append(p.report.Restored, def.ID)
	case current.Fingerprint == def.Fingerprint && priority == nil:
		p.report.Moved = append(p.report.Moved, Moved{def.ID, at, Place{current.Source.Path, current.Source.Line}})
	}
	if current.Fingerprint != def.Fingerprint || priority != nil {
		p.report.Changed = append(p.report.Changed,
			Changed{def.ID, at, next.Suspect, current.RestingElsewhere(def.Fingerprint), priority, []Edit{}})
		p.reword, p.newer = append(p.reword, current.Definition), append(p.newer, def)
	}
	return nil
}

// nothing is the state of a project that has no requirements yet.
type nothing struct{}

// Get returns that there is no value.
func (nothing) Get(string, string) ([]byte, error) { return nil, nil }

func changeOfPriority(from, to string) *Priority {
	if from == to {
		return nil
	}
	return &Priority{from, to}
}

func (p *Plan) retire(from store.Getter, id string) error {
	current, found, err := projection.TableRequirements.Get(from, id)
	if err != nil {
		return err
	}
	if !found {
		return projection.Disagreement("the project lists %q, which is not among the requirements", id)
	}
	next, drift := lifecycle.Retire(current)
	if drift != lifecycle.Retired {
		return nil // it was retired by an earlier import; Review shows what PM must still do about it
	}
	retired := Retired{ID: id, Title: next.Title, Status: next.Status, Strands: next.Strands()}
	if next.NeedsDeferral() {
		retired.PMMust = "work had begun: defer it, or put its text back into the document"
	}
	p.report.Retired = append(p.report.Retired, retired)
	p.retired, p.next, p.gone = append(p.retired, id), append(p.next, next), append(p.gone, next)
	return nil
}

// Report returns the report on the import, completed with what takes time and changes nothing.
func (p *Plan) Report() Report {
	for i := range p.reword {
		if p.reword[i].Fingerprint == p.newer[i].Fingerprint {
			continue // only the priority is another
		}
		p.report.Changed[i].Diff = wordDiff(p.reword[i], p.newer[i])
	}
	p.keepNewNames()
	p.proposeNames()
	return p.report
}

// keepNewNames leaves out the declared renamings that an earlier import has made, and those that come to nothing.
func (p *Plan) keepNewNames() {
	if len(p.report.Renamed) == 0 {
		return
	}
	news := map[string]bool{}
	for _, a := range p.report.Added {
		news[a.ID] = true
	}
	for _, id := range p.report.Restored {
		news[id] = true
	}
	for _, id := range p.retired {
		news[id] = true
	}
	p.report.Renamed = slices.DeleteFunc(p.report.Renamed,
		func(r Renamed) bool { return !news[r.From] && !news[r.To] })
}

// proposeNames pairs what was retired with what was added under the same text, unless a document has said it.
func (p *Plan) proposeNames() {
	if len(p.gone) == 0 {
		return
	}
	declared := map[string]bool{}
	for _, r := range p.report.Renamed {
		declared[r.From], declared[r.To] = true, true
	}
	texts := map[string][]string{} // the ids of what was added, by its text, in document order
	for _, d := range p.defined {
		if d.added {
			texts[d.Fingerprint] = append(texts[d.Fingerprint], d.ID)
		}
	}
	for _, old := range p.gone {
		if declared[old.ID] {
			continue
		}
		added := texts[old.Fingerprint]
		for len(added) > 0 && declared[added[0]] {
			added = added[1:]
		}
		if len(added) > 0 {
			p.report.Renamed = append(p.report.Renamed, Renamed{From: old.ID, To: added[0]})
			added = added[1:]
		}
		texts[old.Fingerprint] = added
	}
}

// Changes reports whether the import changes anything.
func (p *Plan) Changes() bool {
	return p.changesRequirements() || p.after.Name != p.before.Name ||
		!slices.Equal(p.after.Sources, p.before.Sources) || !slices.Equal(p.after.IDs, p.before.IDs) ||
		p.before.Import == nil || p.changesOfReading(nil) != nil || p.changesOfPending() != nil
}

func (p *Plan) changesRequirements() bool { return len(p.defined)+len(p.retired) > 0 }

func (p *Plan) changesOfPending() []pending.Delta {
	return pending.Changes(p.before.Pending, p.after.Pending)
}

func (p *Plan) changesOfReading(origins map[string]account.Origin) []account.Document {
	before := p.before.Import.Readings()
	return account.Changes(before, account.Settle(before, p.read, origins))
}
