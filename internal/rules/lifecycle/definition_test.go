package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func definition() Definition {
	return Definition{
		ID: "REQ-1", Title: "Login", Text: "text", Kind: "requirement", Acceptance: []Criterion{{Kind: "acceptance", Text: "a"}}, Fingerprint: "fp",
		Source: Source{Path: "R.md", Line: 3, EndLine: 4, Section: []string{"S"}, Family: "markdown"},
	}
}

func TestDefine(t *testing.T) {
	req, drift := Define(nil, definition(), noon, LatestRules)
	require.Equal(t, Added, drift)
	require.Equal(t, NotStarted, req.Status)
	require.Equal(t, uint64(1), req.Revision)
	require.NotNil(t, req.PMNotes)

	same, drift := Define(&req, definition(), noon, LatestRules)
	require.Equal(t, Unchanged, drift)
	require.Equal(t, req, same)

	for name, change := range map[string]func(*Definition){
		"line": func(d *Definition) { d.Source.Line++ }, "end line": func(d *Definition) { d.Source.EndLine++ },
		"path": func(d *Definition) { d.Source.Path = "x" }, "family": func(d *Definition) { d.Source.Family = "x" },
		"section": func(d *Definition) { d.Source.Section = []string{"T"} }, "title": func(d *Definition) { d.Title = "x" },
		"text": func(d *Definition) { d.Text = "x" }, "kind": func(d *Definition) { d.Kind = "x" },
		"acceptance": func(d *Definition) { d.Acceptance = nil }, "id": func(d *Definition) { d.ID = "x" },
		"parents": func(d *Definition) { d.Parents = []string{"x"} }, "depends on": func(d *Definition) { d.DependsOn = []string{"x"} },
		"tick":     func(d *Definition) { d.Source.Tick = "open" },
		"assigned": func(d *Definition) { d.Source.Assigned = true },
	} {
		moved := definition()
		change(&moved)
		next, drift := Define(&req, moved, noon, LatestRules)
		require.Equal(t, Moved, drift, name)
		require.Equal(t, uint64(2), next.Revision, name)
		require.False(t, next.Suspect, name)
	}
}

// Verifies: ORC-005
func TestTextThatChangesAfterWorkBeganIsSuspect(t *testing.T) {
	other := definition()
	other.Fingerprint = "fp2"
	untouched, _ := Define(nil, definition(), noon, LatestRules)
	next, drift := Define(&untouched, other, noon, LatestRules)
	require.Equal(t, Changed, drift)
	require.False(t, next.Suspect, "nothing rests on the old text")

	designed := untouched
	designed.Stamps.DesignSpec = Stamp{Revision: 2}
	next, _ = Define(&designed, other, noon, LatestRules)
	require.True(t, next.Suspect)

	planned := untouched
	planned.Status = Planned
	next, _ = Define(&planned, other, noon, LatestRules)
	require.True(t, next.Suspect)
	shifted := other
	shifted.Source.Line++
	moved, drift := Define(&next, shifted, noon, LatestRules)
	require.Equal(t, Moved, drift)
	require.True(t, moved.Suspect, "a shifted line accepts nothing")
	back, _ := Define(&next, definition(), noon, LatestRules)
	require.True(t, back.Suspect, "only PM clears it")
}

// Verifies: ORC-006
func TestRetire(t *testing.T) {
	req, _ := Define(nil, definition(), noon, LatestRules)
	gone, drift := Retire(req)
	require.Equal(t, Retired, drift)
	require.True(t, gone.Retired)
	require.False(t, gone.NeedsDeferral(), "it had not begun")
	again, drift := Retire(gone)
	require.Equal(t, Unchanged, drift)
	require.Equal(t, gone, again)

	back, drift := Define(&gone, definition(), noon, LatestRules)
	require.Equal(t, Restored, drift)
	require.False(t, back.Retired)
	require.Equal(t, uint64(3), back.Revision)

	req.Status = Implemented
	gone, _ = Retire(req)
	require.True(t, gone.NeedsDeferral())
	gone.Status = Deferred
	require.False(t, gone.NeedsDeferral())
}

func TestStale(t *testing.T) {
	on := func(fingerprint string) Stamp { return Stamp{Revision: 2, Fingerprint: fingerprint} }
	all := Requirement{
		DesignSpec: []byte("{}"), Implementation: []byte("{}"), Test: &TestRecord{},
		Stamps:    Stamps{DesignSpec: on("old"), Implementation: on("old"), Test: on("old")},
		Approvals: []Approval{{Stamp: on("older"), Decision: Rejected}, {Stamp: on("old"), Decision: Approved}},
	}
	for name, c := range map[string]struct {
		change func(*Requirement)
		want   []string
	}{
		"everything":           {func(*Requirement) {}, []string{"design_spec", "implementation", "test", "approvals"}},
		"a cleared part":       {func(r *Requirement) { r.Implementation = nil }, []string{"design_spec", "test", "approvals"}},
		"a part on this text":  {func(r *Requirement) { r.Stamps.Test = on("new") }, []string{"design_spec", "implementation", "approvals"}},
		"a rejection":          {func(r *Requirement) { r.Approvals = r.Approvals[:1] }, []string{"design_spec", "implementation", "test"}},
		"an approval of it":    {func(r *Requirement) { r.Approvals[1].Fingerprint = "new" }, []string{"design_spec", "implementation", "test"}},
		"nothing to rest on":   {func(r *Requirement) { *r = Requirement{} }, []string{}},
		"only what is cleared": {func(r *Requirement) { *r = Requirement{Stamps: r.Stamps} }, []string{}},
	} {
		r := all
		r.Approvals = append([]Approval(nil), all.Approvals...)
		c.change(&r)
		require.Equal(t, c.want, r.RestingElsewhere("new"), name)
	}
}

func TestStrands(t *testing.T) {
	require.Equal(t, []string{}, Requirement{Status: NotStarted, Deviations: []Deviation{{ID: "D1", Resolution: &Resolution{}}}}.Strands())
	require.Equal(t, []string{"status"}, Requirement{Status: Planned}.Strands())
	require.Equal(t, []string{"status", "design_spec", "implementation", "test", "approvals", "deviations"}, Requirement{
		Status: Done, DesignSpec: []byte("{}"), Implementation: []byte("{}"), Test: &TestRecord{}, Approvals: []Approval{{}},
		Deviations: []Deviation{{ID: "D1", Resolution: &Resolution{}}, {ID: "D2"}},
	}.Strands())
}

// TestAPriorityThatChangesMakesSuspect: what matters most is decided by PM, not by an edit of the document.
func TestAPriorityThatChangesMakesSuspect(t *testing.T) {
	req := complete(Planned, Results{})
	def := req.Definition
	def.Source.Priority = "P1"
	next, drift := Define(&req, def, noon.Add(time.Hour), LatestRules)
	require.Equal(t, Changed, drift)
	require.True(t, next.Suspect)
	require.Equal(t, noon.Add(time.Hour), next.TextSince)
	require.Empty(t, next.RestingElsewhere(next.Fingerprint))

	accept := Change{Fields: []string{FieldAcceptFingerprint, FieldPMNotes}, AcceptFingerprint: next.Fingerprint, PMNotes: []NewNote{{"so be it"}}}
	accepted, err := V1.Apply(next, Actor{"paula", PM}, accept, noon)
	require.NoError(t, err)
	require.False(t, accepted.Suspect)

	before, drift := Define(&req, def, noon, Rules2)
	require.Equal(t, Moved, drift, "as the rules of its time have it")
	require.False(t, before.Suspect)
	def.Source.Priority, def.Source.Tick = req.Source.Priority, "ticked"
	ticked, drift := Define(&req, def, noon, LatestRules)
	require.Equal(t, Moved, drift, "a tick is a claim of the document")
	require.False(t, ticked.Suspect)
	untouched := Requirement{Definition: req.Definition, Status: NotStarted}
	def.Source.Priority = "P2"
	fresh, _ := Define(&untouched, def, noon, LatestRules)
	require.False(t, fresh.Suspect, "no work rests on it")
}
