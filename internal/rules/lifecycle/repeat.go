package lifecycle

import "slices"

// Repeats reports whether a change asks for the very move that the requirement made last, by the same actor, with
// nothing else than what is there already. Who lost the answer to a move sends it again.
func (r Requirement) Repeats(who Actor, c Change) bool {
	if c.Status == "" || len(c.Violations) > 0 || len(r.History) == 0 || c.Status != r.Status {
		return false
	}
	last := r.History[r.lastMove()]
	return last.By == who.Name && last.Role == who.Role && c.Justification != nil &&
		c.Justification.Reason == last.Justification.Reason &&
		asGiven(c.Justification.Evidence, last.Justification.Evidence) &&
		c.DesignSpec == nil && c.Implementation == nil && r.hasTest(c.Test) && r.hasEntries(c, last.Revision) &&
		(c.AcceptFingerprint == "" || c.AcceptFingerprint == r.Fingerprint && !r.Suspect)
}

// MadeFrom returns the revision from which the last move was made; 0 without one.
func (r Requirement) MadeFrom() uint64 {
	if len(r.History) == 0 {
		return 0
	}
	return r.History[r.lastMove()].Revision - 1
}

// asGiven compares evidence as it was given.
func asGiven(sent, kept []Evidence) bool {
	return slices.EqualFunc(sent, kept, func(a, b Evidence) bool {
		a.Found, b.Found = nil, nil
		return a == b
	})
}

// hasTest reports whether the test record is as it was sent, where it was. The service may have counted its results.
func (r Requirement) hasTest(sent Optional) bool {
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
func (r Requirement) hasEntries(c Change, at uint64) bool {
	var notes []NewNote
	for _, n := range r.PMNotes {
		if n.Revision == at {
			notes = append(notes, NewNote{n.Text})
		}
	}
	var approvals []NewApproval
	for _, a := range r.Approvals {
		if a.Revision == at {
			approvals = append(approvals, NewApproval{a.Decision, a.Text})
		}
	}
	return (len(c.PMNotes) == 0 || slices.Equal(c.PMNotes, notes)) &&
		(len(c.Approvals) == 0 || slices.Equal(c.Approvals, approvals)) &&
		!slices.ContainsFunc(c.Deviations, func(d DeviationChange) bool { return !r.hasDeviation(d, at) })
}

// hasDeviation reports whether a deviation was recorded or resolved so at a revision.
func (r Requirement) hasDeviation(sent DeviationChange, at uint64) bool {
	i := slices.IndexFunc(r.Deviations, func(d Deviation) bool { return d.ID == sent.ID })
	if i < 0 || sent.Text != "" && sent.Text != r.Deviations[i].Text {
		return false
	}
	kept := r.Deviations[i]
	if sent.Resolution == nil {
		return kept.Revision == at
	}
	return kept.Resolution != nil && kept.Resolution.Revision == at &&
		*sent.Resolution == NewResolution{kept.Resolution.Outcome, kept.Resolution.Text}
}
