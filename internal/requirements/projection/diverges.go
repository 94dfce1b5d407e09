package projection

import (
	"bytes"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/rules/lifecycle"
)

// Diverges names the first requirement, and what of it, that cannot have become what it is in a later state; both are
// "" where this can be an earlier state of the same log.
func (s *Snapshot) Diverges(later *Snapshot) (id, what string) {
	var others map[string][]lifecycle.Requirement // of later, that s does not have; made when it is needed
	for e := range s.All() {
		was := e.Requirement()
		if now, found := later.Find(was.ID); found {
			if what := diverged(was, now.Requirement()); what != "" {
				return was.ID, what
			}
			continue
		}
		if others == nil {
			others = s.missingOf(later)
		}
		became := func(now lifecycle.Requirement) bool { return diverged(was, now) == "" }
		if !slices.ContainsFunc(marksOf(was), func(mark string) bool { return slices.ContainsFunc(others[mark], became) }) {
			return was.ID, "the list of requirements, with that"
		}
	}
	return "", ""
}

// missingOf returns the requirements of a later state that s does not have, by their marks: what was renamed is one.
func (s *Snapshot) missingOf(later *Snapshot) map[string][]lifecycle.Requirement {
	all := map[string][]lifecycle.Requirement{}
	for e := range later.All() {
		req := e.Requirement()
		if _, found := s.Find(req.ID); found {
			continue
		}
		for _, mark := range marksOf(req) {
			all[mark] = append(all[mark], req)
		}
	}
	return all
}

// marksOf returns what tells a requirement under another id: its text, and its first move.
func marksOf(req lifecycle.Requirement) []string {
	marks := []string{"text " + req.Fingerprint}
	if len(req.History) > 0 {
		first := req.History[0]
		marks = append(marks, fmt.Sprintf("moved at %v by %s", first.At, first.By))
	}
	return marks
}

// diverged compares parts that are only appended to entry by entry.
func diverged(was, now lifecycle.Requirement) string {
	switch {
	case was.Revision > now.Revision:
		return "the revision"
	case !begins(was.History, now.History):
		return "the history"
	case !begins(was.Approvals, now.Approvals):
		return "the list of approvals"
	case !begins(was.PMNotes, now.PMNotes):
		return "the list of notes"
	case was.Revision < now.Revision:
		return ""
	case was.Fingerprint != now.Fingerprint || was.Status != now.Status || was.Stamps != now.Stamps:
		return fmt.Sprintf("the state at revision %d", was.Revision)
	}
	return ""
}

// begins reports whether all of was stands at the beginning of now.
func begins[T any](was, now []T) bool {
	if len(was) > len(now) {
		return false
	}
	a, err := jsonv2.Marshal(was, jsonv2.Deterministic(true))
	b, failed := jsonv2.Marshal(now[:len(was)], jsonv2.Deterministic(true))
	return err == nil && failed == nil && bytes.Equal(a, b)
}
