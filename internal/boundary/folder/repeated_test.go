package folder

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// A line repeats another one within two seconds, before or after it, and only where all that it tells is the same.
// Verifies: ORC-238
func TestWhenALineRepeatsAnother(t *testing.T) {
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	first := Line{ID: "1", At: at, Kind: KindDecision, Client: "claude", Session: "s", ToolUseID: "u", Tool: "Edit",
		Actor: &boundary.Actor{Kind: boundary.Main}, Named: []boundary.Target{{Path: "a.go"}},
		Verdict: &boundary.Verdict{Decision: boundary.Block, Rule: boundary.RuleWrites}, Micros: 5}
	for name, c := range map[string]struct {
		change func(*Line)
		want   bool
	}{
		"the same":          {func(*Line) {}, true},
		"later":             {func(l *Line) { l.At = at.Add(within) }, true},
		"too late":          {func(l *Line) { l.At = at.Add(within + 1) }, false},
		"earlier":           {func(l *Line) { l.At = at.Add(-within) }, true},
		"too early":         {func(l *Line) { l.At = at.Add(-within - 1) }, false},
		"another kind":      {func(l *Line) { l.Kind = KindOutcome }, false},
		"no number":         {func(l *Line) { l.ToolUseID = "" }, false},
		"another decision":  {func(l *Line) { l.Verdict = &boundary.Verdict{Decision: boundary.Warn} }, false},
		"another file":      {func(l *Line) { l.Named = []boundary.Target{{Path: "b.go"}} }, false},
		"another actor":     {func(l *Line) { l.Actor = &boundary.Actor{Kind: boundary.Agent} }, false},
		"another mode":      {func(l *Line) { l.Mode = boundary.Enforce }, false},
		"of another client": {func(l *Line) { l.Client = "qwen" }, false},
	} {
		second := first
		second.ID, second.Micros = "2", 7
		c.change(&second)
		require.Equal(t, c.want, second.Repeats(first), name)
	}
}

// What the journal keeps of a call is judged again as it was: a command that would have changed the boundary is known
// by that alone, and no other is taken for one.
func TestACallOfAJournalIsJudgedAsItWas(t *testing.T) {
	for _, c := range []struct {
		line  Line
		text  string
		files int
	}{
		{Line{Shell: true}, "", 0}, {Line{}, "", 0}, {Line{Guarded: true, Shell: true}, ".orchestrator/boundary", 0},
		{Line{Guarded: true, Named: []boundary.Target{{Path: "a"}}}, "", 2},
	} {
		call := c.line.Call()
		require.Equal(t, c.text, call.Text, "%v", c.line)
		require.Len(t, call.Targets, c.files, "%v", c.line)
	}
}
