package report_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// busy is a journal with something of everything, over five days.
func busy(t *testing.T) *report.History {
	t.Helper()
	dir := boundarytest.Project(t)
	n := 0
	one := func(days int, session, tool, file string, actor boundary.ActorKind) folder.Line {
		n++
		return boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(n), Session: session, Tool: tool, File: file, Actor: actor, At: boundarytest.Day0.Add(time.Duration(days) * day)})
	}
	outcome := func(days int, session, use, what string) folder.Line {
		n++
		return folder.Line{ID: boundarytest.ID(n), At: boundarytest.Day0.Add(time.Duration(days) * day), Kind: folder.KindOutcome, Client: "claude", Session: session, ToolUseID: use, What: what}
	}
	blocked := one(3, "s2", "Write", "b.go", boundary.Main)
	blocked.Verdict.Decision = boundary.Block
	lifted := one(4, "s3", "Edit", "a.go", boundary.Main)
	lifted.Verdict.Decision, lifted.Verdict.Bypass, lifted.Micros = boundary.Allow, "g1", 90_000
	first := one(0, "s1", "Edit", "a.go", boundary.Main)
	boundarytest.Add(t, dir,
		first, one(0, "s1", "Edit", "a.go", boundary.Main), one(1, "s1", "Read", "c.go", boundary.Main), one(1, "s2", "Edit", "a.go", boundary.Agent), blocked, lifted,
		outcome(0, "s1", first.ToolUseID, "done"), outcome(0, "s2", first.ToolUseID, "failed"), // of another session's: the hook left nothing on it
		outcome(3, "s2", blocked.ToolUseID, "done"),
		folder.Line{ID: "e1", At: boundarytest.Day0, Kind: folder.KindError, Client: "claude", Reason: "an early one"},
		folder.Line{ID: "e2", At: boundarytest.Day0.Add(4 * day), Kind: folder.KindError, Client: "codex", Reason: "the last one"},
		folder.Line{ID: "l1", At: boundarytest.Day0, Kind: folder.KindLabel, Of: first.ID, What: report.LabelCorrect},
		folder.Line{ID: "l2", At: boundarytest.Day0, Kind: folder.KindLabel, Of: "nothing", What: report.LabelCorrect},
	)
	boundarytest.AppendRaw(t, dir, "2026-01-05.jsonl", "{\n")
	boundarytest.AppendRaw(t, dir, "2026-01-05.jsonl", `{"id":"x","at":"2026-01-05T00:00:00Z","kind":"decision"}`+"\n")
	return boundarytest.History(t, dir)
}

func TestReport(t *testing.T) {
	r := busy(t).Report(time.Time{})
	require.Equal(t, 6, r.Decisions)
	require.Equal(t, map[boundary.Decision]int{boundary.Allow: 3, boundary.Warn: 2, boundary.Block: 1}, r.ByDecision)
	require.Equal(t, map[boundary.Class]int{boundary.Reads: 1, boundary.Writes: 5}, r.ByClass)
	require.Equal(t, 4, r.Violations, "what a bypass let through is one, too")
	require.Equal(t, []report.SessionCount{{"claude", "s1", 3, 2}, {"claude", "s2", 2, 1}, {"claude", "s3", 1, 1}}, r.Sessions)
	require.Equal(t, []report.Count{{"a.go", 3}, {"b.go", 1}}, r.Files)
	require.Equal(t, []report.Count{{"Edit", 3}, {"Write", 1}}, r.Tools)
	require.Equal(t, []report.Count{{boundary.RuleWrites, 4}}, r.Rules)
	require.Equal(t, []report.DayCount{{"2026-01-01", 2, 2}, {"2026-01-02", 2, 0}, {"2026-01-04", 1, 1}, {"2026-01-05", 1, 1}}, r.Days)
	require.Equal(t, report.Rate{1, 3, 1.0 / 3}, r.Bypasses)
	require.Equal(t, report.Rate{5, 11, 5.0 / 11}, r.Errors, "two failures, a tool without a decision, two lines")
	require.Equal(t, []report.ErrorSeen{{boundarytest.Day0.Add(4 * day), "codex", "the last one"}, {boundarytest.Day0, "claude", "an early one"}}, r.LastErrors)
	require.Equal(t, report.Latency{500, 90_000, 90_000, 90_000}, r.Latency)
	require.Equal(t, 1, r.Ran)
	require.Equal(t, 2, r.Malformed)
	require.Len(t, r.Latest, 4)
	require.Equal(t, "g1", r.Latest[0].Bypass, "newest first")
	require.Equal(t, []any{"done", report.LabelCorrect}, []any{r.Latest[3].Outcome, r.Latest[3].Label})
	require.Empty(t, r.Latest[2].Label)
	require.Equal(t, []string{
		"75 % of the violations are by Edit", "75 % of the violations are on a.go: does an agent for it exist?", "50 % of the violations are in one session, s1",
		"violations per decision went from 50.0 % in the first half of the days to 100.0 % in the second",
		"1 call ran although blocked: the client ignores the hook; see orchestrator boundary doctor",
	}, r.Patterns)
}

func TestAReportFromAMomentOn(t *testing.T) {
	h := busy(t)
	r := h.Report(boundarytest.Day0.Add(4 * day))
	require.Equal(t, []any{1, 1, 0}, []any{r.Decisions, r.Violations, r.Ran})
	require.Equal(t, report.Rate{3, 4, 0.75}, r.Errors, "what ran without a decision was before; lines that cannot be read have no time")
	require.Equal(t, []report.DayCount{{"2026-01-05", 1, 1}}, r.Days)
	require.Equal(t, boundarytest.Day0.Add(4*day), r.Since)
	require.Zero(t, h.Report(boundarytest.Day0.Add(4*day+1)).Decisions)
	none := h.Report(boundarytest.Day0.Add(100 * day))
	require.Equal(t, report.Latency{}, none.Latency)
	require.Zero(t, none.Bypasses)
	require.NotNil(t, none.Patterns)
}

func TestAReportIsBounded(t *testing.T) {
	dir := boundarytest.Project(t)
	for i := range 60 {
		boundarytest.Add(t, dir,
			boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(i), Session: fmt.Sprint("s", i), Tool: fmt.Sprint("mcp__x__write", i), File: fmt.Sprint("f", i), Actor: boundary.Main, At: boundarytest.Day0}),
			folder.Line{ID: fmt.Sprint("e", i), At: boundarytest.Day0, Kind: folder.KindError, Client: "claude", Reason: "r"})
	}
	r := boundarytest.History(t, dir).Report(time.Time{})
	for _, n := range []int{len(r.Sessions), len(r.Files), len(r.Tools), len(r.Latest)} {
		require.Equal(t, 20, n)
	}
	require.Len(t, r.LastErrors, 10)
	require.Equal(t, report.Rate{60, 120, 0.5}, r.Errors)
	require.Equal(t, 60, r.Violations)
	require.Contains(t, r.Patterns, "the violations are spread over 60 sessions")
}

func TestReplayByAnotherPolicy(t *testing.T) {
	h := busy(t)
	p := boundary.DefaultPolicy()
	require.Empty(t, h.Replay(p), "the same policy decides alike, whatever bypass there was")
	p.ExemptPaths, p.Mode = []string{"a.go"}, boundary.Off
	changed := h.Replay(p)
	require.Len(t, changed, 3)
	require.Equal(t, []any{boundary.Block, boundary.Allow, boundary.RuleExempt, []string{"a.go"}}, []any{changed[0].From, changed[0].To, changed[0].Rule, changed[0].Files})
	p = boundary.DefaultPolicy()
	p.Agents = nil
	changed = h.Replay(p)
	require.Len(t, changed, 1)
	require.Equal(t, boundary.Block, changed[0].To, "an agent without rights")
}

func TestReadingOneFile(t *testing.T) {
	dir := boundarytest.Project(t)
	boundarytest.Add(t, dir, boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(1), Session: "s", Tool: "Edit", File: "a", Actor: boundary.Main, At: boundarytest.Day0}))
	h, err := report.ReadFile(filepath.Join(dir.Path(), "journal", "2026-01-01.jsonl"))
	require.NoError(t, err)
	require.Len(t, h.Decisions, 1)
	for _, path := range []string{filepath.Join(dir.Path(), "none"), dir.Path()} {
		_, err = report.ReadFile(path)
		boundarytest.RequireCode(t, err, "journal_missing")
	}
}

// In validate the status names clients whose sessions show no warning.
// Verifies: ORC-211
func TestTheStatusNamesWhoHearsNoWarning(t *testing.T) {
	dir := boundarytest.Project(t)
	for i, client := range []string{"copilot", "claude"} {
		l := boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(i + 1), Session: "s", Tool: "Edit", File: "a.go",
			Actor: boundary.Main, At: boundarytest.Day0})
		l.Client = client
		boundarytest.Add(t, dir, l)
	}
	p, err := dir.Policy()
	require.NoError(t, err)
	s, err := report.StatusOf(dir, &p, boundarytest.Day0)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"copilot": "all sessions"}, s.SilentIn)
	p.Mode = boundary.Enforce
	s, err = report.StatusOf(dir, &p, boundarytest.Day0)
	require.NoError(t, err)
	require.Empty(t, s.SilentIn)
}

// A client that runs the hook of the project and that of the user for one call leaves two lines, and the call counts
// once: in the report, in the checklist, in the log. What anything else tells apart is another call.
// Verifies: ORC-238
func TestACallThatTwoHooksJudgedCountsOnce(t *testing.T) {
	dir := boundarytest.Project(t)
	judged := func(id, use string, after time.Duration, change func(*folder.Line)) folder.Line {
		l := boundarytest.Judged(t, dir, boundarytest.Call{ID: id, Session: "s", Tool: "Edit", File: "a.go", Actor: boundary.Main, At: boundarytest.Day0.Add(after)})
		l.ToolUseID, l.Micros = use, 100+int64(after)
		change(&l)
		return l
	}
	same := func(*folder.Line) {}
	lines := []folder.Line{
		judged("0001", "use", 0, same), judged("0002", "use", 40*time.Millisecond, same),
		judged("0003", "use", 50*time.Millisecond, func(l *folder.Line) { l.Named = []boundary.Target{{Path: "b.go"}} }),
		judged("0004", "use", 60*time.Millisecond, func(l *folder.Line) { l.Verdict.Bypass = "g" }),
		judged("0005", "late", 0, same), judged("0006", "late", 3*time.Second, same),
		judged("0007", "", 0, same), judged("0008", "", 0, same),
		judged("0009", "other", 0, same), judged("0010", "other", 0, func(l *folder.Line) { l.Session = "t" }),
		{ID: "lbl", At: boundarytest.Day0, Kind: folder.KindLabel, Of: "0002", What: report.LabelCorrect},
		{ID: "err", At: boundarytest.Day0, Kind: folder.KindError, Reason: "r"},
		{ID: "out", At: boundarytest.Day0, Kind: folder.KindOutcome, Client: "claude", Session: "s", ToolUseID: "other", What: "done"},
		{ID: "ou2", At: boundarytest.Day0, Kind: folder.KindOutcome, Client: "claude", Session: "s", ToolUseID: "other", What: "done"},
	}
	boundarytest.Add(t, dir, lines...)
	h := boundarytest.History(t, dir)
	var ids []string
	for _, d := range h.Decisions {
		ids = append(ids, d.ID)
	}
	counted := []string{"0001", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010"}
	require.Equal(t, counted, ids)
	require.Equal(t, report.LabelCorrect, *h.Decisions[0].Label, "of the second line, and so of the call")
	require.Equal(t, report.Rate{1, 11, 1.0 / 11}, h.Report(time.Time{}).Errors, "the hook ran for both")
	require.Equal(t, report.Rate{0, 1, 0}, h.Report(boundarytest.Day0.Add(time.Second)).Errors)
	p, err := dir.Policy()
	require.NoError(t, err)
	require.Equal(t, []int{9, 11}, []int{h.Figures(&p, boundarytest.Day0).ToolUses, h.Figures(&p, boundarytest.Day0).Runs})

	_, newest, err := report.NewTail(dir, 0, time.Time{})
	require.NoError(t, err)
	ids = nil
	for _, l := range newest {
		if l.Kind == folder.KindDecision {
			ids = append(ids, l.ID)
		}
	}
	require.Equal(t, counted, ids)
}
