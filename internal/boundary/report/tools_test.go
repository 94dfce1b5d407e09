package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// Tools that neither the client's table nor the policy knows are counted, by the client's own name; what is known by
// now is left out, and so are shells.
//
// Verifies: ORC-197
func TestUnknownTools(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	h := &History{}
	call := func(client, tool, own string, hours int) {
		h.Decisions = append(h.Decisions, Decision{
			told: &told{Client: client, Tool: tool, OwnTool: own}, At: at.Add(time.Duration(hours) * time.Hour)})
	}
	call("codex", "collaborationspawn_agent", "", 0) // noted before it was known
	call("codex", "Task", "collaborationspawn_agent", 1)
	call("codex", "collaborationfrobnicate", "", 2)
	call("codex", "collaborationfrobnicate", "", 5)
	call("codex", "collaborationfrobnicate", "", 4)
	call("claude", "Artifact", "", 3)
	call("claude", "mcp__fs__write_file", "", 3)
	call("claude", "mcp__a/b__list[x]", "", 3)
	call("nobody", "get_page", "", 3)
	call("claude", "Read", "", 3)
	call("claude", "", "", 3)
	h.Decisions = append(h.Decisions, Decision{told: &told{Client: "claude", Tool: "Bash", Shell: true}, At: at})
	p := boundary.DefaultPolicy()
	p.AllowedTools = append(p.AllowedTools, "get_*")
	got := h.Unlisted(&p, time.Time{})
	require.Equal(t, []Unlisted{
		{"codex", "collaborationfrobnicate", 3, at.Add(5 * time.Hour), boundary.Ambiguous, linesFor("collaborationfrobnicate", boundary.Ambiguous)},
		{"claude", "Artifact", 1, at.Add(3 * time.Hour), boundary.Ambiguous, linesFor("Artifact", boundary.Ambiguous)},
		{"claude", "mcp__a/b__list[x]", 1, at.Add(3 * time.Hour), boundary.Ambiguous, linesFor("mcp__a/b__list[x]", boundary.Ambiguous)},
		{"claude", "mcp__fs__write_file", 1, at.Add(3 * time.Hour), boundary.Writes, linesFor("mcp__fs__write_file", boundary.Writes)},
	}, got.Tools)
	require.Equal(t, `add "mcp__a_b__list?x?" to allowed_tools`, got.Tools[2].Lines[0].Line)
	require.Equal(t, []Suggestion{{"it changes no file", `add "get_x" to allowed_tools`}}, linesFor("get_x", boundary.Reads))
	p.AllowedTools = append(p.AllowedTools, "mcp__a_b__list?x?")
	require.Equal(t, []string{"codex"}, clientsOf(h.Unlisted(&p, at.Add(4*time.Hour))))
	require.Len(t, h.Unlisted(&p, time.Time{}).Tools, 3, "the line of the policy classes it")
}

func clientsOf(u UnlistedTools) (names []string) {
	for _, one := range u.Tools {
		names = append(names, one.Client)
	}
	return names
}
