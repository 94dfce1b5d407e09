package testruns

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/testreport"
)

// Verifies: ORC-147

func TestATestNamedByAnAmbiguousShortFormIsRefused(t *testing.T) {
	ids := []string{"b/FR-1"}
	for i := range 11 {
		ids = append(ids, fmt.Sprintf("f%02d/FR-2", i))
	}
	short := map[string][]string{"FR-1": {"b/FR-1"}, "FR-2": ids[1:]}
	finds := idmatch.Named(ids, short)
	check := func(id string, names ...string) error {
		var cases []testreport.Case
		for _, name := range names {
			cases = append(cases, testreport.Case{Name: name})
		}
		return CheckNames(cases, id, finds, short)
	}
	require.NoError(t, check("b/FR-1", "FR-1", "FR-2"), "FR-2 is not what it is called")
	require.NoError(t, check("f00/FR-2", "FR-1", "waits"))
	err := check("f00/FR-2", "waits", "TestStops_FR2")
	require.ErrorIs(t, err, fault.Invalid)
	require.Contains(t, fault.As(err).Detail,
		`the test "TestStops_FR2" names FR-2, which is the short form of 11 requirements: f00/FR-2, f01/FR-2`)
	require.Contains(t, fault.As(err).Detail, "f09/FR-2, …")
}
