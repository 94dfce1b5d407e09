package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
)

// busy is a journal with something of everything, over five days.
func busy(t *testing.T) *History {
	t.Helper()
	dir := project(t)
	n := 0
	one := func(days int, session, tool, file string, actor boundary.ActorKind) folder.Line {
		n++
		return judged(t, dir, call{id: id(n), session: session, tool: tool, file: file, actor: actor, at: day0.Add(time.Duration(days) * day)})
	}
	outcome := func(days int, session, use, what string) folder.Line {
		n++
		return folder.Line{ID: id(n), At: day0.Add(time.Duration(days) * day), Kind: folder.KindOutcome, Client: "claude", Session: session, ToolUseID: use, What: what}
	}
	blocked := one(3, "s2", "Write", "b.go", boundary.Main)
	blocked.Verdict.Decision = boundary.Block
	lifted := one(4, "s3", "Edit", "a.go", boundary.Main)
	lifted.Verdict.Decision, lifted.Verdict.Bypass, lifted.Micros = boundary.Allow, "g1", 90_000
	first := one(0, "s1", "Edit", "a.go", boundary.Main)
	add(t, dir,
		first, one(0, "s1", "Edit", "a.go", boundary.Main), one(1, "s1", "Read", "c.go", boundary.Main), one(1, "s2", "Edit", "a.go", boundary.Agent), blocked, lifted,
		outcome(0, "s1", first.ToolUseID, "done"), outcome(0, "s2", first.ToolUseID, "failed"), // of another session's: the hook left nothing on it
		outcome(3, "s2", blocked.ToolUseID, "done"),
		folder.Line{ID: "e1", At: day0, Kind: folder.KindError, Client: "claude", Reason: "an early one"},
		folder.Line{ID: "e2", At: day0.Add(4 * day), Kind: folder.KindError, Client: "codex", Reason: "the last one"},
		folder.Line{ID: "l1", At: day0, Kind: folder.KindLabel, Of: first.ID, What: LabelCorrect},
		folder.Line{ID: "l2", At: day0, Kind: folder.KindLabel, Of: "nothing", What: LabelCorrect},
	)
	appendRaw(t, dir, "2026-01-05.jsonl", "{\n")
	appendRaw(t, dir, "2026-01-05.jsonl", `{"id":"x","at":"2026-01-05T00:00:00Z","kind":"decision"}`+"\n")
	return history(t, dir)
}

func TestReport(t *testing.T) {
	r := busy(t).Report(time.Time{})
	require.Equal(t, 6, r.Decisions)
	require.Equal(t, map[boundary.Decision]int{boundary.Allow: 3, boundary.Warn: 2, boundary.Block: 1}, r.ByDecision)
	require.Equal(t, 4, r.Violations, "what a bypass let through is one, too")
	require.Equal(t, []SessionCount{{"claude", "s1", 3, 2}, {"claude", "s2", 2, 1}, {"claude", "s3", 1, 1}}, r.Sessions)
	require.Equal(t, []Count{{"a.go", 3}, {"b.go", 1}}, r.Files)
	require.Equal(t, []Count{{"Edit", 3}, {"Write", 1}}, r.Tools)
	require.Equal(t, []Count{{boundary.RuleWrites, 4}}, r.Rules)
	require.Equal(t, []DayCount{{"2026-01-01", 2, 2}, {"2026-01-02", 2, 0}, {"2026-01-04", 1, 1}, {"2026-01-05", 1, 1}}, r.Days)
	require.Equal(t, Rate{1, 3, 1.0 / 3}, r.Bypasses)
	require.Equal(t, Rate{5, 11, 5.0 / 11}, r.Errors, "two failures, a tool without a decision, two lines")
	require.Equal(t, []ErrorSeen{{day0.Add(4 * day), "codex", "the last one"}, {day0, "claude", "an early one"}}, r.LastErrors)
	require.Equal(t, Latency{500, 90_000, 90_000, 90_000}, r.Latency)
	require.Equal(t, 1, r.Ran)
	require.Equal(t, 2, r.Malformed)
	require.Len(t, r.Latest, 4)
	require.Equal(t, "g1", r.Latest[0].Bypass, "newest first")
	require.Equal(t, []any{"done", LabelCorrect}, []any{r.Latest[3].Outcome, r.Latest[3].Label})
	require.Empty(t, r.Latest[2].Label)
	require.Equal(t, []string{
		"75 % of the violations are by Edit", "75 % of the violations are on a.go: does an agent for it exist?", "50 % of the violations are of one session, s1: they are concentrated",
		"violations per decision went from 50.0 % in the first half of the days to 100.0 % in the second",
		"1 calls were blocked, and their tools ran: the client does not heed the hook; see orchestrator boundary doctor",
	}, r.Patterns)
}

func TestAReportFromAMomentOn(t *testing.T) {
	h := busy(t)
	r := h.Report(day0.Add(4 * day))
	require.Equal(t, []any{1, 1, 0}, []any{r.Decisions, r.Violations, r.Ran})
	require.Equal(t, Rate{3, 4, 0.75}, r.Errors, "what ran without a decision was before; lines that cannot be read have no time")
	require.Equal(t, []DayCount{{"2026-01-05", 1, 1}}, r.Days)
	require.Equal(t, day0.Add(4*day), r.Since)
	require.Zero(t, h.Report(day0.Add(4*day+1)).Decisions)
	none := h.Report(day0.Add(100 * day))
	require.Equal(t, Latency{}, none.Latency)
	require.Zero(t, none.Bypasses)
	require.NotNil(t, none.Patterns)
}

func TestAReportIsBounded(t *testing.T) {
	dir := project(t)
	for i := range 60 {
		add(t, dir,
			judged(t, dir, call{id: id(i), session: fmt.Sprint("s", i), tool: fmt.Sprint("mcp__x__write", i), file: fmt.Sprint("f", i), actor: boundary.Main, at: day0}),
			folder.Line{ID: fmt.Sprint("e", i), At: day0, Kind: folder.KindError, Client: "claude", Reason: "r"})
	}
	r := history(t, dir).Report(time.Time{})
	for _, n := range []int{len(r.Sessions), len(r.Files), len(r.Tools), len(r.Latest)} {
		require.Equal(t, 20, n)
	}
	require.Len(t, r.LastErrors, 10)
	require.Equal(t, Rate{60, 120, 0.5}, r.Errors)
	require.Equal(t, 60, r.Violations)
	require.Contains(t, r.Patterns, "the violations are spread over 60 sessions: the pattern is general")
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
	dir := project(t)
	add(t, dir, judged(t, dir, call{id: id(1), session: "s", tool: "Edit", file: "a", actor: boundary.Main, at: day0}))
	h, err := ReadFile(filepath.Join(dir.Path(), "journal", "2026-01-01.jsonl"))
	require.NoError(t, err)
	require.Len(t, h.Decisions, 1)
	for _, path := range []string{filepath.Join(dir.Path(), "none"), dir.Path()} {
		_, err = ReadFile(path)
		requireCode(t, err, "journal_missing")
	}
}

// The watch records what comes, says a failure once, and ends with its context.
func TestWatch(t *testing.T) {
	dir, s := project(t), store.NewMemory()
	g := New(dir, openLedger(t, s), func() time.Time { return day0 }, func() string { return "i" })
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	var failures []error
	var running sync.WaitGroup
	running.Go(func() {
		g.Watch(ctx, time.Millisecond, func(err error) { mu.Lock(); failures = append(failures, err); mu.Unlock() })
	})
	recorded := func(n int64) {
		t.Helper()
		require.Eventually(t, func() bool { return g.Recorded() == n }, 10*time.Second, time.Millisecond)
	}
	recorded(1)
	failed := func() int { mu.Lock(); defer mu.Unlock(); return len(failures) }
	journal := filepath.Join(dir.Path(), "journal")
	for n := 1; n <= 2; n++ {
		require.NoError(t, os.Rename(journal, journal+".away"))
		require.NoError(t, os.WriteFile(journal, nil, 0o600))
		require.Eventually(t, func() bool { return failed() == n }, 10*time.Second, time.Millisecond)
		time.Sleep(20 * time.Millisecond)
		require.Equal(t, n, failed(), "said once")
		require.NoError(t, os.Remove(journal))
		require.NoError(t, os.Rename(journal+".away", journal))
		add(t, dir, noted(n, day0.Add(day*time.Duration(n))))
		require.Eventually(t, func() bool { return g.Recorded() > int64(n) }, 10*time.Second, time.Millisecond)
	}
	stop()
	running.Wait()
	requireCode(t, errors.Join(failures...), "journal_unreadable")
}

func TestAGuardWithoutABoundary(t *testing.T) {
	g := New(folder.In(t.TempDir()), openLedger(t, store.NewMemory()), time.Now, func() string { return "i" })
	n, err := g.Record(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, g.Mode())
	_, err = g.Report(t.Context(), time.Time{})
	requireCode(t, err, "no_boundary")
	_, err = g.Readiness(t.Context())
	requireCode(t, err, "no_boundary")
	_, _, err = g.Decisions(t.Context(), 0, 1, false)
	requireCode(t, err, "no_boundary")
	_, err = g.SetMode(t.Context(), "paula", ModeChange{Mode: boundary.Off, Reason: "r"})
	requireCode(t, err, "no_boundary")
	require.NoDirExists(t, g.Dir.Path(), "asking makes nothing")
}
