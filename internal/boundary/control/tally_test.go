package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// The metrics count a call that two hooks judged once, in whichever batches its lines come.
// Verifies: ORC-238
func TestTheTallyCountsACallOnce(t *testing.T) {
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	judged := func(id, use string) folder.Line {
		return folder.Line{ID: id, At: at, Kind: folder.KindDecision, Client: "claude", Session: "s", ToolUseID: use,
			Verdict: &boundary.Verdict{Decision: boundary.Allow, Bypass: "g"}}
	}
	var c tally
	c.add([]folder.Line{judged("1", "a"), judged("2", "b")})
	c.add([]folder.Line{judged("3", "a"), judged("4", ""), judged("5", ""), {ID: "6", Kind: folder.KindError}})
	require.Equal(t, int64(4), c.read().Decisions[boundary.Allow])
	require.Equal(t, int64(4), c.read().Bypassed)
	require.Equal(t, int64(1), c.read().Errors)

	var once folder.Once // it remembers the newest decisions, and not all that there ever were
	require.False(t, once.Again(judged("1", "a")))
	for n := range 1100 {
		require.False(t, once.Again(judged("1", fmt.Sprint(n))))
	}
	require.True(t, once.Again(judged("2", "1099")))
	require.False(t, once.Again(judged("2", "a")), "forgotten: it counts again")
}
