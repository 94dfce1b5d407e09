package reqdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"

	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqid"
)

// String returns "path:line".
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.Path, p.Line) }

// from returns where something stands, seen from another place.
func (p Place) from(other Place) string {
	if p.Path == other.Path {
		return fmt.Sprintf("line %d", p.Line)
	}
	return p.String()
}

// unique drops repetitions with a warning and reports ids that stand for different texts. It takes the slice over.
func unique(all []Requirement, imported bool) (kept []Requirement, warnings, problems []Problem) {
	first := make(map[string]int, len(all))
	kept = all[:0]
	for _, r := range all {
		at, seen := first[r.ID]
		if !seen {
			first[r.ID] = len(kept)
			kept = append(kept, r)
			continue
		}
		before := kept[at]
		if before.Fingerprint == r.Fingerprint {
			warnings = append(warnings, remark(ReasonRepeated, r.Place, r.ID,
				fmt.Sprintf("%s is defined on %s and again, word for word, on %s", r.ID, before.from(r.Place),
					r.from(r.Place)),
				"remove one of the two"))
			continue
		}
		problems = append(problems, problem(r.Place, r.ID,
			fmt.Sprintf("%s is defined on %s and with another text on %s", r.ID, before.from(r.Place), r.from(r.Place)),
			unlikeFix(before, r, imported)))
	}
	return kept, warnings, problems
}

// unlikeFix returns what to do about two texts with one id. Those of two folders have it by right: what they lack is
// the folder.
func unlikeFix(a, b Requirement, imported bool) string {
	folder := func(r Requirement) string {
		return qualify.FolderOf(qualify.Families, r.Path, qualify.PerFolder(r.Family))
	}
	switch {
	case folder(a) == folder(b):
		return "give one of them another id"
	case imported:
		return "let ids begin with the folder of their document: orchestrator rename --qualify folder"
	}
	return "let ids begin with the folder of their document: --qualify folder"
}

// Nearly reports ids that are not the same and that a reader would take for one another.
func Nearly(a, b string) bool {
	return a != b && (reqid.NearKey(a) == reqid.NearKey(b) || reqid.LookAlike(a, b))
}

// nearKey returns the key of an id, of whose folder and short form each is compared by itself.
func nearKey(at Place, id string) string {
	short := qualify.Short(id, at.Path)
	return reqid.NearKey(strings.TrimSuffix(id, short)) + reqid.NearKey(short)
}

// nearMisses reports ids that a reader would take for one another: among those that are defined, and between them
// and those that looked like a definition and were not taken.
func nearMisses(all []Requirement, refused []Entry) []Problem {
	var problems []Problem
	first := make(map[string]int, len(all))
	report := func(at Place, id string, other Requirement, fix string) {
		problems = append(problems, problem(at, id,
			fmt.Sprintf("%s on %s is nearly %s on %s: did you mean %s?", id, at.from(at), other.ID, other.from(at),
				other.ID),
			fix))
	}
	for i, r := range all {
		key := nearKey(r.Place, r.ID)
		if other, seen := first[key]; seen {
			report(r.Place, r.ID, all[other], "give one of them an id that cannot be mistaken")
			continue
		}
		first[key] = i
	}
	problems = append(problems, lookalikes(all, refused)...)
	for _, e := range refused {
		if other, seen := first[nearKey(e.Place, e.ID)]; seen && all[other].ID != e.ID {
			report(e.Place, e.ID, all[other], "write "+all[other].ID)
		}
	}
	return problems
}

// lookalikes reports ids that look alike in different scripts.
func lookalikes(all []Requirement, refused []Entry) []Problem {
	foreign := func(r Requirement) bool { return reqid.IsForeign(r.ID) }
	if !slices.ContainsFunc(all, foreign) {
		return nil
	}
	var problems []Problem
	seen, places := reqid.Lookalikes{}, make(map[string]Place, len(all))
	check := func(at Place, id string) {
		places[id] = at
		other := seen.Add(id)
		if other == "" {
			return
		}
		problems = append(problems, problem(at, id,
			fmt.Sprintf("%s on %s looks like %s on %s, and is another id: %s", id, at.from(at), other,
				places[other].from(at), reqid.Difference(id, other)),
			fmt.Sprintf("choose an id that cannot be mistaken for %s", other)))
	}
	for _, r := range all {
		check(r.Place, r.ID)
	}
	for _, e := range refused {
		if _, known := places[e.ID]; !known {
			check(e.Place, e.ID)
		}
	}
	return problems
}

// listed returns the first problems in order of documents and lines.
func listed(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	return problems[:min(len(problems), maxListed)]
}

// pointer returns "path#Lline".
func (p Problem) pointer() string { return fmt.Sprintf("%s#L%d", p.Path, p.Line) }

func refusal(problems []Problem) *fault.Error {
	err := fault.New(fault.Invalid, "document_invalid", "problems with ids in the documents: %d", len(problems)).
		WithFix("mend the documents; until then nothing is taken from them")
	for _, p := range listed(problems) {
		err.Fields = append(err.Fields, fault.Field{Pointer: p.pointer(), Detail: p.Message, Fix: p.Fix})
	}
	return err
}
