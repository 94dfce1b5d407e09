package requirements

import (
	"context"
	"io"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/loading"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Document is an encoded answer with its strong entity tag (quoted).
type Document struct {
	Bytes []byte
	ETag  string
}

// Name returns the name of the project.
func (s *Reader) Name() string { return s.current.Load().Project.Name }

// Requirement reads one requirement, with what open changes propose to it.
func (s *Reader) Requirement(id string) (Document, error) {
	e, err := s.entry(id)
	if err != nil {
		return Document{}, err
	}
	return s.served(e, e.Raw)
}

// served adds to a requirement what open changes propose to it.
func (s *Reader) served(e *projection.Entry, raw []byte) (Document, error) {
	raw, etag, err := s.current.Load().Served(e.Summary.ID, raw, e.ETag)
	return Document{raw, etag}, err
}

// Since reads one requirement, with those entries of its lists alone that were added after a revision; 0 is all.
func (s *Reader) Since(id string, revision uint64) (Document, error) {
	e, err := s.entry(id)
	if err != nil || revision == 0 {
		return s.Requirement(id)
	}
	raw, err := projection.TableRequirements.Encoding(lookup.Newer(e.Requirement(), revision))
	if err != nil {
		return Document{}, err
	}
	return s.served(e, raw)
}

// inForce returns the workflow of the project as it is published.
func (s *shared) inForce() lifecycle.Workflow { return s.current.Load().Project.Workflow() }

func (s *shared) entry(id string) (*projection.Entry, error) {
	e, found := s.current.Load().Find(id)
	if !found {
		return nil, s.unknown(id)
	}
	return e, nil
}

// unknown says that there is no requirement with an id, and which one was probably meant.
func (s *shared) unknown(id string) *fault.Error { return lookup.Unknown(s.current.Load(), id) }

// Whole returns the id that a name stands for; the name itself if it stands for none, or for several.
func (s *Reader) Whole(name string) string {
	if ids := s.current.Load().Meant(name); len(ids) == 1 {
		return ids[0]
	}
	return name
}

// around returns what guidance depends on besides a requirement.
func (s *shared) around() guidance.Around {
	return guidance.Around{Workflow: s.inForce(), Cited: s.options.Cited}
}

// Next answers by the rules that Patch decides by. The holder is who claims as the actor would.
func (s *Reader) Next(id string, who lifecycle.Actor, holder string) (guidance.View, error) {
	e, err := s.entry(id)
	if err != nil {
		return guidance.View{}, err
	}
	view := s.around().Of(e.Requirement(), who)
	view.Claims = claiming.Marks(s.ClaimsOn(id), holder)
	return view, nil
}

// Leads lists what leads a requirement on, by whom and with what.
func (s *Reader) Leads(req lifecycle.Requirement) []guidance.Lead { return s.around().Leads(req) }

// LeadsAhead lists what leads a requirement on, and then what is still to be supplied on the way to done.
func (s *Reader) LeadsAhead(req lifecycle.Requirement) []guidance.Lead { return s.around().Ahead(req) }

// Agenda finds out what an actor has to do first, over all requirements.
func (s *Reader) Agenda(who lifecycle.Actor, q agenda.Query) (agenda.Agenda, error) {
	q.Claims = s.Claims()
	return agenda.Of(s.current.Load(), s.around(), who, q)
}

// Stored returns a requirement as it is stored now.
func (s *Reader) Stored(id string) (lifecycle.Requirement, error) {
	e, err := s.entry(id)
	if err != nil {
		return lifecycle.Requirement{}, err
	}
	return e.Requirement(), nil
}

// Tasks lists what leads a requirement on, and whose work it is.
func (s *Reader) Tasks(req lifecycle.Requirement) []lifecycle.Task { return s.inForce().Tasks(req) }

// MovesAhead counts the moves that lead a requirement to done, as things stand.
func (s *Reader) MovesAhead(req lifecycle.Requirement) (n int) {
	for range s.inForce().Ahead(req) {
		n++
	}
	return n
}

// List reads a page of requirements.
func (s *Reader) List(q lookup.Query) (lookup.List, error) {
	return q.Select(s.current.Load(), s.clock())
}

// Project returns the whole state: the bytes of project_status.json, its entity tag, and how to write it.
func (s *Reader) Project() (etag string, write func(io.Writer) error) {
	snap := s.current.Load()
	return snap.ETag(), snap.Write
}

// ProjectFile returns the whole state as Project does, to be read from its beginning.
func (s *Reader) ProjectFile() projection.ExportFile {
	return projection.ExportFileOf(s.current.Load())
}

// Matches holds an export against the state, as projection.Snapshot.Matches does.
func (s *Reader) Matches(export io.Reader) error { return s.current.Load().Matches(export) }

// Export returns the whole state of a database that no service serves, as project_status.json has it.
func Export(ctx context.Context, l *ledger.Ledger) (projection.ExportFile, error) {
	var snap *projection.Snapshot
	err := l.Follow(ctx, ledger.Follower{Load: func(r store.Reader, head audit.Head) (err error) {
		snap, err = loading.Snapshot(r, head)
		return err
	}})
	return projection.ExportFileOf(snap), err
}

// WorkflowView is the rules as data.
type WorkflowView struct {
	Name        string                      `json:"name"`
	Evidence    string                      `json:"evidence"`         // verify: looked up in the repository; record: kept as it is given
	Branch      string                      `json:"branch,omitempty"` // verify: whose tip evidence is held against
	Statuses    []lifecycle.Status          `json:"statuses"`
	Transitions []lifecycle.Transition      `json:"transitions"`
	Gates       []lifecycle.Gate            `json:"gates"`
	Fields      map[lifecycle.Role][]string `json:"fields"`
	DeadEnds    []lifecycle.Status          `json:"dead_ends"`
	Rules       lifecycle.Rules             `json:"rules"`  // the version that decides now
	Shares      []lifecycle.Share           `json:"shares"` // how much of a requirement each role may fill
}

// Looks reports whether evidence is looked up.
func (s *Reader) Looks() bool { return s.inForce().Looks() }

// Workflow returns what the service decides by.
func (s *Reader) Workflow() WorkflowView {
	p := s.current.Load().Project
	w := p.Workflow()
	view := WorkflowView{
		w.Name, p.Evidence, p.Branch, lifecycle.Statuses(), w.Transitions(), lifecycle.Gates(),
		map[lifecycle.Role][]string{},
		append([]lifecycle.Status{}, w.DeadEnds()...), lifecycle.LatestRules, lifecycle.Shares(),
	}
	for _, role := range lifecycle.Roles() {
		view.Fields[role] = append([]string{}, lifecycle.FieldsOf(role)...)
	}
	return view
}

// LogBudget returns what an actor may add to the log on a day, and has added.
func (s *Log) LogBudget(ctx context.Context, who lifecycle.Actor) (ledger.Budget, error) {
	return s.ledger.BudgetOf(ctx, record.Actor(who))
}

// History returns the records about one requirement, under whichever id, newest first: those before a number or all.
func (s *Log) History(ctx context.Context, id string, before uint64, limit int) (ledger.Page, error) {
	if _, err := s.entry(id); err != nil {
		return ledger.Page{}, err
	}
	return thread.History(ctx, s.ledger, s.current.Load().Threads(id), before, limit)
}

// Audit returns the whole log, from number from on.
func (s *Log) Audit(ctx context.Context, from uint64, limit int) (ledger.Page, error) {
	return s.ledger.Records(ctx, from, limit)
}

// Find returns the records of the log that match, a page at a time.
func (s *Log) Find(ctx context.Context, q lookup.Records) (page ledger.Page, err error) {
	if q.Requirement != "" {
		if q.Threads, err = s.Threads(q.Requirement); err != nil {
			return page, err
		}
	}
	return q.Find(ctx, s.ledger)
}

// Threads returns under which ids the log has a requirement that a parameter names.
func (s *Log) Threads(id string) ([]thread.Thread, error) {
	return lookup.Threads(s.current.Load(), id)
}

// Blob returns data too large for a record, by its digest.
func (s *Log) Blob(ctx context.Context, digest string) ([]byte, error) {
	return s.ledger.Blob(ctx, digest)
}
