package lookup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-147

// inFolder returns a requirement whose document lies in a folder below specs.
func inFolder(folder, short string) lifecycle.Requirement {
	return lifecycle.Requirement{Definition: lifecycle.Definition{ID: folder + "/" + short, Title: short,
		Source: lifecycle.Source{Path: "specs/" + folder + "/spec.md"}}, TextSince: noon}
}

func TestAShortFormNamesTheWholeID(t *testing.T) {
	gone := inFolder("c", "FR-2")
	gone.Retired = true
	snap := snapshotOf(t, inFolder("b", "FR-1"), inFolder("a", "FR-1"), inFolder("a", "FR-2"), gone)
	one := Unknown(snap, "FR-2")
	require.ErrorIs(t, one, fault.NotFound)
	require.Equal(t, []string{"a/FR-2"}, one.IDs)
	require.Equal(t, "its whole id is a/FR-2: /requirements/a%2FFR-2", one.Fix)

	several := Unknown(snap, "FR-1")
	require.Equal(t, []string{"a/FR-1", "b/FR-1"}, several.IDs)
	require.Equal(t, `"FR-1" is the short form of 2 requirements: a/FR-1, b/FR-1`, several.Detail)
	require.Empty(t, Unknown(snap, "FR-3").IDs)
	require.Contains(t, Unknown(snap, "A/FR-1").Fix, "did you mean a/FR-1?")
	require.Contains(t, Unknown(snap, "fr_02").Fix, "did you mean a/FR-2?")
}

func TestNoMoreThanTenIDsAreListed(t *testing.T) {
	var all []lifecycle.Requirement
	for folder := 'a'; folder < 'm'; folder++ {
		all = append(all, inFolder(string(folder), "FR-1"))
	}
	err := Unknown(snapshotOf(t, all...), "FR-1")
	require.Len(t, err.IDs, MaxMeant)
	require.Contains(t, err.Detail, "of 12 requirements: a/FR-1, ")
	require.Contains(t, err.Detail, "j/FR-1, …")
}
