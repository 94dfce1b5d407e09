package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

const day = 24 * time.Hour

// ripe is the journal of a project that passes every check on day 15, but for what a test changes in it before it is
// written.
func ripe(t *testing.T, change func(lines []folder.Line) []folder.Line) folder.Dir {
	t.Helper()
	dir := boundarytest.Project(t)
	var lines []folder.Line
	for i := range 60 {
		actor := []boundary.ActorKind{boundary.Agent, boundary.Main, boundary.Agent}[i%3]
		lines = append(lines, boundarytest.Judged(t, dir, boundarytest.Call{
			ID: boundarytest.ID(i), Session: fmt.Sprintf("s%d", i%4), Tool: "Edit", File: fmt.Sprintf("f%d.go", i%5), Actor: actor, At: boundarytest.Day0.Add(time.Duration(i) * 7 * time.Hour), // the 49th is 14 days after the first
		}))
	}
	for i := range 21 {
		lines = append(lines, folder.Line{ID: fmt.Sprintf("l%015x", i), At: boundarytest.Day0.Add(13 * day), Kind: folder.KindLabel, Of: boundarytest.ID(i), What: report.LabelCorrect})
	}
	for _, what := range []string{report.DrillBypass, report.DrillRollback} {
		lines = append(lines, folder.Line{ID: "d" + what, At: boundarytest.Day0.Add(13 * day), Kind: folder.KindDrill, What: what})
	}
	for _, item := range boundary.AttestableItems() {
		lines = append(lines, folder.Line{ID: "a" + item, At: boundarytest.Day0.Add(13 * day), Kind: folder.KindAttestation, What: item, By: "local:ada", Reason: "so it is"})
	}
	if change != nil {
		lines = change(lines)
	}
	boundarytest.Add(t, dir, lines...)
	return dir
}

func without(match func(folder.Line) bool) func([]folder.Line) []folder.Line {
	return func(lines []folder.Line) []folder.Line { return slices.DeleteFunc(lines, match) }
}

func relabelled(n int, what string) func([]folder.Line) []folder.Line {
	return func(lines []folder.Line) []folder.Line {
		for i := range lines {
			if lines[i].Kind == folder.KindLabel && lines[i].Of < boundarytest.ID(n) {
				lines[i].What = what
			}
		}
		return lines
	}
}

func failures(n int) func([]folder.Line) []folder.Line {
	return func(lines []folder.Line) []folder.Line {
		for i := range n {
			lines = append(lines, folder.Line{ID: fmt.Sprintf("e%015x", i), At: boundarytest.Day0.Add(13 * day), Kind: folder.KindError, Client: "claude", Reason: "no policy"})
		}
		return lines
	}
}

// Verifies: ORC-069
func TestEachItemOfTheChecklist(t *testing.T) {
	kind := func(kind, what string) func(folder.Line) bool {
		return func(l folder.Line) bool { return l.Kind == kind && (what == "" || l.What == what) }
	}
	for name, c := range map[string]struct {
		change func([]folder.Line) []folder.Line
		policy func(*boundary.Policy)
		want   []string // checks that fail, and flags that are raised
	}{
		"ready": {want: []string{}},
		"a minute too early": {change: func(lines []folder.Line) []folder.Line {
			for i := range lines {
				if most := boundarytest.Day0.Add(14*day - time.Minute); lines[i].At.After(most) {
					lines[i].At = most
				}
			}
			return lines
		}, want: []string{"days in validate"}},
		"49 uses": {change: without(func(l folder.Line) bool { return l.Kind == folder.KindDecision && l.ID >= boundarytest.ID(49) }),
			want: []string{"tool uses"}},
		"50 uses":             {change: without(func(l folder.Line) bool { return l.Kind == folder.KindDecision && l.ID >= boundarytest.ID(50) }), want: []string{}},
		"nobody labelled":     {change: without(kind(folder.KindLabel, "")), want: []string{"labelled decisions", "detection accuracy"}},
		"19 labels":           {change: without(func(l folder.Line) bool { return l.Kind == folder.KindLabel && l.Of >= boundarytest.ID(19) }), want: []string{"labelled decisions"}},
		"1 of 21 is wrong":    {change: relabelled(1, report.LabelResolved), want: []string{}},
		"2 of 21 are wrong":   {change: relabelled(2, report.LabelResolved), want: []string{"detection accuracy", "misidentified"}},
		"one is not solved":   {change: relabelled(2, report.LabelFalsePositive), want: []string{"detection accuracy", "misidentified", "unresolved false positives"}},
		"one that was let by": {change: relabelled(1, report.LabelFalsePositive), want: []string{}}, // an agent's call, which is no violation
		"a failure in 61":     {change: failures(1), want: []string{"hook errors", "hook errors"}},
		"no failure in 61":    {change: failures(0), want: []string{}},
		"no violations": {change: without(func(l folder.Line) bool {
			return l.Verdict != nil && l.Verdict.Violation() && l.ID > boundarytest.ID(0)
		}),
			want: []string{"tool uses", "labelled decisions", "violation patterns"}},
		"no delegate": {policy: func(p *boundary.Policy) { p.Agents = p.Agents[:4] },
			want: []string{"violations without a delegate", "agent coverage"}},
		"nobody attests": {change: without(kind(folder.KindAttestation, "team")), want: []string{"team briefed"}},
		"taken back": {change: func(lines []folder.Line) []folder.Line {
			return append(lines, folder.Line{ID: "revoked", At: boundarytest.Day0.Add(14 * day), Kind: folder.KindAttestation, What: "documents", Revoked: true})
		}, want: []string{"documents updated"}},
		"a delegate not for it": {policy: func(p *boundary.Policy) {
			for i := range p.Agents {
				p.Agents[i].MayWrite = []string{"f1.go", "f2.go"}
			}
		}, want: []string{"violations without a delegate", "agent coverage"}},
		"no bypass":    {change: without(kind(folder.KindDrill, report.DrillBypass)), want: []string{"bypass exercised"}},
		"no rollback":  {change: without(kind(folder.KindDrill, report.DrillRollback)), want: []string{"rollback exercised"}},
		"other limits": {policy: func(p *boundary.Policy) { p.Thresholds.ToolUses, p.Thresholds.ValidateDays = 61, 18 }, want: []string{"days in validate", "tool uses"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ripe(t, c.change)
			p, err := dir.Policy()
			require.NoError(t, err)
			if c.policy != nil {
				c.policy(&p)
			}
			r := boundarytest.History(t, dir).Readiness(&p, boundarytest.Day0.Add(20*day))
			failing := []string{}
			for _, check := range r.Checks {
				require.Equal(t, check.Passed, check.Fix == "", "%s: what fails says how to pass", check.Name)
				if !check.Passed {
					failing = append(failing, check.Name)
				}
			}
			for _, flag := range r.Flags {
				require.Equal(t, flag.Raised, flag.Advice != "")
				if flag.Raised {
					failing = append(failing, flag.Name)
				}
			}
			require.ElementsMatch(t, c.want, failing)
			require.Equal(t, len(c.want) == 0, r.Ready)
		})
	}
}

// What is older than the days that rates are of weighs no more, but for a false positive that is open.
func TestRatesAreOfTheLastDays(t *testing.T) {
	dir := ripe(t, func(lines []folder.Line) []folder.Line {
		lines = failures(3)(lines)
		return relabelled(2, report.LabelFalsePositive)(lines)
	})
	p, err := dir.Policy()
	require.NoError(t, err)
	require.Equal(t, 30, p.Thresholds.RateDays)
	figures := func(now time.Time, days int) boundary.Figures {
		p.Thresholds.RateDays = days
		return boundarytest.History(t, dir).Figures(&p, now)
	}
	lately, long, ever := figures(boundarytest.Day0.Add(20*day), 30), figures(boundarytest.Day0.Add(100*day), 30), figures(boundarytest.Day0.Add(100*day), 0)
	require.Equal(t, 3, lately.HookErrors)
	require.Equal(t, 2, lately.FalsePositives)
	require.Equal(t, 1, lately.OpenFalse)
	require.Equal(t, lately, ever, "0 is ever since")
	require.Zero(t, long.HookErrors+long.Runs+long.Labelled+long.FalsePositives)
	require.Equal(t, lately.ToolUses, long.ToolUses)
	require.Equal(t, lately.OpenFalse, long.OpenFalse)
	require.InDelta(t, lately.ValidateDays, long.ValidateDays, 1e-9)
	require.False(t, boundary.Assess(p.Thresholds, long).Ready, "nobody has looked at anything for long")
}

// Verifies: ORC-069
func TestAFalsePositiveIsResolvedByThePolicyThatLetsItThrough(t *testing.T) {
	dir := boundarytest.Project(t)
	boundarytest.Add(t, dir, boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(0xabcdef), Session: "s", Tool: "Edit", File: "notes/today.md", Actor: boundary.Main, At: boundarytest.Day0}))
	_, err := control.Label(dir, boundarytest.ID(0xabcdef), report.LabelFalsePositive, boundarytest.By("notes are nobody's work", boundarytest.Day0))
	require.NoError(t, err)
	p, err := dir.Policy()
	require.NoError(t, err)
	figures := func() boundary.Figures { return boundarytest.History(t, dir).Figures(&p, boundarytest.Day0) }
	require.Equal(t, 1, figures().OpenFalse)
	p.ExemptPaths = append(p.ExemptPaths, "notes/**")
	require.Equal(t, 0, figures().OpenFalse, "whatever mode the policy has")
	require.Equal(t, 1, figures().FalsePositives, "it was one all the same")
	p.ExemptPaths = nil
	require.Equal(t, 1, figures().OpenFalse)
	_, err = control.Label(dir, boundarytest.ID(0xabcdef), report.LabelResolved, boundarytest.By("the file is gone", boundarytest.Day0))
	require.NoError(t, err)
	require.Equal(t, 0, figures().OpenFalse)
	_, err = control.Label(dir, boundarytest.ID(0xabcdef), report.LabelCorrect, boundarytest.By("", boundarytest.Day0))
	require.NoError(t, err)
	require.Equal(t, 0, figures().FalsePositives, "the latest label counts")
	require.Equal(t, 1, figures().Labelled)
}

func TestADecisionIsNamedByTheBeginningOfItsID(t *testing.T) {
	dir := boundarytest.Project(t)
	for _, id := range []string{"aaaa000000000001", "aaaa000000000002", "bbbb000000000001", "bbbb"} {
		boundarytest.Add(t, dir, boundarytest.Judged(t, dir, boundarytest.Call{ID: id, Session: "s", Tool: "Edit", File: "a", Actor: boundary.Main, At: boundarytest.Day0}))
	}
	for name, c := range map[string]struct{ id, label, note, found, code string }{
		"whole":              {id: "aaaa000000000001", label: report.LabelCorrect, found: "aaaa000000000001"},
		"the beginning":      {id: "bbbb0", label: report.LabelFalsePositive, note: "n", found: "bbbb000000000001"},
		"itself, not longer": {id: "bbbb", label: report.LabelCorrect, found: "bbbb"},
		"of two":             {id: "aaaa", label: report.LabelCorrect, code: "unknown_decision"},
		"too short":          {id: "bbb", label: report.LabelCorrect, code: "unknown_decision"},
		"nothing":            {id: "", label: report.LabelCorrect, code: "unknown_decision"},
		"none":               {id: "cccc", label: report.LabelCorrect, code: "unknown_decision"},
		"longer than any":    {id: "aaaa0000000000011", label: report.LabelCorrect, code: "unknown_decision"},
		"no such label":      {id: "bbbb", label: "wrong", code: "unknown_label"},
		"without a note":     {id: "bbbb", label: report.LabelFalsePositive, note: " ", code: "reason_required"},
		"solved without one": {id: "bbbb", label: report.LabelResolved, code: "reason_required"},
		"a note without end": {id: "bbbb", label: report.LabelCorrect, note: strings.Repeat("x", 1001), code: "reason_too_long"},
		"a key in the note":  {id: "bbbb", label: report.LabelCorrect, note: "AK" + "IAIOSFODNN7EXAMPLE", code: "secret_in_text"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(boundarytest.History(t, dir).Decisions)
			d, err := control.Label(dir, c.id, c.label, boundarytest.By(c.note, boundarytest.Day0))
			if c.code != "" {
				boundarytest.RequireCode(t, err, fault.Code(c.code))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.found, d.ID)
			h := boundarytest.History(t, dir)
			require.Len(t, h.Decisions, before)
			found, n := h.Find(c.found)
			require.Equal(t, 1, n)
			require.Equal(t, c.label, *found.Label)
			var last folder.Line
			require.NoError(t, dir.Read(func(l folder.Line, err error) error { last = l; return err }))
			require.Equal(t, []string{folder.KindLabel, c.label, "local:ada"}, []string{last.Kind, last.What, last.By})
		})
	}
}

// The days between the first and the last decision of every phase in validate: neither idle days nor a line that lies
// of its time make a project ready.
func TestDaysInValidateAreAddedUp(t *testing.T) {
	dir := boundarytest.Project(t)
	p, err := dir.Policy()
	require.NoError(t, err)
	n := 0
	at := func(days float64) {
		n++
		boundarytest.Add(t, dir, boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(n), Session: "s", Tool: "Read", File: "a", Actor: boundary.Main, At: boundarytest.Day0.Add(time.Duration(days * float64(day)))}))
	}
	switchTo := func(to boundary.Mode, days int) {
		_, err := control.SetMode(dir, to, "a test", boundarytest.By("a test", boundarytest.Day0.Add(time.Duration(days)*day)), report.FromFiles(dir))
		require.NoError(t, err)
	}
	days := func() float64 {
		return boundarytest.History(t, dir).Figures(&p, boundarytest.Day0.Add(100*day)).ValidateDays
	}
	require.Zero(t, days(), "nothing was judged")
	at(0.5)
	require.Zero(t, days())
	at(2.5)
	require.InDelta(t, 2, days(), 1e-9)
	switchTo(boundary.Off, 3)
	switchTo(boundary.Validate, 5)
	at(5)
	at(8)
	switchTo(boundary.Enforce, 9)
	at(9.5)
	switchTo(boundary.Validate, 10)
	switchTo(boundary.Validate, 11)
	at(10)
	at(12)
	require.InDelta(t, 2+3+2, days(), 1e-9)
	h := boundarytest.History(t, dir)
	require.Len(t, h.Modes, 5, "the same mode again is no switch")
	require.Equal(t, 1, h.Figures(&p, boundarytest.Day0).Rollbacks)
	require.NoError(t, dir.Append(folder.Line{ID: boundarytest.ID(99), At: boundarytest.Day0.Add(-1000 * day), Kind: folder.KindMode, Mode: boundary.Validate, By: "a liar", Reason: "x"}))
	require.LessOrEqual(t, days(), 12.0)
}

func TestSessionsWithABypassRaiseFlags(t *testing.T) {
	for _, c := range []struct {
		bypassed int
		want     []string
	}{
		{0, nil}, {1, nil}, {2, []string{"sessions with a bypass, rollback"}},
		{5, []string{"sessions with a bypass, rollback", "sessions with a bypass, review"}},
	} {
		t.Run(fmt.Sprint(c.bypassed), func(t *testing.T) {
			dir := boundarytest.Project(t)
			grant := []boundary.Grant{{ID: "g", Since: boundarytest.Day0, Until: boundarytest.Day0.Add(time.Hour), Session: ""}}
			before := boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(99), Session: "validated", Tool: "Edit", File: "a", Actor: boundary.Main, At: boundarytest.Day0, Bypass: grant})
			_, err := control.SetMode(dir, boundary.Enforce, "o", boundarytest.By("r", boundarytest.Day0), report.FromFiles(dir))
			require.NoError(t, err)
			boundarytest.Add(t, dir, before)
			for i := range 20 { // ten sessions, two calls each
				one := boundarytest.Call{ID: boundarytest.ID(i), Session: fmt.Sprint("s", i%10), Tool: "Edit", File: "a", Actor: boundary.Main, At: boundarytest.Day0}
				if i < c.bypassed {
					one.Bypass = grant
				}
				boundarytest.Add(t, dir, boundarytest.Judged(t, dir, one))
			}
			p, err := dir.Policy()
			require.NoError(t, err)
			r := boundarytest.History(t, dir).Readiness(&p, boundarytest.Day0)
			require.Equal(t, 10, r.Figures.EnforcedSessions)
			require.Equal(t, c.bypassed, r.Figures.BypassedSessions, "a session in validate does not count")
			var raised []string
			for _, flag := range r.Flags {
				if flag.Raised && strings.Contains(flag.Name, "bypass") {
					raised = append(raised, flag.Name)
				}
			}
			require.Equal(t, c.want, raised)
			require.InDelta(t, float64(c.bypassed+1)/11, boundarytest.History(t, dir).Report(time.Time{}).Bypasses.Rate, 1e-9)
		})
	}
}

func TestEnforceWaitsForReadiness(t *testing.T) {
	dir := ripe(t, without(func(l folder.Line) bool { return l.What == report.DrillBypass }))
	_, err := control.SetMode(dir, boundary.Enforce, "", boundarytest.By("let us go", boundarytest.Day0.Add(20*day)), report.FromFiles(dir))
	f := boundarytest.RequireCode(t, err, "boundary_not_ready")
	require.Len(t, f.Fields, 1)
	require.Equal(t, "bypass exercised: 0, required: >= 1", f.Fields[0].Detail)
	require.False(t, dir.IsMarked())
	require.NoError(t, control.NoteDrill(dir, report.DrillBypass, 1, boundarytest.By("a drill", boundarytest.Day0.Add(20*day))))
	from, err := control.SetMode(dir, boundary.Enforce, "", boundarytest.By("let us go", boundarytest.Day0.Add(20*day)), report.FromFiles(dir))
	require.NoError(t, err)
	require.Equal(t, boundary.Validate, from)
	require.True(t, dir.IsMarked())
	last := boundarytest.History(t, dir).Modes[1]
	require.Equal(t, []any{boundary.Validate, boundary.Enforce, "local:ada", "let us go", ""}, []any{last.From, last.Mode, last.By, last.Reason, last.Override})
}
