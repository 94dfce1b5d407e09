// Package renaming decides whether requirements may get other ids, and what they are afterwards.
//
// Two acts give ids. Confirm joins a requirement that an import has retired with the one that it added under another
// id: the new one takes over the life of the old one, which is gone. Reform gives all requirements of a project ids of
// another form at once. Neither reads a clock; each is decided by the requirements alone, and so the same again by a
// replay.
package renaming

import (
	"fmt"
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Pair is an id and the one that a requirement has in its place.
type Pair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// The codes of refusals, each about one end of a pair.
const (
	CodeSource fault.Code = "rename_source_in_use"    // the old id is unknown, or still in a document
	CodeTarget fault.Code = "rename_target_undefined" // no document defines the new id
	CodeUsed   fault.Code = "rename_target_used"      // the new id has a life of its own
)

// State finds what a renaming depends on.
type State struct {
	Find   func(id string) (req lifecycle.Requirement, found bool, err error)
	Claims func(id string) ([]claiming.Claim, error) // those that count
}

// Outcome is what a renaming comes to. Pairs has those that are not made already, and Next their requirements, as they
// are from now on.
type Outcome struct {
	Pairs []Pair
	Next  []lifecycle.Requirement
}

// Confirm gives the second requirement of each pair the life of the first. The renaming is on the record with the
// number seq. All pairs are made, or none: the refusal lists what is wrong with any of them.
func Confirm(s State, pairs []Pair, seq uint64, rules lifecycle.Rules) (Outcome, error) {
	var out Outcome
	var wrong []fault.Field
	for i, p := range pairs {
		before, was, err := s.Find(p.From)
		if err != nil {
			return Outcome{}, err
		}
		after, is, err := s.Find(p.To)
		if err != nil {
			return Outcome{}, err
		}
		if !was && is && Had(after, p.From) {
			continue
		}
		on, err := s.Claims(p.To)
		if err != nil {
			return Outcome{}, err
		}
		found := slices.Concat(source(i, p, was, before), target(i, p, is, after, len(on) > 0))
		if wrong = append(wrong, found...); len(found) == 0 {
			out.Pairs, out.Next = append(out.Pairs, p), append(out.Next, takeOver(before, after, seq, rules))
		}
	}
	if len(wrong) > 0 {
		return Outcome{}, refusal(wrong)
	}
	return out, nil
}

// Had reports whether a requirement had an id before.
func Had(r lifecycle.Requirement, id string) bool {
	return slices.ContainsFunc(r.FormerIDs, func(f lifecycle.FormerID) bool { return f.ID == id })
}

// mostShown bounds what a refusal lists.
const mostShown = 20

func refusal(wrong []fault.Field) *fault.Error {
	var err *fault.Error
	switch says := "nothing was renamed; what stands against it: %d"; wrong[0].Code {
	case CodeSource:
		err = fault.New(fault.Conflict, CodeSource, says, len(wrong))
	case CodeTarget:
		err = fault.New(fault.Conflict, CodeTarget, says, len(wrong))
	default:
		err = fault.New(fault.Conflict, CodeUsed, says, len(wrong))
	}
	return err.WithFields(wrong[:min(len(wrong), mostShown)]...).WithFix("%s", wrong[0].Fix)
}

// source says what keeps a requirement from giving its life away.
func source(i int, p Pair, found bool, r lifecycle.Requirement) []fault.Field {
	at := fault.Field{Pointer: lifecycle.PointerTo("renames", i) + "/from", Code: CodeSource}
	switch {
	case !found:
		at.Detail = fmt.Sprintf("there is no requirement %s", p.From)
		at.Fix = "take the old id from GET /requirements?retired=true; one that was renamed before answers with its " +
			"present id"
	case !r.Retired:
		at.Detail = fmt.Sprintf("%s is still in a document", p.From)
		at.Fix = fmt.Sprintf("write %s in place of %s in the document and import it; then confirm the renaming", p.To,
			p.From)
	default:
		return nil
	}
	return []fault.Field{at}
}

// target says what keeps a requirement from taking a life over.
func target(i int, p Pair, found bool, r lifecycle.Requirement, claimed bool) []fault.Field {
	at := fault.Field{Pointer: lifecycle.PointerTo("renames", i) + "/to", Code: CodeTarget}
	switch {
	case !found || r.Retired:
		at.Detail = fmt.Sprintf("no document defines %s", p.To)
		at.Fix = fmt.Sprintf("import the document that defines %s, then confirm the renaming", p.To)
	case lives(r):
		at.Code, at.Detail = CodeUsed, fmt.Sprintf("something has happened to %s already; it is %s", p.To, r.Status)
		at.Fix = fmt.Sprintf("keep both and defer %s; or give its text an id that is new, and import", p.From)
	case claimed:
		at.Code, at.Detail = CodeUsed, fmt.Sprintf("somebody has claimed a part of %s", p.To)
		at.Fix = fmt.Sprintf("have the claim on %s released, then confirm the renaming", p.To)
	default:
		return nil
	}
	return []fault.Field{at}
}

// lives reports whether anything has happened to a requirement since it was added.
func lives(r lifecycle.Requirement) bool {
	return r.Status != lifecycle.NotStarted || r.Stamps != (lifecycle.Stamps{}) ||
		len(r.PMNotes)+len(r.Deviations)+len(r.Approvals)+len(r.History)+len(r.FormerIDs) > 0
}

// takeOver returns the new requirement with the life of the old one. If its text is another, that is a change of the
// text. No revision of either is given twice.
func takeOver(before, after lifecycle.Requirement, seq uint64, rules lifecycle.Rules) lifecycle.Requirement {
	former := had(before, seq)
	before.ID = after.ID
	next, _ := lifecycle.Define(&before, after.Definition, after.TextSince, rules)
	next.Revision += after.Revision
	next.FormerIDs = former
	return next
}

// had returns the former ids of a requirement that loses its id by the record with the number seq.
func had(r lifecycle.Requirement, seq uint64) []lifecycle.FormerID {
	return append(slices.Clone(r.FormerIDs), lifecycle.FormerID{ID: r.ID, Record: seq})
}

// Reform gives requirements their ids of another form, ids, which are in the same order. A requirement whose id stays
// is among Next only if it refers to one whose id does not. The caller has made sure that no two ids are the same.
func Reform(all []lifecycle.Requirement, ids []string, seq uint64) Outcome {
	var out Outcome
	now := make(map[string]string, len(all))
	for i, r := range all {
		now[r.ID] = ids[i]
	}
	for i, r := range all {
		next := r
		next.Parents, next.DependsOn = renamed(r.Parents, now), renamed(r.DependsOn, now)
		if r.ID != ids[i] {
			out.Pairs = append(out.Pairs, Pair{r.ID, ids[i]})
			next.ID, next.FormerIDs = ids[i], had(r, seq)
		} else if slices.Equal(next.Parents, r.Parents) && slices.Equal(next.DependsOn, r.DependsOn) {
			continue
		}
		next.Revision, next.Rechecks = r.Revision+1, 0
		out.Next = append(out.Next, next)
	}
	return out
}

func renamed(ids []string, now map[string]string) []string {
	ids = slices.Clone(ids)
	for i, id := range ids {
		if to, known := now[id]; known {
			ids[i] = to
		}
	}
	return ids
}
