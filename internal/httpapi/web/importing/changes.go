package importing

import (
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/drift"
)

// changes is what an import would do, for people.
type changes struct {
	drift.Report
	Said string
	Rows []change
	More int
}

// change is what would become of one requirement.
type change struct {
	Kind, ID, Title string
	New             bool // there is no page of it yet
	Path            string
	Line            int
	Diff            []drift.Edit
	Follows         []string // what follows from it, a sentence each
}

// mostChanges is how many changes are shown.
const mostChanges = 100

func changesOf(r drift.Report) *changes {
	c := &changes{Report: r, Said: "An import would change nothing."}
	if r.Drifted() {
		c.Said = "An import would change this: " + said(r) + "."
	}
	if len(r.Errors) > 0 {
		c.Said = "The documents cannot be imported as they are."
	}
	for _, one := range r.Changed {
		c.Rows = append(c.Rows, change{Kind: "changed", ID: one.ID, Path: one.Path, Line: one.Line, Diff: one.Diff,
			Follows: ofChanged(one)})
	}
	for _, one := range r.Retired {
		c.Rows = append(c.Rows, change{Kind: "retired", ID: one.ID, Title: one.Title, Follows: ofRetired(one)})
	}
	for _, one := range r.Added {
		c.Rows = append(c.Rows,
			change{Kind: "added", ID: one.ID, Title: one.Title, New: true, Path: one.Path, Line: one.Line})
	}
	for _, one := range r.Renamed {
		c.Rows = append(c.Rows, change{Kind: "renamed", ID: one.From, Follows: []string{ofRenamed(one)}})
	}
	for _, id := range r.Restored {
		c.Rows = append(c.Rows, change{Kind: "restored", ID: id})
	}
	for _, one := range r.Moved {
		c.Rows = append(c.Rows, change{Kind: "moved", ID: one.ID, Path: one.Path, Line: one.Line})
	}
	if len(c.Rows) > mostChanges {
		c.More = len(c.Rows) - mostChanges
		c.Rows = c.Rows[:mostChanges]
	}
	return c
}

func ofChanged(c drift.Changed) (all []string) {
	if p := c.Priority; p != nil {
		all = append(all, "Its priority was \u201c"+p.From+"\u201d, and is \u201c"+p.To+"\u201d.")
	}
	if c.Suspect {
		all = append(all, "Work had begun: the PM must accept the new text.")
	}
	if len(c.Stale) > 0 {
		parts := make([]string, len(c.Stale))
		for i, p := range c.Stale {
			parts[i] = words.Part(p)
		}
		all = append(all,
			words.Upper(words.And(parts...))+words.Plural(len(parts), " rests", " rest")+" on the earlier text.")
	}
	return all
}

func ofRetired(r drift.Retired) (all []string) {
	if r.PMMust != "" {
		all = append(all, "The PM must act: "+r.PMMust+".")
	}
	return append(all, "It is "+words.Status(string(r.Status))+", and is kept and marked.")
}

func ofRenamed(r drift.Renamed) string {
	if r.Declared {
		return "The document says that it is " + r.To + " now."
	}
	return r.To + " has the same text. If it is the same requirement, let the PM rename it with orchestrator rename."
}
