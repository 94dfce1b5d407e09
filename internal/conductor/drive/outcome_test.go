package drive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

func TestAnOrderIsDoneWhenEveryRequirementIs(t *testing.T) {
	r := Report{Requirements: make([]End, 3), Outcomes: map[Outcome]int{Done: 2, Blocked: 1}}
	require.ErrorIs(t, r.NotDone(), fault.Conflict)
	require.ErrorContains(t, r.NotDone(), "1 of 3 ")
	r.Outcomes[Done] = 3
	require.NoError(t, r.NotDone())
	require.NoError(t, Report{}.NotDone(), "nothing was left to be driven")
	require.True(t, End{Outcome: Done}.Done())
	require.False(t, End{Outcome: Waiting}.Done())
	require.True(t, Step{Outcome: planning.OutResolved}.Resolved())
	require.False(t, Step{Outcome: planning.OutFailed}.Resolved())
}
