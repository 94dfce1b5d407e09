package reasons

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-297
func TestWhatIsSaidBecomesAMember(t *testing.T) {
	late := map[string]any{"reason": "it is late"}
	shown := map[string]any{"reason": "it is late", "evidence": []any{map[string]any{"kind": "file", "path": "a/b.md", "lines": "3-9"}}}
	for _, c := range []struct {
		member string
		value  any
		want   any
	}{
		{"justification", " it is late ", late},
		{"justification", `"it is late", see a/b.md:3-9`, shown},
		{"pm_notes", "it is late", []any{map[string]any{"text": "it is late"}}},
		{"status", "planned", nil},
		{"justification", "  ", nil},
		{"justification", late, nil},
	} {
		made, ok := Answer(c.member, c.value)
		require.Equal(t, c.want, made)
		require.Equal(t, c.want != nil, ok)
		require.Equal(t, ok, Made(c.member, c.want, c.value), "what was made of it")
		require.False(t, Made(c.member, "else", c.value))
	}
	require.True(t, Made("justification", shown, "it is late"), "with the evidence that the service added")
	require.False(t, Made("justification", late, "it is early"))
	require.Contains(t, Question("justification"), "why")
	require.Contains(t, Question("pm_notes"), "noted")
	require.Empty(t, Question("status"))
}
