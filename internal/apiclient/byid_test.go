package apiclient

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-147, ORC-175

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

// What reads follows an id that its requirement has no longer, and says so; what changes something does not.
func TestOnlyReadingFollowsAFormerID(t *testing.T) {
	var asked []string
	ask := func(id string) (string, error) {
		asked = append(asked, id)
		if id == "LOGIN-1" {
			return "found", nil
		}
		return "", &fault.Error{Kind: fault.NotFound, Code: "unknown_requirement", RenamedTo: "LOGIN-1"}
	}
	_, err := ByID("REQ-001", ask)
	moved := RenamedError{}
	require.ErrorAs(t, err, &moved)
	require.Equal(t, []string{"REQ-001", "REQ-001", "LOGIN-1"}, append(asked, moved.From, moved.To))
	require.ErrorIs(t, err, fault.NotFound)
	require.Equal(t, moved.Refusal.Error(), err.Error())

	asked = nil
	var told []string
	answer, err := Reading("REQ-001", func(from, to string) { told = append(told, from, to) }, ask)
	require.NoError(t, err)
	require.Equal(t, "found", answer)
	require.Equal(t, []string{"REQ-001", "LOGIN-1"}, asked)
	require.Equal(t, asked, told)

	broken := errors.New("broken")
	_, err = Reading("REQ-001", func(string, string) { t.Error("it was not renamed") },
		func(string) (string, error) { return "", broken })
	require.ErrorIs(t, err, broken)
}

func TestAnIDStandsForOneRequirement(t *testing.T) {
	unknown := func(ids ...string) error { return &fault.Error{Kind: fault.NotFound, IDs: ids} }
	down := errors.New("down")
	for _, c := range []struct {
		err, want error
		id        string
	}{
		{nil, nil, "FR-1"}, {down, down, "FR-1"}, {unknown(), nil, "FR-1"}, {unknown("a/FR-1"), nil, "a/FR-1"},
		{unknown("a/FR-1", "b/FR-1"), unknown("a/FR-1", "b/FR-1"), "FR-1"},
	} {
		id, err := Meant("FR-1", c.err)
		require.Equal(t, c.id, id)
		require.Equal(t, c.want, err)
	}
}
