// Package account accounts for what was read of requirement documents: how many rows look like requirements, how many
// of them were taken, and what was not. An account is part of the state, so it is bounded, and it holds nothing that
// looks like a secret.
package account

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/secret"
)

// How much of the remarks is kept.
const (
	MaxRemarks = 100   // of one document
	maxAll     = 1_000 // of all documents together
	maxText    = 300   // bytes of each text of a remark
)

// Document is the account of one document. In the record of an import, one without SHA256 stands for the account that
// the record before it left.
type Document struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"`
	Family  string `json:"family,omitempty"` // "" when nothing was read
	Delta   bool   `json:"delta,omitzero"`   // it changes other documents
	Counts  `json:"counts,omitzero"`
	Remarks []Remark `json:"remarks,omitempty"` // what fails a strict gate first, then by line
	More    int      `json:"more,omitzero"`     // remarks that are not kept
	Origin  *Origin  `json:"origin,omitempty"`  // nil where it is not known
}

// Counts say how much was read.
type Counts struct {
	Rows     int `json:"rows"`     // that look like requirements
	Read     int `json:"read"`     // of which were taken
	Skipped  int `json:"skipped"`  // remarks on what was not taken, on rows and on other text
	Totals   int `json:"totals"`   // stated numbers of requirements that differ from what was read
	Empty    int `json:"empty"`    // documents of which nothing was read
	Warnings int `json:"warnings"` // of another kind
}

// Remark is something that was not taken, or that the author of a document should know.
type Remark struct {
	Line    int    `json:"line"`
	ID      string `json:"id,omitempty"`
	Reason  string `json:"reason"` // one of package reqdoc, or ReasonSecret
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	Excerpt string `json:"excerpt,omitempty"` // of the line
}

// Origin is where the content of a document came from: the last commit on HEAD that changed the document, or none, when
// HEAD has another content there or no such file. Author and Email are what the commit says, which nobody has checked.
type Origin struct {
	Commit      string    `json:"commit,omitempty"` // full id
	Author      string    `json:"author,omitempty"`
	Email       string    `json:"email,omitempty"`
	At          time.Time `json:"at,omitzero"` // when it was committed
	Uncommitted bool      `json:"uncommitted,omitzero"`
}

// ReasonSecret is the reason of a warning that something looks like a secret.
const ReasonSecret = "secret"

// Strict reports whether a remark for a reason means that something may be missing from the state.
func Strict(reason string) bool {
	return reason == reqdoc.ReasonNearMiss || reason == reqdoc.ReasonTotal || reason == reqdoc.ReasonEmpty
}

// Missed returns how many rows look like requirements and were not taken.
func (c Counts) Missed() int { return c.Rows - c.Read }

// Lacks reports whether something may be missing from the state.
func (c Counts) Lacks() bool { return c.Missed()+c.Totals+c.Empty > 0 }

// String returns in words how much was read.
func (c Counts) String() string {
	words := "no row looks like a requirement"
	if c.Rows > 0 {
		words = fmt.Sprintf("%d of %d rows that look like requirements were read", c.Read, c.Rows)
	}
	if c.Totals > 0 {
		words += fmt.Sprintf(", stated totals that differ: %d", c.Totals)
	}
	if c.Empty > 0 {
		words += fmt.Sprintf(", documents of which nothing was read: %d", c.Empty)
	}
	return words
}

// Sum adds up the counts of documents.
func Sum(documents []Document) (all Counts) {
	for _, d := range documents {
		all.Rows += d.Rows
		all.Read += d.Read
		all.Skipped += d.Skipped
		all.Totals += d.Totals
		all.Empty += d.Empty
		all.Warnings += d.Warnings
	}
	return all
}

// Of accounts for documents that were read together.
func Of(set reqdoc.Set) []Document {
	all := make([]Document, len(set.Documents))
	place := make(map[string]int, len(set.Documents))
	for i, d := range set.Documents {
		all[i] = Document{Path: d.Path, SHA256: d.SHA256, Family: d.Family, Delta: d.Delta,
			Counts: Counts{Rows: d.Rows, Read: d.Found}}
		place[d.Path] = i
	}
	problems := make([][]reqdoc.Problem, len(all))
	for _, p := range set.Skipped {
		i := place[p.Path]
		all[i].Skipped++
		problems[i] = append(problems[i], p)
	}
	for _, p := range set.Warnings {
		i := place[p.Path]
		switch p.Reason {
		case reqdoc.ReasonTotal:
			all[i].Totals++
		case reqdoc.ReasonEmpty:
			all[i].Empty++
		default:
			all[i].Warnings++
		}
		problems[i] = append(problems[i], p)
	}
	left := maxAll
	for i := range all {
		all[i].remark(problems[i], min(left, MaxRemarks))
		left -= len(all[i].Remarks)
	}
	return all
}

// remark keeps some of the problems with a document, and counts the others.
func (d *Document) remark(problems []reqdoc.Problem, most int) {
	slices.SortStableFunc(problems, func(a, b reqdoc.Problem) int {
		return cmp.Or(rank(a.Reason)-rank(b.Reason), a.Line-b.Line)
	})
	kept := problems[:min(len(problems), most)]
	d.More = len(problems) - len(kept)
	for _, p := range kept {
		d.Remarks = append(d.Remarks, Remark{p.Line, text(p.ID), p.Reason, text(p.Message), text(p.Fix), text(p.Excerpt)})
	}
}

func rank(reason string) int {
	if Strict(reason) {
		return 0
	}
	return 1
}

// text returns what is kept of a text that somebody wrote into a document.
func text(s string) string { return fault.Clip(secret.Mask(s), maxText) }

// Beside adds to the accounts of deltas those of the documents that they change.
func Beside(before, deltas []Document) []Document {
	named := byPath(deltas)
	whole := slices.DeleteFunc(slices.Clone(before), func(d Document) bool {
		_, again := named[d.Path]
		return d.Delta || again
	})
	return append(whole, deltas...)
}

// Told returns the accounts of deltas that change nothing, as far as they say something, or did before.
func Told(before, deltas []Document) []Document {
	known := byPath(before)
	return slices.DeleteFunc(slices.Clone(deltas), func(d Document) bool {
		_, before := known[d.Path]
		return !before && !d.Lacks() && len(d.Remarks)+d.More == 0
	})
}

// Settle completes the accounts of documents with where each comes from: what was known of the same bytes, or what was
// found now.
func Settle(before, now []Document, found map[string]Origin) []Document {
	known := byPath(before)
	settled := slices.Clone(now)
	for i, d := range settled {
		if was, is := known[d.Path]; is && was.SHA256 == d.SHA256 {
			settled[i].Origin = was.Origin
		} else if origin, is := found[d.Path]; is {
			settled[i].Origin = &origin
		}
	}
	return settled
}

// Changes returns the accounts as a record keeps them: nil where all are as before, else each that is not, and the path
// alone of each that is.
func Changes(before, now []Document) []Document {
	if slices.EqualFunc(before, now, same) {
		return nil
	}
	known := byPath(before)
	changes := append([]Document{}, now...) // not nil: there may be none any more
	for i, d := range changes {
		if was, is := known[d.Path]; is && same(was, d) {
			changes[i] = Document{Path: d.Path}
		}
	}
	return changes
}

func same(a, b Document) bool { return reflect.DeepEqual(a, b) }

// Apply returns the accounts that the ones before and what a record keeps amount to. It reverses Changes.
func Apply(before, changes []Document) ([]Document, error) {
	if changes == nil {
		return before, nil
	}
	known := byPath(before)
	now := slices.Clone(changes)
	for i, d := range now {
		if d.SHA256 != "" {
			continue
		}
		was, is := known[d.Path]
		if !is {
			return nil, fmt.Errorf("it says that %s was read as before, and it was not read before", d.Path)
		}
		now[i] = was
	}
	return now, nil
}

func byPath(documents []Document) map[string]Document {
	by := make(map[string]Document, len(documents))
	for _, d := range documents {
		by[d.Path] = d
	}
	return by
}
