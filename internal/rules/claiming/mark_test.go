package claiming

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

func TestMarks(t *testing.T) {
	until := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cody := lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}
	claims := []Claim{{Requirement: "REQ-1", Field: lifecycle.FieldImplementation, By: cody, Holder: "ab", Until: until}}
	want := Mark{lifecycle.FieldImplementation, cody, until, true}
	require.Equal(t, []Mark{want}, Marks(claims, "ab"))
	require.False(t, Marks(claims, "cd")[0].Yours, "another token of the same name")
	require.Nil(t, Marks(nil, "ab"))
	require.Equal(t, &want, MarkOf(claims, lifecycle.Coder, "ab"))
	require.Nil(t, MarkOf(claims, lifecycle.Tester, "ab"))
	require.Nil(t, MarkOf(claims, lifecycle.PM, "ab"))
}
