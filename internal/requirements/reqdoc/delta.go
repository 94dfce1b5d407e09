package reqdoc

import (
	"fmt"
	"slices"

	"orchestrator/internal/requirements/qualify"
)

// applied is what documents and the deltas to them amount to.
type applied struct {
	requirements []Requirement
	removed      []Entry
	renamed      []Rename
	warnings     []Problem
	problems     []Problem

	partial bool
	at      map[string]int   // where a requirement stands, by its id
	changed map[string]Place // by deltas
}

// apply changes the requirements of whole documents by those of the deltas, in the order in which OpenSpec does:
// renamed, removed, modified, added. Where there are no whole documents, what a delta changes is in the state.
func apply(whole []Requirement, deltas []parsed, partial bool) applied {
	a := applied{requirements: whole, partial: partial, at: make(map[string]int, len(whole)),
		changed: map[string]Place{}}
	for i, r := range whole {
		a.at[r.ID] = i
	}
	for _, d := range deltas {
		for _, rename := range d.renamed {
			a.rename(rename)
		}
		for _, gone := range d.removed {
			if i, found := a.at[gone.ID]; found {
				a.requirements[i].ID = ""
				delete(a.at, gone.ID)
			} else {
				a.missing(gone.Place, gone.ID, "removes")
			}
			a.removed = append(a.removed, gone)
		}
		for _, r := range d.requirements {
			a.define(r)
		}
	}
	a.requirements = slices.DeleteFunc(a.requirements, func(r Requirement) bool { return r.ID == "" })
	return a
}

// missing warns of a change to what no document defines.
func (a *applied) missing(place Place, id, what string) {
	if !a.partial {
		a.warnings = append(a.warnings, remark(ReasonDelta, place, id,
			fmt.Sprintf("the delta %s %q, which no document defines", what, id),
			"mend the name; names are compared letter by letter"))
	}
}

// rename gives a requirement its new name, which is its title too where the old one was.
func (a *applied) rename(rename Rename) {
	a.renamed = append(a.renamed, rename)
	i, found := a.at[rename.From]
	if !found {
		a.missing(rename.Place, rename.From, "renames")
		return
	}
	if other, taken := a.at[rename.To]; taken {
		a.problems = append(a.problems, problem(rename.Place, rename.To,
			fmt.Sprintf("the delta renames %q to %q, which %s defines already", rename.From, rename.To,
				a.requirements[other].Place),
			"choose another name"))
		return
	}
	r := &a.requirements[i]
	from, to := qualify.Short(rename.From, rename.Path), qualify.Short(rename.To, rename.Path)
	if r.ID = rename.To; r.Title == titleOf(from) {
		r.Title, r.written = titleOf(to), nil
		r.sign()
	}
	delete(a.at, rename.From)
	a.at[rename.To] = i
}

// define adds or replaces one requirement.
func (a *applied) define(r Requirement) {
	i, found := a.at[r.ID]
	before, twice := a.changed[r.ID]
	a.changed[r.ID] = r.Place
	refuse := func(message, fix string) {
		a.problems = append(a.problems, problem(r.Place, r.ID, message, fix))
	}
	switch {
	case !found:
		if r.Change == DeltaModified {
			a.missing(r.Place, r.ID, "modifies")
		}
		a.at[r.ID] = len(a.requirements)
		a.requirements = append(a.requirements, r)
	case twice && a.requirements[i].Fingerprint != r.Fingerprint:
		refuse(fmt.Sprintf("two deltas change %q in two ways, on %s and on %s", r.ID, before.from(r.Place),
			r.from(r.Place)), "keep one of them")
	case r.Change == DeltaModified:
		a.requirements[i] = r
	case a.requirements[i].Fingerprint == r.Fingerprint:
		a.warnings = append(a.warnings, remark(ReasonDelta, r.Place, r.ID,
			fmt.Sprintf("the delta adds %q, which %s has already, word for word", r.ID, a.requirements[i].Place),
			"the delta was applied to the document; leave it out of the import"))
	default:
		refuse(fmt.Sprintf("the delta adds %q, which %s defines with another text", r.ID, a.requirements[i].Place),
			"list it under MODIFIED Requirements")
	}
}
