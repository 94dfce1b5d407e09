package encode

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestEncodingsAreApart: no encoding is in the memory of another one.
func TestEncodingsAreApart(t *testing.T) {
	first, err := Requirement(&lifecycle.Requirement{Status: lifecycle.Done})
	require.NoError(t, err)
	before := string(first)
	_, err = Requirement(&lifecycle.Requirement{Status: lifecycle.Planned, Suspect: true})
	require.NoError(t, err)
	require.Equal(t, before, string(first))
}

// TestAnEmptyRequirement has no member that may be left out.
func TestAnEmptyRequirement(t *testing.T) {
	want, err := ledger.Encode(lifecycle.Requirement{})
	require.NoError(t, err)
	got, err := Requirement(&lifecycle.Requirement{})
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// TestRequirement holds the bytes of a requirement to those of the library.
func TestRequirement(t *testing.T) { jsonobjecttest.Like(t, nil, Requirement) }
