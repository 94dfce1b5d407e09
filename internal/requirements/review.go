package requirements

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/cited"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/ondisk"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/progress"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Review reviews the whole project: the evidence is looked at again, the documents on disk are held against
// those that were imported, and the log is verified as far as it has grown since the last time. Until one of these
// changes the answer is the same.
func (s *Reviews) Review(ctx context.Context, documents func() ([]reqdoc.File, error)) (review.Encoded, error) {
	in, snap, err := s.reviewInput(ctx, documents)
	if err != nil {
		return review.Encoded{}, err
	}
	dirty := func(paths []string) map[string]bool { return s.evidence.dirtyFiles(ctx, paths) }
	return s.rows.Full(ctx, in, snap, dirty)
}

// reviewInput returns what the review is made of besides the requirements, which the snapshot has.
func (s *Reviews) reviewInput(ctx context.Context,
	documents func() ([]reqdoc.File, error)) (review.Input, *projection.Snapshot, error) {
	var unchecked []string
	if _, err := s.evidence.Recheck(ctx); err != nil {
		if ctx.Err() != nil {
			return review.Input{}, nil, ctx.Err()
		}
		unchecked = append(unchecked, review.UncheckedEvidence)
	}
	log, err := s.log.Verify(ctx, s.ledger)
	if err != nil {
		return review.Input{}, nil, err
	}
	if log.Problem != "" {
		unchecked = append(unchecked, review.UncheckedRefusals)
	}
	snap := s.current.Load()
	return review.Input{
		Project: snap.Project.Name, Workflow: snap.Project.Workflow(), Evidence: snap.Project.Evidence,
		Branch: snap.Project.Branch, Log: log.Log,
		Import: s.reviewImport(), Read: snap.Project.Import.Readings(), Drift: ondisk.Drift(snap.Project.Sources,
			documents), Displaced: s.displaced(), Actors: log.Actors,
		IDs: snap.Finder(&s.ids), Unchecked: unchecked, Pending: snap.Pending(),
	}, snap, nil
}

// displaced returns what stood in the place of export and checkpoint since the start.
func (s *Reviews) displaced() (all []review.Displaced) {
	for _, d := range s.exporter.State().Displaced {
		all = append(all, review.Displaced{Path: d.Path, Was: d.What, Times: d.Times})
	}
	return all
}

func requirementsOf(snap *projection.Snapshot) iter.Seq[lifecycle.Requirement] {
	return func(yield func(lifecycle.Requirement) bool) {
		for e := range snap.All() {
			if !yield(e.Requirement()) {
				return
			}
		}
	}
}

// Dossier reviews one requirement, with its evidence looked at again and, where that is asked for, with what it is
// about.
func (s *Reviews) Dossier(ctx context.Context, id string, show bool) (review.Dossier, error) {
	now := s.current.Load()
	e, known := now.Find(id)
	if !known {
		return review.Dossier{}, lookup.Unknown(now, id)
	}
	req := e.Requirement()
	refused, err := lookup.RefusedOn(ctx, s.ledger, id, now.Threads(id))
	if err != nil {
		return review.Dossier{}, err
	}
	texts, err := s.texts.Of(ctx, req, now.Head.Size)
	if err != nil {
		return review.Dossier{}, err
	}
	seen := review.Seen{IDs: now.Finder(&s.ids), Branch: now.Project.Branch,
		Dirty: s.evidence.dirtyFiles(ctx, slices.Sorted(slices.Values(review.FilesOf(req)))), Refused: refused,
		Proposed: now.Pending().On(id), Texts: texts.Changes, TextSince: texts.Since,
	}
	if s.evidence.verifies() {
		asked := cited.Asked{Cited: req.EverCited(), Code: subjectOf(req).Code, Show: show}
		err = s.cited.Look(ctx, s.options.Repository, asked, &seen)
	}
	return review.One(now.Project.Workflow(), req, seen), err
}

// Progress returns how the project gets on.
func (s *Reviews) Progress(ctx context.Context) (progress.Progress, error) {
	return s.progress.Now(ctx)
}

// LastImport is how the last attempt to import went, and what the last import on record has read.
type LastImport struct {
	Last     review.Import      `json:"last"`
	Counts   account.Counts     `json:"counts"`            // of all documents
	Qualify  string             `json:"qualify,omitempty"` // form of the ids; "" in older projects
	Imported *projection.Import `json:"imported,omitempty"`
	Pending  *pending.Open      `json:"pending,omitempty"` // what open changes propose; nil if there are none
}

// LastImport returns what is known of the last import.
func (s *Reviews) LastImport() LastImport {
	now := s.current.Load()
	p := now.Project
	return LastImport{s.reviewImport(), account.Sum(p.Import.Readings()), p.Qualify, p.Import, now.Pending()}
}

func (s *Reviews) reviewImport() review.Import {
	last := s.lastImport.Load()
	if last == nil || last.err == nil {
		return review.Import{OK: true} // without a time, as one that changes nothing must not change the review
	}
	at := last.at.UTC()
	return review.Import{At: &at, Problem: review.ProblemOf(last.err)}
}

// importFailure returns why the last import failed in a few lines' worth of text, for health checks; "" when it did
// not.
func (s *Reviews) importFailure() string {
	p := s.reviewImport().Problem
	if p == nil {
		return ""
	}
	text := p.Detail
	for i, e := range p.Errors {
		if i == fewErrors {
			text += "; and more, see GET /project/review"
			break
		}
		text += fmt.Sprintf("; %s:%d: %s", fault.Clip(e.Path, drift.LongestEdit), e.Line,
			fault.Clip(e.Detail, drift.LongestEdit))
	}
	if p.Fix != "" {
		text += " (" + p.Fix + ")"
	}
	return text
}

// fewErrors are shown by a health check.
const fewErrors = 3

// ReviewExport reviews the project from its export alone, and lists what that cannot show.
func ReviewExport(export io.Reader) (review.Project, error) {
	snap, err := projection.ReadFile(export)
	if err != nil {
		return review.Project{}, fault.New(fault.Invalid, drift.CodeExportInvalid, "the export cannot be read as one").
			WithFix("give the export that the service writes, whole").Because(err)
	}
	return review.Full(review.Input{
		Project: snap.Project.Name, Workflow: snap.Project.Workflow(),
		Log: review.Log{Size: snap.Head.Size, Root: snap.Head.Root.String()}, Import: review.Import{OK: true},
		Read:     snap.Project.Import.Readings(),
		Evidence: snap.Project.Evidence, Branch: snap.Project.Branch, IDs: idmatch.Named(snap.Project.IDs, snap.Shorts()), Requirements: requirementsOf(snap),
		Unchecked: []string{
			review.UncheckedLog, review.UncheckedEvidence, review.UncheckedDocuments, review.UncheckedImport,
			review.UncheckedRefusals,
		},
	}), nil
}
