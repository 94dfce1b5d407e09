package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PartStatus is the part of a requirement that the justification of its last move stands for.
const PartStatus = "status"

// Recheck is what looking again at the citations of a requirement came to.
type Recheck struct {
	Revision uint64      `json:"revision"`          // of the requirement that they are of
	Rechecks uint64      `json:"rechecks,omitzero"` // that the requirement had at that revision
	Stale    []Stale     `json:"stale,omitempty"`
	Moved    []Relocated `json:"moved,omitempty"`
}

// Rechecked returns the requirement with what a look at its evidence found, and whether that is news by a version of
// the rules. A recheck of another revision says nothing of this one, nor does one that another recheck has overtaken.
func (r Requirement) Rechecked(found Recheck, rules Rules) (Requirement, bool) {
	if !found.isOf(r) {
		return r, false
	}
	next := r
	next.adopt(found)
	next.restale(rules)
	if slices.Equal(next.Stale, r.Stale) && slices.Equal(next.Moved, r.Moved) {
		return r, false
	}
	if rules >= Rules4 {
		next.Rechecks++
	} else {
		next.revise()
	}
	return next, true
}

// isOf reports whether a look was at the requirement as it is now.
func (found Recheck) isOf(r Requirement) bool {
	return found.Revision == r.Revision && found.Rechecks == r.Rechecks
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

// doubt takes over what stands against the evidence that a change gives.
func (r *Requirement) doubt(c Change, at time.Time) {
	if c.Looked == nil {
		return
	}
	for _, f := range c.Looked.Findings {
		if part, pointer := r.placeOf(c, f.Pointer); f.Against != nil && part != "" {
			r.Stale = append(slices.Clip(r.Stale), Stale{part, pointer, f.Against.Reason, f.Against.Detail, at})
		}
	}
}

// placeOf returns where the evidence at a pointer of the change, which was applied, stands in the requirement; no part
// where the requirement keeps it not, as that of a justification without a move.
func (r *Requirement) placeOf(c Change, pointer string) (part, place string) {
	if i := slices.IndexFunc(c.Names, func(n Citation) bool { return n.Pointer == pointer }); i >= 0 {
		return FieldImplementation, PointerTo("implementation_evidence", i)
	}
	if strings.HasPrefix(pointer, "/"+FieldTest+"/") {
		return FieldTest, pointer
	}
	if c.Status == "" {
		return "", ""
	}
	return PartStatus, PointerTo("history", lastMove(r.History)) + pointer
}

// restale brings Stale up to date with the requirement itself: what its parts rest on, and what is known of evidence
// that still counts. It keeps no list that another requirement shares.
func (r *Requirement) restale(rules Rules) {
	stale := r.outdated(rules)
	if len(r.Stale) == 0 && len(r.Moved) == 0 {
		r.Stale, r.Moved = stale, nil
		return
	}
	var moved []Relocated
	for c := range r.cited(lastMove(r.History)) {
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
func (r Requirement) outdated(rules Rules) []Stale {
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
	if rules >= Rules3 {
		restOnDesign(r, add)
		restOnRun(r, rules, add)
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

// restOnDesign adds the parts that were written before the design was last changed.
func restOnDesign(r Requirement, add func(part, reason, detail string, since Stamp)) {
	design := r.Stamps.DesignSpec
	detail := fmt.Sprintf("the design was changed at revision %d, after it", design.Revision)
	if r.Implementation != nil && r.Stamps.Implementation.Revision < design.Revision {
		add(FieldImplementation, DesignChanged, detail, design)
	}
	if r.Test != nil && r.Stamps.Test.Revision < design.Revision {
		add(FieldTest, DesignChanged, detail, design)
	}
}

// restOnRun adds tests that were written after the implementation, and ran before it.
func restOnRun(r Requirement, rules Rules, add func(part, reason, detail string, since Stamp)) {
	if r.Stamps.Test.Revision < r.Stamps.Implementation.Revision {
		return
	}
	if older := olderReport(candidate{r, Actor{}, rules}); older != "" {
		add(FieldTest, ReportOlder, older, r.Stamps.Test)
	}
}

// staleEvidence describes the first piece of evidence of a part that holds no longer, or is "".
func (r candidate) staleEvidence(part string) string {
	for _, s := range r.staleBy(r.rules) {
		if s.Part == part && s.Pointer != "/"+part {
			return s.Pointer + ": " + s.Detail
		}
	}
	return ""
}

// DecidedBy returns the version of the rules that decided what the stamp is of. Stamps name it since Rules3; those of
// Rules2 have the number of their record.
func (s Stamp) DecidedBy() Rules {
	switch {
	case s.Rules != 0:
		return s.Rules
	case s.Record != 0:
		return Rules2
	}
	return Rules1
}

// JudgedBy returns the version of the rules that the requirement is held against as it stands: what is done stays as the
// rules of its time decided it, and everything else is for the latest ones.
func (r Requirement) JudgedBy() Rules {
	if r.Status != Done || len(r.History) == 0 {
		return LatestRules
	}
	return r.History[lastMove(r.History)].DecidedBy()
}

// Unsettling lists what is stale by the rules that the requirement is judged by.
func (r Requirement) Unsettling() []Stale { return r.staleBy(r.JudgedBy()) }

// staleBy lists what is stale by a version of the rules.
func (r Requirement) staleBy(rules Rules) []Stale {
	if rules >= Rules3 {
		return r.Stale
	}
	return slices.DeleteFunc(slices.Clone(r.Stale), func(s Stale) bool { return slices.Contains(sinceRules3, s.Reason) })
}
