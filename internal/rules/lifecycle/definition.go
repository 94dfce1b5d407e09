package lifecycle

import "slices"

// Drift is what an import did to one requirement.
type Drift string

// The kinds of drift.
const (
	Unchanged Drift = "unchanged"
	Added     Drift = "added"
	Moved     Drift = "moved"    // same text, other place in the document
	Reworded  Drift = "reworded" // other text
	Restored  Drift = "restored" // it was retired and is back
	Removed   Drift = "removed"  // retired: kept and marked, never deleted
)

// Define takes a definition from the document over into the state. A nil current is a new requirement.
// Text that changes after work began makes the requirement suspect until PM accepts the new text.
func Define(current *Requirement, def Definition) (Requirement, Drift) {
	if current == nil {
		return Requirement{
			Definition: def, Status: NotStarted, Revision: 1,
			PMNotes: []Note{}, Deviations: []Deviation{}, Approvals: []Approval{}, History: []HistoryEntry{},
		}, Added
	}
	drift := driftOf(*current, def)
	if drift == Unchanged {
		return *current, Unchanged
	}
	next := current.clone()
	next.Suspect = current.Suspect || (current.workBegan() && current.Fingerprint != def.Fingerprint)
	next.Definition, next.Retired = def, false
	next.Revision++
	return next, drift
}

// Retire marks a requirement that the document no longer has.
func Retire(current Requirement) (Requirement, Drift) {
	if current.Retired {
		return current, Unchanged
	}
	next := current.clone()
	next.Retired = true
	next.Revision++
	return next, Removed
}

func driftOf(current Requirement, def Definition) Drift {
	switch {
	case current.Retired:
		return Restored
	case current.Fingerprint != def.Fingerprint:
		return Reworded
	case !current.sameAs(def):
		return Moved
	}
	return Unchanged
}

// sameAs compares everything that is stored, so that an unchanged requirement keeps its revision.
func (d Definition) sameAs(other Definition) bool {
	return d.ID == other.ID && d.Title == other.Title && d.Text == other.Text && d.Kind == other.Kind &&
		slices.Equal(d.Acceptance, other.Acceptance) && d.Fingerprint == other.Fingerprint &&
		d.Source.Path == other.Source.Path && d.Source.Line == other.Source.Line && d.Source.EndLine == other.Source.EndLine &&
		d.Source.Family == other.Source.Family && slices.Equal(d.Source.Section, other.Source.Section)
}

// workBegan reports whether anything rests on the present text.
func (r Requirement) workBegan() bool { return r.Status != NotStarted || r.Stamps != (Stamps{}) }

// NeedsDeferral reports whether PM must still act on a retired requirement: work on it had begun and it
// is not deferred.
func (r Requirement) NeedsDeferral() bool {
	return r.Retired && r.workBegan() && r.Status != Deferred
}
