// Package repeating tells a move that was made already, and is sent again, from one that is to be made.
package repeating

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// Is reports whether a change asks for the very move that the requirement made last, by the same actor, with
// nothing else than what is there already. Who lost the answer to a move sends it again.
//
// Implements: ORC-124
func Is(r lifecycle.Requirement, who lifecycle.Actor, c lifecycle.Change) bool {
	if c.Status == "" || len(c.Violations) > 0 || len(r.History) == 0 || c.Status != r.Status {
		return false
	}
	last := r.History[len(r.History)-1]
	return last.By == who.Name && last.Role == who.Role && c.Justification != nil &&
		c.Justification.Reason == last.Justification.Reason &&
		asGiven(c.Justification.Evidence, last.Justification.Evidence) &&
		c.DesignSpec == nil && c.Implementation == nil && hasTest(r, c.Test) && hasEntries(r, c, last.Revision) &&
		(c.AcceptFingerprint == "" || c.AcceptFingerprint == r.Fingerprint && !r.Suspect)
}

// MadeFrom returns the revision from which the last move was made; 0 without one.
func MadeFrom(r lifecycle.Requirement) uint64 {
	if len(r.History) == 0 {
		return 0
	}
	return r.History[len(r.History)-1].Revision - 1
}

// asGiven compares evidence as it was given.
func asGiven(sent, kept []lifecycle.Evidence) bool {
	return slices.EqualFunc(sent, kept, func(a, b lifecycle.Evidence) bool {
		a.Found, b.Found = nil, nil
		return a == b
	})
}

// hasTest reports whether the test record is as it was sent, where it was. The service may have counted its results.
func hasTest(r lifecycle.Requirement, sent lifecycle.Optional) bool {
	switch {
	case !sent.Sent:
		return true
	case sent.Record == nil || r.Test == nil:
		return sent.Record == nil && r.Test == nil
	}
	a, b := *sent.Record, *r.Test
	return a.Plan == b.Plan && a.Notes == b.Notes && asGiven(a.Evidence, b.Evidence) &&
		(a.Results == nil || b.Results != nil && a.Results.Passed == b.Results.Passed &&
			a.Results.Failed == b.Results.Failed && a.Results.Skipped == b.Results.Skipped)
}

// hasEntries reports whether the entries of a change are those that were appended at a revision.
func hasEntries(r lifecycle.Requirement, c lifecycle.Change, at uint64) bool {
	var notes []lifecycle.NewNote
	for _, n := range r.PMNotes {
		if n.Revision == at {
			notes = append(notes, lifecycle.NewNote{Text: n.Text})
		}
	}
	var approvals []lifecycle.NewApproval
	for _, a := range r.Approvals {
		if a.Revision == at {
			approvals = append(approvals, lifecycle.NewApproval{Decision: a.Decision, Text: a.Text})
		}
	}
	return (len(c.PMNotes) == 0 || slices.Equal(c.PMNotes, notes)) &&
		(len(c.Approvals) == 0 || slices.Equal(c.Approvals, approvals)) &&
		!slices.ContainsFunc(c.Deviations, func(d lifecycle.DeviationChange) bool { return !hasDeviation(r, d, at) })
}

// hasDeviation reports whether a deviation was recorded or resolved so at a revision.
func hasDeviation(r lifecycle.Requirement, sent lifecycle.DeviationChange, at uint64) bool {
	i := slices.IndexFunc(r.Deviations, func(d lifecycle.Deviation) bool { return d.ID == sent.ID })
	if i < 0 || sent.Text != "" && sent.Text != r.Deviations[i].Text {
		return false
	}
	kept := r.Deviations[i]
	if sent.Resolution == nil {
		return kept.Revision == at
	}
	return kept.Resolution != nil && kept.Resolution.Revision == at &&
		*sent.Resolution == lifecycle.NewResolution{Outcome: kept.Resolution.Outcome, Text: kept.Resolution.Text}
}
