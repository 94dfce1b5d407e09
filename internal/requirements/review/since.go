package review

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// Point is a project at one moment, to be held against another.
type Point struct {
	Project Project
	Touches map[string]Touch    // of every requirement, by its id
	Former  map[string][]string // the ids that requirements had, the oldest first
}

// at returns the id that a requirement had at another point: the one that it has now, or one that it had before.
func (p Point) at(other map[string]Touch, id string) string {
	if _, known := other[id]; known {
		return id
	}
	for _, former := range slices.Backward(p.Former[id]) {
		if _, known := other[former]; known {
			return former
		}
	}
	return id
}

// Touch is what people and documents have made of a requirement. The lines where it stands do not count, nor does what
// the repository makes of its evidence. Two that are equal are of a requirement that nobody touched.
type Touch struct {
	Text                                 string
	Status                               lifecycle.Status
	Suspect, Retired                     bool
	Design, Implementation, Test         uint64 // the revisions at which they were written
	Approvals, Deviations, Solved, Moves int
}

// TouchOf returns what people and documents have made of a requirement.
func TouchOf(req lifecycle.Requirement) Touch {
	t := Touch{
		Text: req.Fingerprint, Status: req.Status, Suspect: req.Suspect, Retired: req.Retired,
		Design: req.Stamps.DesignSpec.Revision, Implementation: req.Stamps.Implementation.Revision,
		Test: req.Stamps.Test.Revision, Approvals: len(req.Approvals), Deviations: len(req.Deviations),
		Moves: len(req.History),
	}
	for _, d := range req.Deviations {
		if d.Resolution != nil {
			t.Solved++
		}
	}
	return t
}

// PassesAsBefore is the outcome of a requirement that fails no more than at the base, and that nobody touched since.
const PassesAsBefore = "as_before"

// Since is what became of a project since a base. No list is nil.
type Since struct {
	Ref     string        `json:"ref"`     // as it was asked for
	Commit  string        `json:"commit"`  // that it names
	Records uint64        `json:"records"` // of the log at the base
	Counts  []SinceCount  `json:"counts"`
	New     []string      `json:"new"`
	Retired []string      `json:"retired"`
	Worse   []string      `json:"worse"`   // fail, and did not, or not for all these reasons
	Passing []string      `json:"passing"` // pass, and did not
	Touched []string      `json:"touched"` // but for those that are new
	Refused *RefusedSince `json:"refused,omitempty"`
}

// SinceCount is a number of requirements at the base and now.
type SinceCount struct {
	What   string `json:"what"`
	Before int    `json:"before"`
	Now    int    `json:"now"`
}

// RefusedSince counts the attempts that were refused since a base; nil where no service was asked.
type RefusedSince struct {
	Count int  `json:"count"`
	More  bool `json:"more,omitzero"` // there are more, which were not counted
}

// GateSince holds a review against what is required, as Gate does, but lets pass what fails no more than it did at the
// base, and what nobody touched since. A problem of the project as a whole fails as ever.
//
// Implements: ORC-166
func GateSince(now, base Point, o GateOptions) GateResult {
	r, was := Gate(now.Project, o), Gate(base.Project, o)
	before := make(map[string]Case, len(was.Cases))
	for _, c := range was.Cases {
		before[c.ID] = c
	}
	s := Since{Records: base.Project.Log.Size, Counts: countsSince(base.Project.Counts, now.Project.Counts),
		New: []string{}, Retired: []string{}, Worse: []string{}, Passing: []string{}, Touched: []string{}}
	for i := range r.Cases {
		c := &r.Cases[i]
		id := now.at(base.Touches, c.ID)
		old, known := before[id]
		touched := now.Touches[c.ID] != base.Touches[id]
		s.add(*c, old, known, touched)
		if known && !touched && c.Outcome == Fails && !worse(*c, old) {
			c.Outcome = PassesAsBefore
			r.Failed--
			r.AsBefore++
		}
		if now.Touches[c.ID].Retired && known && !base.Touches[id].Retired {
			s.Retired = append(s.Retired, c.ID)
		}
	}
	r.Since, r.Pass = &s, r.Failed == 0 && len(r.Problems) == 0
	return r
}

// add lists a requirement by what became of it.
func (s *Since) add(now, old Case, known, touched bool) {
	for _, l := range []struct {
		list  *[]string
		holds bool
	}{
		{&s.New, !known},
		{&s.Touched, known && touched},
		{&s.Worse, known && worse(now, old)},
		{&s.Passing, known && old.Outcome == Fails && now.Outcome != Fails},
	} {
		if l.holds {
			*l.list = append(*l.list, now.ID)
		}
	}
}

// worse reports whether a requirement fails for a reason that it did not fail for at the base.
func worse(now, old Case) bool {
	if now.Outcome != Fails {
		return false
	}
	had := old.grounds()
	isNew := func(ground string) bool { return !slices.Contains(had, ground) }
	return old.Outcome != Fails || slices.ContainsFunc(now.grounds(), isNew)
}

// grounds returns all that a requirement fails for.
func (c Case) grounds() (all []string) {
	for _, f := range c.Failures {
		all = append(all, string(f.Code))
	}
	for _, m := range c.Missing {
		all = append(all, string(m.To)+" "+m.Gate)
	}
	for _, s := range c.Stale {
		all = append(all, s.Part+" "+s.Pointer+" "+s.Reason)
	}
	return all
}

func countsSince(before, now Counts) []SinceCount {
	return []SinceCount{
		{"requirements", before.Total - before.Retired, now.Total - now.Retired},
		{"done", before.Done, now.Done},
		{"deferred", before.Deferred, now.Deferred},
		{"blocked", before.Blocked, now.Blocked},
		{"suspect", before.Suspect, now.Suspect},
		{"stale", before.Stale, now.Stale},
		{"open deviations", before.OpenDeviations, now.OpenDeviations},
	}
}
