package boundary

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestUnfinished: a session is told what its claims lack and what supplies it, in at most 1,000 characters.
// Verifies: ORC-224
func TestUnfinished(t *testing.T) {
	one := Lack{"REQ-001", "implementation_in_progress", []string{
		"supply implementation: orchestrator implement REQ-001 --summary '<what was built>'", "then move it"}}
	require.Equal(t, []string{
		"ORCHESTRATOR: not done yet. What you have claimed still lacks something:",
		"- REQ-001 (implementation_in_progress): supply implementation: orchestrator implement REQ-001 --summary " +
			"'<what was built>'; then move it",
		"Do it now, or give the claim up: orchestrator claim ID --release. If neither can be done, say why. " +
			"You are told this once.",
	}, strings.Split(Unfinished([]Lack{one}), "\n"))
	for n := 1; n < 12; n++ {
		var lacks []Lack
		for i := range n {
			lacks = append(lacks, Lack{fmt.Sprintf("REQ-%03d", i), "planned", []string{strings.Repeat("é\n\x1b[1m", 900)}})
		}
		text := Unfinished(lacks)
		require.LessOrEqual(t, utf8.RuneCountInString(text), MaxReminder)
		require.Greater(t, utf8.RuneCountInString(text), MaxReminder/2)
		require.Len(t, strings.Split(text, "\n"), min(n, 5)+2)
		require.NotContains(t, text, "\x1b")
		require.Contains(t, text, "\n- REQ-000 (planned): ")
		require.Equal(t, n > 5, strings.Contains(text, fmt.Sprintf("\n- and %d more: orchestrator next\n", n-4)))
		require.True(t, strings.HasSuffix(text, "You are told this once."))
	}
}
