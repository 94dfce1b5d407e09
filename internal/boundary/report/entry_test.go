package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// TestEntries: each kind of line says in a few words what happened, and who did it.
// Verifies: ORC-223
func TestEntries(t *testing.T) {
	at := boundarytest.Day0
	until := at.Add(time.Hour)
	files := []boundary.Target{{Path: "a"}, {Path: "b"}, {Path: "b"}, {Path: "c"}, {Path: "d/", Unknown: true}}
	shell := folder.Line{ID: "1", At: at, Kind: folder.KindDecision, Client: "x", Session: "s", Tool: "Bash", Shell: true,
		Actor: &boundary.Actor{Kind: boundary.Agent, ID: "i", Type: "coder"}, Mode: boundary.Enforce, Micros: 1500,
		Parts: []boundary.Part{{Words: []string{"git", "log"}, Class: boundary.Reads}, {Class: boundary.Writes},
			{Words: []string{"sed"}, Class: boundary.Writes, Targets: files}, {Words: []string{"sed"}, Class: boundary.Writes}},
		Reads:   []boundary.Target{{Path: ".orchestrator/tokens/pm.token"}},
		Verdict: &boundary.Verdict{Decision: boundary.Block, Rule: boundary.RuleWrites}}
	require.Equal(t, report.Entry{At: at, Client: "x", Session: "s", Actor: "agent coder", Decision: boundary.Block,
		What: "Bash: git log; sed on a, b, c, 2 more", Rule: boundary.RuleWrites, Mode: boundary.Enforce,
		Took: 1500 * time.Microsecond}, report.EntryOf(shell))
	require.Equal(t, "Edit on a, let through by bypass g1", report.EntryOf(folder.Line{Kind: folder.KindDecision, Tool: "Edit",
		Named: files[:1], Verdict: &boundary.Verdict{Decision: boundary.Allow, Bypass: "g1"}}).What)
	shell.Verdict.Mode = boundary.Confirm
	require.Equal(t, boundary.Confirm, report.EntryOf(shell).Mode, "the files have a mode of their own")
	for want, l := range map[string]folder.Line{
		"Edit":   {Kind: folder.KindDecision, Tool: "Edit", Verdict: &boundary.Verdict{}},
		"Read":   {Kind: folder.KindDecision, Tool: "Read"},
		"done W": {Kind: folder.KindOutcome, What: folder.OutcomeDone, Tool: "W"},
		"enforce after validate: why (not ready; override: it burns)": {Kind: folder.KindMode, Mode: boundary.Enforce,
			From: boundary.Validate, Reason: "why", Override: "it burns"},
		"g1 for session s until 2026-01-01T10:00:00Z: stuck": {Kind: folder.KindGrant, Reason: "stuck",
			Grant: &boundary.Grant{ID: "g1", Session: "s", Until: until}},
		"g1 for session s ended 2026-01-01T10:00:00Z: over": {Kind: folder.KindGrant, Reason: "over", Revoked: true,
			Grant: &boundary.Grant{ID: "g1", Session: "s", Until: until}},
		"instead of 3f: no ids":        {Kind: folder.KindRecovery, Of: "3f", Reason: "no ids"},
		"3f is labelled correct: fine": {Kind: folder.KindLabel, What: report.LabelCorrect, Of: "3f", Reason: "fine"},
		"team revoked: two are new":    {Kind: folder.KindAttestation, What: "team", Revoked: true, Reason: "two are new"},
		"no ids; done about it: they have some (https://example.com/12)": {Kind: folder.KindRecovery, Reason: "no ids",
			Mend: "they have some", Link: "https://example.com/12"},
		"48h: no errors": {Kind: folder.KindReview, What: "48h", Reason: "no errors"},
		"it is null":     {Kind: folder.KindError, Reason: "it is null"},
		"":               {Kind: "of a newer program"},
	} {
		l.By = "local:ada"
		e := report.EntryOf(l)
		require.Equal(t, want, e.What)
		require.Equal(t, "local:ada", e.Actor)
	}
	require.Equal(t, boundary.Decision(folder.KindLabel), report.EntryOf(folder.Line{Kind: folder.KindLabel}).Decision)
}
