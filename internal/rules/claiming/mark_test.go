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
	want := Mark{lifecycle.FieldImplementation, cody, until}
	require.Equal(t, []Mark{want}, Marks(claims))
	require.Nil(t, Marks(nil))
	require.Equal(t, &want, MarkOf(claims, lifecycle.Coder))
	require.Nil(t, MarkOf(claims, lifecycle.Tester))
	require.Nil(t, MarkOf(claims, lifecycle.PM))
}
