package report

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// plainly reads lines in the plainest way: it keeps each line whole, and looks at all of them for each question.
type plainly struct {
	decisions []folder.Line
	labels    map[string]string // by the id of a decision
	outcomes  map[folder.Use]folder.Line
	latest    map[folder.Use]int // of the decisions
	repeated  []time.Time
	malformed int
}

func readPlainly(lines []folder.Line) *plainly {
	p := &plainly{labels: map[string]string{}, outcomes: map[folder.Use]folder.Line{}, latest: map[folder.Use]int{}}
	seen, of := map[string]bool{}, map[string]string{} // of: the decision that an id stands for
	for _, l := range lines {
		if l.ID == "" {
			p.malformed++
			continue
		}
		if seen[l.ID] {
			continue
		}
		seen[l.ID] = true
		switch {
		case l.Kind == folder.KindOutcome && l.ToolUseID != "":
			p.outcomes[folder.UseOf(l)] = l
		case l.Kind == folder.KindLabel:
			if id, known := of[l.Of]; known {
				p.labels[id] = l.What
			}
		case l.Kind == folder.KindDecision && l.Verdict == nil:
			p.malformed++
		case l.Kind == folder.KindDecision:
			p.decide(l, of)
		}
	}
	return p
}

func (p *plainly) decide(l folder.Line, of map[string]string) {
	if i, known := p.latest[folder.UseOf(l)]; known && l.Repeats(p.decisions[i]) {
		of[l.ID] = p.decisions[i].ID
		p.repeated = append(p.repeated, l.At)
		return
	}
	of[l.ID] = l.ID
	if l.ToolUseID != "" {
		p.latest[folder.UseOf(l)] = len(p.decisions)
	}
	p.decisions = append(p.decisions, l)
}

func (p *plainly) violations() []Violation {
	all := []Violation{}
	for i := len(p.decisions) - 1; i >= 0; i-- {
		l := p.decisions[i]
		v := Violation{ID: l.ID, At: l.At, Client: l.Client, Session: l.Session, Tool: l.Tool, Files: []string{},
			Decision: l.Verdict.Decision, Rule: l.Verdict.Rule, Class: l.Verdict.Class, Reason: l.Verdict.Reason,
			Bypass: l.Verdict.Bypass, Label: p.labels[l.ID]}
		for _, t := range append(boundary.Written(l.Named, l.Parts), l.Reads...) {
			v.Files = append(v.Files, t.Path)
		}
		if l.Actor != nil {
			v.Actor = *l.Actor
		}
		if at, known := p.latest[folder.UseOf(l)]; known && at == i {
			v.Outcome = p.outcomes[folder.UseOf(l)].What
		}
		all = append(all, v)
	}
	return all
}

// runs returns how many runs failed from a moment on, but for errors, and how many there were.
func (p *plainly) runs(from time.Time) (failed, all int) {
	failed = p.malformed
	for use, l := range p.outcomes {
		if _, known := p.latest[use]; !known && !l.At.Before(from) {
			failed++
		}
	}
	for _, l := range p.decisions {
		if !l.At.Before(from) {
			all++
		}
	}
	for _, at := range p.repeated {
		if !at.Before(from) {
			all++
		}
	}
	return failed, all + failed
}

var someLine = rapid.Custom(func(t *rapid.T) folder.Line {
	one := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(t, what) }
	n := rapid.IntRange(0, 40).Draw(t, "id")
	l := folder.Line{
		ID: []string{fmt.Sprintf("%016x", n), fmt.Sprintf("%016X", n), fmt.Sprint("line", n), ""}[rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1, 2, 3}).Draw(t, "kind of id")],
		At: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "second"))*time.Second +
			time.Duration(rapid.IntRange(0, 3).Draw(t, "day"))*24*time.Hour),
		Client: one("client", "claude", "codex"), Session: one("session", "s1", "s2"), ToolUseID: one("use", "u1", "u2", "u3", ""),
		Kind: one("kind", folder.KindDecision, folder.KindDecision, folder.KindDecision, folder.KindOutcome, folder.KindOutcome, folder.KindLabel,
			folder.KindMode, folder.KindError, folder.KindGrant, folder.KindDrill, folder.KindReview, folder.KindAttestation, folder.KindRecovery, folder.KindImported),
	}
	switch l.Kind {
	case folder.KindOutcome:
		l.What = one("outcome", folder.OutcomeDone, folder.OutcomeFailed)
	case folder.KindLabel:
		l.Of, l.What = fmt.Sprintf("%016x", rapid.IntRange(0, 150).Draw(t, "of")), one("label", KnownLabels()...)
	case folder.KindMode:
		l.Mode, l.From = rapid.SampledFrom(boundary.Modes()).Draw(t, "mode"), rapid.SampledFrom(boundary.Modes()).Draw(t, "from")
	case folder.KindDrill:
		l.What = one("drill", DrillBypass, DrillRollback)
	case folder.KindAttestation:
		l.What = one("item", boundary.AttestableItems()...)
	case folder.KindDecision:
		l.Tool, l.Mode, l.Micros = one("tool", "Edit", "Read", "Task"), rapid.SampledFrom(boundary.Modes()).Draw(t, "mode"), int64(rapid.IntRange(1, 3).Draw(t, "took"))
		if rapid.IntRange(0, 9).Draw(t, "whose") > 0 {
			l.Actor = &boundary.Actor{Kind: boundary.ActorKind(one("actor", "main", "agent")), ID: one("agent", "", "a1")}
		}
		if l.Tool == "Edit" {
			l.Named = []boundary.Target{{Path: one("file", "a.go", "b.go")}}
		}
		p := boundary.DefaultPolicy()
		p.Mode = l.Mode
		v := boundary.Judge(&p, l.Call())
		v.Steps, v.Targets, v.Fix = nil, nil, ""
		v.Bypass = one("bypass", "", "", "g1")
		if rapid.IntRange(0, 19).Draw(t, "without a verdict") > 0 {
			l.Verdict = &v
		}
	}
	return l
})

// A history that is read on, asked again and again, answers what one answers that is read at once; and of each call it
// knows what the plainest reading knows.
func TestAReadingThatGoesOnKnowsWhatOneFromNothingKnows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept, p := NewReading(""), boundary.DefaultPolicy()
		var lines []folder.Line
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			for _, l := range rapid.SliceOfN(someLine, 0, 25).Draw(t, "lines") {
				l = perhapsAgain(t, lines, l)
				lines = append(lines, l)
				kept.Add(l, errorOf(l))
			}
			anew := NewReading("")
			for _, l := range lines {
				anew.Add(l, errorOf(l))
			}
			p.Mode = rapid.SampledFrom(boundary.Modes()).Draw(t, "mode of the policy")
			p.Thresholds.RateDays = rapid.IntRange(0, 3).Draw(t, "days of rates")
			since := time.Date(2026, 1, rapid.IntRange(1, 5).Draw(t, "since"), 9, 0, 4, 0, time.UTC)
			now := since.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "clock")) * time.Hour)
			have, want := kept.History(), anew.History()
			copied := have.Copy()
			require.Equal(t, want.ReportUnder(&p, since, now), have.ReportUnder(&p, since, now))
			require.Equal(t, want.ReportUnder(&p, time.Time{}, now), copied.ReportUnder(&p, time.Time{}, now))
			require.Equal(t, want.Readiness(&p, now), have.Readiness(&p, now))

			plain := readPlainly(lines)
			require.Equal(t, plain.violations(), have.Newest(time.Time{}, 1000, false).Decisions)
			for _, from := range []time.Time{{}, since} {
				failed, all := plain.runs(from)
				errs := 0
				for _, e := range have.Errors {
					if !e.At.Before(from) {
						errs++
					}
				}
				gotFailed, gotAll := have.since(from).runs()
				require.Equal(t, []int{failed + errs, all + errs}, []int{gotFailed, gotAll})
			}
		}
	})
}

// perhapsAgain returns a line, or in its place one that repeats a decision, or tells nearly the same.
func perhapsAgain(t *rapid.T, before []folder.Line, l folder.Line) folder.Line {
	if l.ID == "" || l.Kind != folder.KindDecision {
		return l
	}
	for i := len(before) - 1; i >= 0 && rapid.IntRange(0, 3).Draw(t, "again") > 0; i-- {
		again := before[i]
		if again.Kind != folder.KindDecision || again.ToolUseID == "" || again.Verdict == nil {
			continue
		}
		again.ID, again.At = fmt.Sprintf("%016x", 100+len(before)), again.At.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "apart"))*time.Second)
		switch rapid.IntRange(0, 5).Draw(t, "what differs") {
		case 0:
			again.Actor = &boundary.Actor{Kind: boundary.Agent, ID: "another"}
		case 1:
			again.Micros++
		case 2:
			again.Session = "s3"
		case 3:
			again.Named = []boundary.Target{{Path: "d.go"}}
		}
		return again
	}
	return l
}

// errorOf returns the error of a line that cannot be read.
func errorOf(l folder.Line) error {
	if l.ID == "" {
		return errors.New("it has no id")
	}
	return nil
}

// What became of a use of a tool is the outcome of the latest decision on it.
func TestAnOutcomeIsOfTheLatestDecision(t *testing.T) {
	r := NewReading("")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	line := func(id, kind string, after time.Duration) folder.Line {
		return folder.Line{ID: id, At: at.Add(after), Kind: kind, ToolUseID: "u", What: folder.OutcomeDone, Verdict: &boundary.Verdict{}}
	}
	outcomes := func() (all []string) {
		for _, d := range r.History().Decisions {
			all = append(all, d.Outcome)
		}
		return all
	}
	r.Add(line("1", folder.KindDecision, 0), nil)
	r.Add(line("2", folder.KindOutcome, 0), nil)
	require.Equal(t, []string{folder.OutcomeDone}, outcomes())
	r.Add(line("3", folder.KindDecision, time.Hour), nil)
	require.Equal(t, []string{"", folder.OutcomeDone}, outcomes())
}

// Of two moments the later one counts.
func TestSinceTwoMoments(t *testing.T) {
	r := NewReading("")
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	for n := 1; n <= 9; n++ {
		r.Add(folder.Line{ID: fmt.Sprint(n), At: day(n), Kind: folder.KindDecision, Verdict: &boundary.Verdict{}}, nil)
	}
	for _, h := range []*History{r.History().since(day(4)).since(day(2)), r.History().since(day(2)).since(day(4))} {
		_, all := h.runs()
		require.Equal(t, 6, all)
	}
}

// A copy stays as it was when the history is read on.
func TestACopyOfAHistoryStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := NewReading(""), boundary.DefaultPolicy()
		now := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
		read := func() {
			for _, l := range rapid.SliceOfN(someLine, 5, 40).Draw(t, "lines") {
				r.Add(l, errorOf(l))
			}
		}
		read()
		copied := r.History().Copy()
		answer := func() []any {
			return []any{copied.ReportUnder(&p, time.Time{}, now), copied.Readiness(&p, now), copied.Newest(time.Time{}, 1000, false)}
		}
		before := answer()
		clients := len(copied.Clients)
		read()
		require.Equal(t, before, answer())
		require.Len(t, copied.Clients, clients)
	})
}

// How many moments are looked at for the time in validate grows with the switches, not with switches times decisions.
func TestTheTimeInValidateTakesAsManyLooksAsThereAreSwitches(t *testing.T) {
	const few = 10_000
	looks := func(switches int) (n int) {
		day0 := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		at := func(i int) time.Time { return day0.Add(time.Duration(i) * time.Minute) }
		modes := make([]folder.Line, switches)
		for i := range modes {
			modes[i] = folder.Line{At: at(i), Mode: []boundary.Mode{boundary.Validate, boundary.Off}[i%2]}
		}
		total := watchedFor(modes, switches, func(i int) time.Time { n++; return at(i) })
		require.Equal(t, time.Duration(switches/2)*time.Minute, total)
		return n
	}
	once, twice := looks(few), looks(2*few)
	require.GreaterOrEqual(t, once, few)
	require.LessOrEqual(t, float64(twice), 2.5*float64(once), "%d looks, and %d for twice the journal", once, twice)
}
