package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
)

// alwaysFrom is how many approvals make a habit.
const alwaysFrom = 3

// Full reviews a project.
//
// Implements: ORC-093
func Full(in Input) Project {
	p, t, dead := in.frame(), newTally(in.Workflow), in.Workflow.DeadEnds()
	for req := range in.Requirements {
		row := in.row(dead, req)
		p.Requirements = append(p.Requirements, row)
		t.add(factsOf(row, req))
	}
	p.conclude(t)
	return p
}

// frame returns the review without what depends on single requirements.
func (in Input) frame() Project {
	p := Project{
		Project: in.Project, Workflow: in.Workflow.Name, Evidence: in.Evidence, Branch: in.Branch, Log: in.Log,
		Findings: Findings{Import: in.Import, Reading: readingOf(in.Read), Drift: append([]Drift{}, in.Drift...), Displaced: in.Displaced,
			Refused: Refusing(in.Actors), Pending: in.Pending},
		Unchecked: append([]string{}, in.Unchecked...), Requirements: []Requirement{}, Reasons: []string{},
	}
	if in.Log.VerifiedUpTo == 0 && in.Log.Problem == "" && !slices.Contains(p.Unchecked, UncheckedLog) {
		p.Unchecked = append(p.Unchecked, UncheckedLog)
	}
	return p
}

// row returns the line of one requirement, with what depends on its surroundings.
func (in Input) row(dead []lifecycle.Status, req lifecycle.Requirement) Requirement {
	row := standing(in.Workflow, dead, req)
	row.written(req)
	row.Covered, row.Dirty = covered(req, in.IDs), dirtyAmong(FilesOf(req), in.Dirty)
	return row
}

// conclude sets what follows from all requirements together.
func (p *Project) conclude(t *tally) {
	p.Counts = t.counts
	p.Findings.Deviations, p.Findings.RetiredWithWork = t.deviations, t.stranded
	p.Findings.DeadEnds, p.Findings.Duties = t.deadEnds, habits(t.duties)
	p.judge(t)
}

// standing returns the line of one requirement.
func standing(w lifecycle.Workflow, dead []lifecycle.Status, req lifecycle.Requirement) Requirement {
	row := Requirement{
		ID: req.ID, Title: req.Title, Path: req.Source.Path, Line: req.Source.Line, Status: req.Status,
		Since:      lifecycle.Since(req),
		WaitingFor: w.WaitingFor(req), Stale: req.Unsettling(), Moved: req.Moved, Suspect: req.Suspect, Retired: req.Retired,
		Tick: req.Source.Tick, Complete: finished.ByDocument(req),
	}
	if req.Suspect {
		row.SuspectSince = req.TextSince
	}
	if n := len(req.History); n > 0 {
		last := req.History[n-1]
		if req.Status == lifecycle.Blocked || req.Status == lifecycle.Deferred {
			row.Held = &Held{req.HeldFrom, last.At, last.By, last.Justification.Reason}
		}
	}
	for _, d := range req.Deviations {
		if d.Resolution == nil {
			row.Deviations = append(row.Deviations, OpenDeviation{d.ID, d.Text, d.At, d.By})
		}
	}
	row.Next, row.Missing = missing(w, req)
	row.decidedByOlder(req)
	row.Codes = codes(row, req.NeedsDeferral(), slices.Contains(dead, req.Status))
	row.OK = len(row.Codes) == 0
	return row
}

// written says which parts are there.
//
// Implements: ORC-336
func (r *Requirement) written(req lifecycle.Requirement) {
	if len(req.DesignSpec) > 0 {
		r.Parts = append(r.Parts, lifecycle.FieldDesignSpec)
	}
	if len(req.Implementation) > 0 {
		r.Parts = append(r.Parts, lifecycle.FieldImplementation)
	}
	if req.Test != nil {
		r.Parts, r.Results = append(r.Parts, lifecycle.FieldTest), req.Test.Results
	}
	if n := len(req.Approvals); n > 0 {
		r.Decision = req.Approvals[n-1].Decision
	}
}

// missing names the next move along the table, and all that is lacking on the way to done. What is deferred lacks
// nothing: nobody waits for it.
func missing(w lifecycle.Workflow, req lifecycle.Requirement) (next lifecycle.Status, all []Missing) {
	if req.Status == lifecycle.Done {
		return "", towards(lifecycle.Done, unmetBeyondStale(req, req.JudgedBy()))
	}
	for step := range w.Ahead(req) {
		next = step.To
		break
	}
	if req.Status == lifecycle.Deferred {
		return next, nil
	}
	for _, step := range guidance.LacksAhead(w, req) {
		all = append(all, towards(step.To, step.Lacks)...)
	}
	return next, all
}

func towards(to lifecycle.Status, lacks []lifecycle.Lack) []Missing {
	var all []Missing
	for _, l := range lacks {
		all = append(all, Missing{to, l})
	}
	return all
}

func lastMover(req lifecycle.Requirement) lifecycle.Actor {
	if len(req.History) == 0 {
		return lifecycle.Actor{}
	}
	last := req.History[len(req.History)-1]
	return lifecycle.Actor{Name: last.By, Role: last.Role}
}

// codes returns why the requirement is not ok. Nothing is held against what PM deferred, nor against what was retired
// before work on it began.
func codes(row Requirement, needsDeferral, dead bool) []fault.Code {
	all := []fault.Code{}
	if row.settled(needsDeferral) {
		return all
	}
	done := row.Status == lifecycle.Done
	for _, c := range []struct {
		code  fault.Code
		holds bool
	}{
		{CodeNotDone, !done},
		{CodeBlocked, row.Status == lifecycle.Blocked},
		{CodeDeadEnd, dead},
		{CodeGateUnmet, done && len(row.Missing) > 0},
		{CodeStale, len(row.Stale) > 0},
		{CodeSuspect, row.Suspect},
		{CodeOpenDeviation, len(row.Deviations) > 0},
		{CodeRetiredWithWork, needsDeferral},
	} {
		if c.holds {
			all = append(all, c.code)
		}
	}
	return all
}

func (r Requirement) settled(needsDeferral bool) bool {
	return r.Status == lifecycle.Deferred || r.Retired && !needsDeferral
}

// Has reports whether the requirement has a finding of this code.
func (r Requirement) Has(code fault.Code) bool { return slices.Contains(r.Codes, code) }

// Refusing returns those of the actors that were refused, most often first.
func Refusing(actors []ActorCount) []ActorCount {
	all := slices.DeleteFunc(append([]ActorCount{}, actors...), func(a ActorCount) bool { return a.Refused == 0 })
	slices.SortFunc(all, func(a, b ActorCount) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role))
	})
	return all
}

func habits(duties map[Duty]int) []Duty {
	all := []Duty{}
	for d, count := range duties {
		if d.Approver != "" {
			of := duties[Duty{Part: d.Part, Maker: d.Maker}]
			all = append(all, Duty{d.Part, d.Maker, d.Approver, count, of, count == of && of >= alwaysFrom})
		}
	}
	slices.SortFunc(all, func(a, b Duty) int {
		return cmp.Or(strings.Compare(a.Part, b.Part), strings.Compare(a.Maker, b.Maker),
			strings.Compare(a.Approver, b.Approver))
	})
	return all
}

// judge sets the verdict and its reasons: what is inconsistent, then what is not ready.
func (p *Project) judge(t *tally) {
	p.Reasons = p.contradictions(t)
	inconsistent := len(p.Reasons) > 0
	p.Reasons = append(p.Reasons, t.unfinished()...)
	switch {
	case inconsistent:
		p.Verdict = Inconsistent
	case len(p.Reasons) > 0:
		p.Verdict = NotReady
	default:
		p.Verdict = Ready
		p.Reasons = append(p.Reasons, fmt.Sprintf("every requirement is done (%d) or deferred (%d)",
			p.Counts.Done, p.Counts.Deferred))
	}
}
