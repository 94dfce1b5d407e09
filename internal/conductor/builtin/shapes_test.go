package builtin

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/schemas"
)

// What a result can have is what its contract says: a value that is not in it can be taken by nobody.
//
// Verifies: ORC-251
func TestResultsHaveTheirShapes(t *testing.T) {
	one := Requirement{ID: "R-1", Status: "planned", Was: "not_started", Title: "T", Kind: "functional", Why: "so", WaitingFor: []lifecycle.Party{"pm"},
		Suspect: true, Stale: true, Retired: true, Revision: 3, Parts: []string{"test"}}
	moved := one.values()
	moved["was"] = "not_started" // which requirement.change adds
	produces := map[string]map[string]any{}
	for _, c := range ProjectContracts() {
		produces[c.Name] = c.Produces
	}
	for name, full := range map[string]map[string]any{
		"requirement.status": moved, "requirement.change": moved,
		"project.status":       ProjectStatus{map[lifecycle.Status]int{"planned": 1}, 1}.values(),
		"requirement.missing":  Missing{"R-1", "planned", 2, []Lacking{{}}}.values(),
		"requirement.next":     NextSteps{[]NextStep{{}}, "R-1", "pm", []Waited{{}}}.values(),
		"query.requirements":   RequirementList{[]Requirement{one}, 1, "R-1"}.values(),
		"requirement.evidence": EvidenceCheck{nil, 1}.values(),
		"audit.verify":         LogCheck{nil, 1, "root"}.values(),
		"query.refusals":       RefusalList{[]Refusal{{At: time.Now()}}, true}.values(),
		"requirement.history":  History{"R-1", "planned", []Move{{}}}.values(),
		"requirement.acts":     Acts{"R-1", "planned", "approved", []Act{{}}}.values(),
	} {
		members := produces[name]["properties"].(map[string]any)
		require.ElementsMatch(t, slices.Collect(maps.Keys(full)), slices.Collect(maps.Keys(members)), name)
		compiled, wrong := schemas.Compile(produces[name])
		require.Empty(t, wrong)
		require.Empty(t, compiled.Violations(full), name)
		delete(produces, name)
	}
	require.Empty(t, produces, "each tool has a shape")
}
