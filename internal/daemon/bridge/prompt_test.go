package bridge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

func TestOnlyOpenDeviationsAreTold(t *testing.T) {
	require.Equal(t, []string{"D-2: no limit"}, openDeviations([]lifecycle.Deviation{
		{ID: "D-1", Text: "no form", Resolution: &lifecycle.Resolution{Outcome: "fixed"}}, {ID: "D-2", Text: "no limit"},
	}))
}
