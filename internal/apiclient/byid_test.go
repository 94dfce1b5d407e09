package apiclient

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Covers: ORC-147

func TestAShortFormIsAskedForOnceMore(t *testing.T) {
	unknown := func(ids ...string) error {
		return &fault.Error{Kind: fault.NotFound, Code: "unknown_requirement", IDs: ids}
	}
	for _, c := range []struct {
		err   error
		asked []string
	}{
		{unknown("a/FR-1"), []string{"FR-1", "a/FR-1"}},
		{unknown("a/FR-1", "b/FR-1"), []string{"FR-1"}},
		{unknown(), []string{"FR-1"}},
		{unknown("FR-1"), []string{"FR-1"}},
		{&fault.Error{Kind: fault.Conflict, IDs: []string{"a/FR-1"}}, []string{"FR-1"}},
		{nil, []string{"FR-1"}},
	} {
		var asked []string
		answer, err := ByID("FR-1", func(id string) (string, error) {
			asked = append(asked, id)
			if len(asked) == 2 {
				return "found " + id, nil
			}
			return "", c.err
		})
		require.Equal(t, c.asked, asked)
		if len(asked) == 2 {
			require.NoError(t, err)
			require.Equal(t, "found a/FR-1", answer)
		} else {
			require.Equal(t, c.err, err)
		}
	}
}
