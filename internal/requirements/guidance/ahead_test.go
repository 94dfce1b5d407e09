package guidance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// All that is lacking is named once, where it is needed first; PM's word on each.
func TestWhatIsLackingAhead(t *testing.T) {
	named := func(w lifecycle.Workflow, req lifecycle.Requirement) (all []string) {
		for _, step := range LacksAhead(w, req) {
			for _, l := range step.Lacks {
				all = append(all, string(step.To)+" "+l.Gate)
				require.NotEmpty(t, l.Needs(step.To))
			}
		}
		return all
	}
	begun := []string{"design_ready design_spec", "implemented implementation", "tested_pass test_of_this_phase",
		"tested_pass tests_passed", "tested_pass test_evidence", "done approval"}
	require.Equal(t, begun, named(lifecycle.V1, lifecycle.Requirement{Status: lifecycle.NotStarted}))
	suspect := lifecycle.Requirement{Status: lifecycle.Planned, Suspect: true, DesignSpec: []byte("{}")}
	require.Equal(t, append(begun[1:], "done not_suspect"), named(lifecycle.V1, suspect))
	require.Empty(t, named(lifecycle.V1, lifecycle.Requirement{Status: lifecycle.Blocked, HeldFrom: lifecycle.Planned}), "nothing leads on")
	require.Equal(t, begun, named(lifecycle.Rework, lifecycle.Requirement{Status: lifecycle.Blocked, HeldFrom: lifecycle.Planned}))
}
