package reqdoc

import (
	"fmt"
	"slices"
)

// applied is what documents and the deltas to them amount to.
type applied struct {
	requirements []Requirement
	removed      []Entry
	renamed      []Rename
	warnings     []Problem
	problems     []Problem
}

// apply changes the requirements of whole documents by those of the deltas, in the order in which OpenSpec does:
// renamed, removed, modified, added. Where there are no whole documents, what a delta changes is in the state.
func apply(whole []Requirement, deltas []parsed, partial bool) applied {
	a := applied{requirements: whole}
	at := make(map[string]int, len(whole))
	for i, r := range whole {
		at[r.ID] = i
	}
	missing := func(place Place, id, what string) {
		if !partial {
			a.warnings = append(a.warnings, Problem{place, id, fmt.Sprintf("the delta %s %q, which no document defines", what, id),
				"mend the name; names are compared letter by letter"})
		}
	}
	for _, d := range deltas {
		for _, rename := range d.renamed {
			i, found := at[rename.From]
			if !found {
				missing(rename.Place, rename.From, "renames")
			} else {
				a.requirements[i].ID, at[rename.To] = rename.To, i
				delete(at, rename.From)
			}
			a.renamed = append(a.renamed, rename)
		}
		for _, gone := range d.removed {
			i, found := at[gone.ID]
			if !found {
				missing(gone.Place, gone.ID, "removes")
			} else {
				a.requirements[i].ID = ""
				delete(at, gone.ID)
			}
			a.removed = append(a.removed, gone)
		}
		for _, r := range d.requirements {
			a.define(r, at, partial, missing)
		}
	}
	a.requirements = slices.DeleteFunc(a.requirements, func(r Requirement) bool { return r.ID == "" })
	return a
}

// define adds or replaces one requirement.
func (a *applied) define(r Requirement, at map[string]int, partial bool, missing func(Place, string, string)) {
	i, found := at[r.ID]
	switch {
	case !found:
		if r.Change == DeltaModified && !partial {
			missing(r.Place, r.ID, "modifies")
		}
		at[r.ID] = len(a.requirements)
		a.requirements = append(a.requirements, r)
	case r.Change == DeltaModified:
		a.requirements[i] = r
	case a.requirements[i].Fingerprint == r.Fingerprint:
		a.warnings = append(a.warnings, Problem{r.Place, r.ID, fmt.Sprintf("the delta adds %q, which %s has already, word for word", r.ID, a.requirements[i].Place),
			"the delta was applied to the document; leave it out of the import"})
	default:
		a.problems = append(a.problems, Problem{r.Place, r.ID, fmt.Sprintf("the delta adds %q, which %s defines with another text", r.ID, a.requirements[i].Place),
			"list it under MODIFIED Requirements, or give it another name"})
	}
}
