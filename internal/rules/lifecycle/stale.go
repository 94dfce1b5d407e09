package lifecycle

import (
	"fmt"
	"slices"
	"strings"
)

// PartStatus is the part of a requirement that the justification of its last move stands for.
const PartStatus = "status"

// Recheck is what looking again at the citations of a requirement came to.
type Recheck struct {
	Revision uint64      `json:"revision"` // of the requirement that they are of
	Stale    []Stale     `json:"stale,omitempty"`
	Moved    []Relocated `json:"moved,omitempty"`
}

// Rechecked returns the requirement with what a look at its evidence found, and whether that is news. A recheck of
// another revision says nothing of this one.
func (r Requirement) Rechecked(found Recheck) (Requirement, bool) {
	if found.Revision != r.Revision {
		return r, false
	}
	next := r
	next.adopt(found)
	next.restale()
	if slices.Equal(next.Stale, r.Stale) && slices.Equal(next.Moved, r.Moved) {
		return r, false
	}
	next.Revision++
	return next, true
}

// adopt takes what was found of the evidence in place of what was known. What was known already keeps its time and its
// words: they name the commit or time at which it was found, and with newer ones every commit would change every
// requirement that is stale.
func (r *Requirement) adopt(found Recheck) {
	stale := slices.Clone(found.Stale)
	for i := range stale {
		if k := slices.IndexFunc(r.Stale, func(s Stale) bool {
			return s.Pointer == stale[i].Pointer &&
				s.Reason == stale[i].Reason
		}); k >= 0 {
			stale[i].Since, stale[i].Detail = r.Stale[k].Since, r.Stale[k].Detail
		}
	}
	moved := slices.Clone(found.Moved)
	for i := range moved {
		if k := slices.IndexFunc(r.Moved, func(m Relocated) bool {
			return m.Pointer == moved[i].Pointer &&
				m.To == moved[i].To
		}); k >= 0 {
			moved[i].Since = r.Moved[k].Since
		}
	}
	r.Stale, r.Moved = stale, moved
}

// restale brings Stale up to date with the requirement itself: what its parts rest on, and what is known of evidence
// that still counts. It keeps no list that another requirement shares.
func (r *Requirement) restale() {
	stale := r.outdated()
	if len(r.Stale) == 0 && len(r.Moved) == 0 {
		r.Stale, r.Moved = stale, nil
		return
	}
	var moved []Relocated
	for c := range r.cited(r.lastMove()) {
		for _, s := range r.Stale {
			if s.Pointer == c.Pointer {
				stale = append(stale, s)
			}
		}
		for _, m := range r.Moved {
			if m.Pointer == c.Pointer {
				moved = append(moved, m)
			}
		}
	}
	r.Stale, r.Moved = stale, moved
}

// forget drops what is known of the evidence of a part that is written anew.
func (r *Requirement) forget(part, under string) {
	r.Stale = slices.DeleteFunc(slices.Clone(r.Stale), func(s Stale) bool { return s.Part == part })
	r.Moved = slices.DeleteFunc(slices.Clone(r.Moved),
		func(m Relocated) bool { return strings.HasPrefix(m.Pointer, under) })
}

// outdated lists the parts that rest on a text, implementation or test record that has changed since. PM's word that a
// changed text is accepted holds for design and implementation; tests and approvals are made anew.
func (r Requirement) outdated() []Stale {
	var stale []Stale
	add := func(part, reason, detail string, since Stamp) {
		stale = append(stale, Stale{part, "/" + part, reason, detail, since.At})
	}
	text := Stamp{At: r.TextSince}
	if r.Suspect && r.DesignSpec != nil && r.Stamps.DesignSpec.Fingerprint != r.Fingerprint {
		add(FieldDesignSpec, TextChanged, "it was written on another text", text)
	}
	if r.Suspect && r.Implementation != nil && r.Stamps.Implementation.Fingerprint != r.Fingerprint {
		add(FieldImplementation, TextChanged, "it was written on another text", text)
	}
	if r.Test != nil && r.Stamps.Test.Fingerprint != r.Fingerprint {
		add(FieldTest, TextChanged, "the tests were run on another text", text)
	}
	if impl := r.Stamps.Implementation; r.Test != nil && r.Stamps.Test.Revision < impl.Revision {
		add(FieldTest, ImplementationChanged,
			fmt.Sprintf("the implementation was changed at revision %d, after the tests", impl.Revision), impl)
	}
	switch last := r.lastApproval(); {
	case last.Decision != Approved:
	case last.Fingerprint != r.Fingerprint:
		add(FieldApprovals, TextChanged, "the approval is of another text", text)
	case last.Revision < r.Stamps.Test.Revision:
		add(FieldApprovals, TestChanged, fmt.Sprintf("the test record was changed at revision %d, after the approval",
			r.Stamps.Test.Revision), r.Stamps.Test)
	}
	return stale
}

// staleEvidence describes the first piece of evidence of a part that holds no longer, or is "".
func (r Requirement) staleEvidence(part string) string {
	for _, s := range r.Stale {
		if s.Part == part && s.Pointer != "/"+part {
			return s.Pointer + ": " + s.Detail
		}
	}
	return ""
}
