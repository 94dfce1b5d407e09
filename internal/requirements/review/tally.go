package review

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// facts are what one requirement adds to the counts, the findings and the verdict of its project.
type facts struct {
	id     string
	status lifecycle.Status
	codes  []fault.Code // as in its row

	ok, missing, stale, moved, suspect, retired, complete bool

	rare *rare // nil for most
}

// rare are the facts that few requirements have.
type rare struct {
	deviations []OpenDeviation
	stranded   *Stranded
	duties     []Duty // one for each part, with neither Count nor Of
}

func factsOf(row Requirement, req lifecycle.Requirement) facts {
	f := facts{
		id: row.ID, status: row.Status, codes: row.Codes, ok: row.OK, missing: len(row.Missing) > 0,
		stale: len(row.Stale) > 0, moved: len(row.Moved) > 0, suspect: row.Suspect, retired: row.Retired, complete: row.Complete,
	}
	seldom := rare{deviations: row.Deviations, duties: dutiesOf(req)}
	if req.NeedsDeferral() {
		seldom.stranded = &Stranded{req.ID, req.Status, req.Strands()}
	}
	if len(seldom.deviations)+len(seldom.duties) > 0 || seldom.stranded != nil {
		f.rare = &seldom
	}
	return f
}

// dutiesOf says whose work on a requirement its last approver approved.
func dutiesOf(req lifecycle.Requirement) (all []Duty) {
	n := len(req.Approvals)
	if n == 0 || req.Approvals[n-1].Decision != lifecycle.Approved {
		return nil
	}
	for _, made := range []Duty{
		{Part: lifecycle.FieldImplementation, Maker: req.Stamps.Implementation.By},
		{Part: lifecycle.FieldTest, Maker: req.Stamps.Test.By},
	} {
		if made.Maker != "" {
			made.Approver = req.Approvals[n-1].By
			all = append(all, made)
		}
	}
	return all
}

// tally adds up the requirements of a project. No list is nil.
type tally struct {
	counts     Counts
	live, open int                // that are not retired for good; that are not done
	doneWith   map[fault.Code]int // done requirements, by what is found of them
	deadEnds   []DeadEnd
	deviations []ProjectDeviation
	stranded   []Stranded
	duties     map[Duty]int // by part, maker and approver; with no approver, the approved requirements of the maker
}

func newTally(w lifecycle.Workflow) *tally {
	t := &tally{counts: Counts{ByStatus: map[lifecycle.Status]int{}}, doneWith: map[fault.Code]int{},
		deadEnds: []DeadEnd{}, deviations: []ProjectDeviation{}, stranded: []Stranded{}, duties: map[Duty]int{}}
	for _, status := range w.DeadEnds() {
		t.deadEnds = append(t.deadEnds, DeadEnd{status, []string{}})
	}
	return t
}

// add takes the requirements in the order of the documents.
func (t *tally) add(f facts) {
	retiredWithWork := false
	for _, code := range f.codes {
		retiredWithWork = retiredWithWork || code == CodeRetiredWithWork
		if code == CodeNotDone {
			t.open++
		}
		if f.status == lifecycle.Done {
			t.doneWith[code]++
		}
	}
	if !f.retired || retiredWithWork {
		t.live++
	}
	t.counts.add(f, retiredWithWork)
	for i := range t.deadEnds {
		if d := &t.deadEnds[i]; d.Status == f.status {
			d.Requirements = append(d.Requirements, f.id)
		}
	}
	if f.rare != nil {
		t.addRare(f.id, f.rare)
	}
}

func (t *tally) addRare(id string, r *rare) {
	t.counts.OpenDeviations += len(r.deviations)
	for _, d := range r.deviations {
		t.deviations = append(t.deviations, ProjectDeviation{id, d})
	}
	if r.stranded != nil {
		t.stranded = append(t.stranded, *r.stranded)
	}
	for _, d := range r.duties {
		t.duties[d]++
		d.Approver = ""
		t.duties[d]++
	}
}

func (c *Counts) add(f facts, retiredWithWork bool) {
	c.Total++
	c.ByStatus[f.status]++
	for _, n := range [...]struct {
		count *int
		holds bool
	}{
		{&c.OK, f.ok},
		{&c.Done, f.status == lifecycle.Done},
		{&c.DoneStale, f.status == lifecycle.Done && f.stale},
		{&c.Deferred, f.status == lifecycle.Deferred},
		{&c.Blocked, f.status == lifecycle.Blocked},
		{&c.Missing, f.missing},
		{&c.Complete, f.complete},
		{&c.Stale, f.stale},
		{&c.Moved, f.moved},
		{&c.Suspect, f.suspect},
		{&c.Retired, f.retired},
		{&c.RetiredWithWork, retiredWithWork},
	} {
		if n.holds {
			*n.count++
		}
	}
}
