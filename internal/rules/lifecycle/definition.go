package lifecycle

import (
	"slices"
	"time"
)

// Drift is what an import did to one requirement.
type Drift string

// The kinds of drift.
const (
	Unchanged Drift = "unchanged"
	Added     Drift = "added"
	Moved     Drift = "moved"    // same text, other place in the document
	Changed   Drift = "changed"  // other text, or since Rules3 another priority
	Restored  Drift = "restored" // it was retired and is back
	Retired   Drift = "retired"  // the document no longer has it: kept and marked, never deleted
)

// Define takes a definition from the document over into the state. A nil current is a new requirement. Text that
// changes after work began makes the requirement suspect until PM accepts the new text; since Rules3, so does a
// priority that changes. at is when the document was imported.
func Define(current *Requirement, def Definition, at time.Time, rules Rules) (Requirement, Drift) {
	if current == nil {
		return Requirement{
			Definition: def, Status: NotStarted, Revision: 1, TextSince: at,
			PMNotes: []Note{}, Deviations: []Deviation{}, Approvals: []Approval{}, History: []HistoryEntry{},
		}, Added
	}
	drift := driftOf(*current, def, rules)
	if drift == Unchanged {
		return *current, Unchanged
	}
	next := current.clone()
	next.Suspect = current.Suspect || (current.workBegan() && rules.differ(current.Definition, def))
	if rules.differ(current.Definition, def) {
		next.TextSince = at
	}
	next.Definition, next.Retired = def, false
	next.revise()
	next.restale(rules)
	return next, drift
}

// Retire marks a requirement that the document no longer has.
func Retire(current Requirement) (Requirement, Drift) {
	if current.Retired {
		return current, Unchanged
	}
	next := current.clone()
	next.Retired = true
	next.revise()
	return next, Retired
}

// differ reports whether two definitions ask for different things.
func (v Rules) differ(a, b Definition) bool {
	return a.Fingerprint != b.Fingerprint || v >= Rules3 && a.Source.Priority != b.Source.Priority
}

func driftOf(current Requirement, def Definition, rules Rules) Drift {
	switch {
	case current.Retired:
		return Restored
	case rules.differ(current.Definition, def):
		return Changed
	case !current.sameAs(def):
		return Moved
	}
	return Unchanged
}

// sameAs compares everything that is stored, so that an unchanged requirement keeps its revision.
func (d Definition) sameAs(other Definition) bool {
	return d.ID == other.ID && d.Title == other.Title && d.Text == other.Text && d.Kind == other.Kind &&
		d.Fingerprint == other.Fingerprint &&
		slices.Equal(d.Acceptance, other.Acceptance) && slices.Equal(d.Parents, other.Parents) &&
		slices.Equal(d.DependsOn, other.DependsOn) && d.Source.sameAs(other.Source)
}

func (s Source) sameAs(other Source) bool {
	return s.Path == other.Path && s.Line == other.Line && s.EndLine == other.EndLine &&
		slices.Equal(s.Section, other.Section) &&
		s.Family == other.Family && s.Assigned == other.Assigned && s.Priority == other.Priority && s.Tick == other.Tick
}

// workBegan reports whether anything rests on the present text.
func (r Requirement) workBegan() bool { return r.Status != NotStarted || r.Stamps != (Stamps{}) }

// NeedsDeferral reports whether PM must still act on a retired requirement: work had begun, and it is not deferred.
func (r Requirement) NeedsDeferral() bool {
	return r.Retired && r.workBegan() && r.Status != Deferred
}

// RestingElsewhere lists the parts that rest on another text than the one with a fingerprint. A rejection rests on none.
func (r Requirement) RestingElsewhere(fingerprint string) []string {
	stale := []string{}
	for _, part := range []struct {
		name  string
		there bool
		on    string
	}{
		{"design_spec", r.DesignSpec != nil, r.Stamps.DesignSpec.Fingerprint},
		{"implementation", r.Implementation != nil, r.Stamps.Implementation.Fingerprint},
		{"test", r.Test != nil, r.Stamps.Test.Fingerprint},
		{"approvals", r.lastApproval().Decision == Approved, r.lastApproval().Fingerprint},
	} {
		if part.there && part.on != fingerprint {
			stale = append(stale, part.name)
		}
	}
	return stale
}

func (r Requirement) lastApproval() Approval {
	if len(r.Approvals) == 0 {
		return Approval{}
	}
	return r.Approvals[len(r.Approvals)-1]
}

// Strands lists what is left without a requirement when this one is retired: status, parts and open deviations.
func (r Requirement) Strands() []string {
	strands := []string{}
	for _, part := range []struct {
		name  string
		there bool
	}{
		{"status", r.Status != NotStarted},
		{"design_spec", r.DesignSpec != nil},
		{"implementation", r.Implementation != nil},
		{"test", r.Test != nil},
		{"approvals", len(r.Approvals) > 0},
		{"deviations", r.OpenDeviation() != ""},
	} {
		if part.there {
			strands = append(strands, part.name)
		}
	}
	return strands
}

// OpenDeviation returns the id of the first deviation that is not resolved, or "".
func (r Requirement) OpenDeviation() string {
	at := slices.IndexFunc(r.Deviations, func(d Deviation) bool { return d.Resolution == nil })
	if at < 0 {
		return ""
	}
	return r.Deviations[at].ID
}
