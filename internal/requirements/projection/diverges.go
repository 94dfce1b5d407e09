package projection

import (
	"bytes"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/rules/lifecycle"
)

// Diverges names the first requirement, and what of it, that cannot have become what it is in a later state; both are ""
// where this can be an earlier state of the same log.
func (s *Snapshot) Diverges(later *Snapshot) (id, what string) {
	for e := range s.All() {
		was := e.Requirement()
		now, found := later.Find(was.ID)
		if !found {
			return was.ID, "the list of requirements, with that"
		}
		if what := diverged(was, now.Requirement()); what != "" {
			return was.ID, what
		}
	}
	return "", ""
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
