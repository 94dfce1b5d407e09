package renames

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Verifies: ORC-176

// What the documents no longer have keeps nobody from another form: it keeps its folder where its id would be another's.
func TestARetiredRequirementBlocksNoForm(t *testing.T) {
	all := map[string]lifecycle.Requirement{}
	p := projection.Project{}
	add := func(folder string, retired bool) {
		id := folder + "/FR-001"
		all[id] = lifecycle.Requirement{Retired: retired, Definition: lifecycle.Definition{ID: id,
			Source: lifecycle.Source{Path: "specs/" + folder + "/spec.md"}}}
		p.IDs = append(p.IDs, id)
	}
	decide := func() (renaming.Outcome, error) {
		find := func(id string) (lifecycle.Requirement, bool, error) { r, is := all[id]; return r, is, nil }
		return Decide(renaming.State{Find: find}, p, nil, "none", 9, lifecycle.LatestRules)
	}
	add("001-a", false)
	add("003-x", true)
	add("004-y", true)
	out, err := decide()
	require.NoError(t, err)
	require.Equal(t, []renaming.Pair{{From: "001-a/FR-001", To: "FR-001"}}, out.Pairs)
	add("002-b", false)
	_, err = decide()
	require.True(t, fault.Is(err, "rename_form_invalid"))
}
