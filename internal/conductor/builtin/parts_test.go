package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

type object = map[string]any

// decided are approvals of a change.
func decided(decisions ...string) (all []any) {
	for _, d := range decisions {
		all = append(all, object{"decision": d})
	}
	return all
}

// resolved is a deviation that a change resolves.
func resolved(outcome string) []any {
	return []any{object{"id": "D-1", "resolution": object{"outcome": outcome}}}
}

// Verifies: ORC-284
func TestWhatIsStoredOfAChange(t *testing.T) {
	by := func(name, role string, more object) object {
		one := object{"by": name, "role": role, "revision": 3.0}
		for k, v := range more {
			one[k] = v
		}
		return one
	}
	stored := Parts{
		"design_spec":    object{"summary": "a form", "files": []any{object{"path": "a.md", "sha256": "00"}}},
		"implementation": nil,
		"pm_notes":       []any{by("pat", "pm", object{"text": "agreed"}), by("pat", "pm", object{"text": "paid"})},
		"deviations": []any{by("pat", "pm", object{"id": "D-1", "text": "slower",
			"resolution": by("pat", "pm", object{"outcome": "accepted", "text": "so be it"})})},
		"approvals": []any{by("pat", "pm", object{"decision": "rejected"}),
			by("pat", "pm", object{"decision": "approved", "text": "well"}), by("quinn", "pm", object{"decision": "rejected"})},
		"accept_fingerprint": "sha256:00",
	}
	for _, c := range []struct {
		given  planning.Inputs
		differ string
	}{
		{planning.Inputs{}, ""},
		{planning.Inputs{"design_spec": object{"summary": "a form"}}, ""},
		{planning.Inputs{"design_spec": object{"files": []any{object{"path": "a.md"}}}}, ""},
		{planning.Inputs{"design_spec": object{"files": []any{}}}, "design_spec"},
		{planning.Inputs{"design_spec": object{"summary": "a page"}}, "design_spec"},
		{planning.Inputs{"design_spec": nil}, "design_spec"},
		{planning.Inputs{"implementation": nil}, ""},
		{planning.Inputs{"implementation": object{}}, "implementation"},
		{planning.Inputs{"pm_notes": []any{object{"text": "agreed"}}}, ""},
		{planning.Inputs{"pm_notes": []any{object{"text": "X"}}}, "pm_notes"},
		{planning.Inputs{"deviations": resolved("accepted")}, ""}, {planning.Inputs{"deviations": resolved("rejected")}, "deviations"},
		{planning.Inputs{"deviations": []any{object{"id": "D-2", "text": "slower"}}}, "deviations"},
		{planning.Inputs{"approvals": decided("approved")}, ""},
		{planning.Inputs{"approvals": decided("rejected", "approved")}, ""},
		{planning.Inputs{"approvals": decided("rejected")}, "approvals"},
		{planning.Inputs{"approvals": []any{object{}, object{}, object{}}}, "approvals"},
		{planning.Inputs{"accept_fingerprint": "sha256:00"}, ""},
		{planning.Inputs{"accept_fingerprint": "sha256:01"}, "accept_fingerprint"},
	} {
		require.Equal(t, c.differ, differing(c.given, stored, audit.Actor{Name: "pat", Role: "pm"}), "%v", c.given)
	}
	approved := planning.Inputs{"approvals": decided("approved")}
	require.Equal(t, "approvals", differing(approved, stored, audit.Actor{Name: "pat", Role: "coder"}), "it is that of a role")
	require.Empty(t, differing(planning.Inputs{"approvals": []any{}}, Parts{}, audit.Actor{}))
}

// A part stands where it was given, and is gone where it was cleared or the work was rejected.
func TestThePartThatAnObligationIsAbout(t *testing.T) {
	for _, c := range []struct {
		kind   string
		given  planning.Inputs
		stands bool // the part
		holds  bool
	}{
		{"requirement.status", nil, false, true}, {"requirement.accept_fingerprint", nil, false, true},
		{"requirement.test", nil, true, true}, {"requirement.test", nil, false, false},
		{"requirement.test", planning.Inputs{"test": nil}, false, true},
		{"requirement.test", planning.Inputs{"test": nil}, true, false},
		{"requirement.signoff", planning.Inputs{"approvals": decided("rejected", "approved")}, true, true},
		{"requirement.signoff", planning.Inputs{"approvals": decided("approved")}, false, false},
		{"requirement.signoff", planning.Inputs{"approvals": decided("approved", "rejected")}, false, true},
		{"requirement.signoff", planning.Inputs{"approvals": decided("rejected")}, true, false},
		{"requirement.signoff", planning.Inputs{"approvals": "no list"}, true, true},
	} {
		now := Requirement{ID: "REQ-1", Parts: []string{"pm_notes"}}
		part, _ := partOf(planning.Obligation{Payload: planning.Inputs{"kind": c.kind}})
		if c.stands {
			now.Parts = append(now.Parts, part)
		}
		payload := planning.Inputs{"kind": c.kind}
		for name, value := range c.given {
			payload[name] = value
		}
		err := standing(planning.Obligation{Type: planning.Achieve, Payload: payload}, now)
		if c.holds {
			require.NoError(t, err, "%v", c)
			continue
		}
		require.ErrorContains(t, err, "the store does not show", "%v", c)
	}
}
