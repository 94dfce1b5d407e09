package exportfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-175

func TestAFormerIDFindsWhoHadItLast(t *testing.T) {
	s := Status{Requirements: []Entry{
		{ID: "B", Former: []FormerID{{ID: "A", Record: 9}}},
		{ID: "C", Former: []FormerID{{ID: "A", Record: 4}, {ID: "D", Record: 5}}},
		{ID: "D"},
	}}
	for id, want := range map[string]string{"A": "B", "B": "B", "C": "C", "D": "D"} {
		require.Equal(t, want, s.Find(id).ID, id)
	}
	require.Nil(t, s.Find("E"))
}
