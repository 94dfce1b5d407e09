package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// course is a project with a clock that tests set.
type course struct {
	t   *testing.T
	dir folder.Dir
	at  time.Time
	n   int
}

func newCourse(t *testing.T) *course {
	return &course{t: t, dir: boundarytest.Project(t), at: boundarytest.Day0}
}

func (c *course) to(mode boundary.Mode, override string) error {
	c.at = c.at.Add(time.Minute)
	_, err := control.SetMode(c.dir, mode, override, boundarytest.By("to "+string(mode), c.at), report.FromFiles(c.dir))
	return err
}

// calls notes a call as the hook would, and returns its id.
func (c *course) calls(session string, actor boundary.ActorKind, tool, file string, change ...func(*folder.Line)) string {
	c.t.Helper()
	c.n++
	c.at = c.at.Add(time.Minute)
	l := boundarytest.Judged(c.t, c.dir, boundarytest.Call{ID: boundarytest.ID(c.n), Session: session, Tool: tool, File: file, Actor: actor, At: c.at})
	for _, f := range change {
		f(&l)
	}
	boundarytest.Add(c.t, c.dir, l)
	return l.ID
}

// runs notes a command.
func (c *course) runs(session string, actor boundary.ActorKind, class boundary.Class, words ...string) {
	c.t.Helper()
	p, err := c.dir.Policy()
	require.NoError(c.t, err)
	c.calls(session, actor, "Bash", "", func(l *folder.Line) {
		l.Shell, l.Parts = true, []boundary.Part{{Words: words, Class: class}}
		v := boundary.Judge(&p, l.Call())
		v.Steps, v.Targets, v.Fix = nil, nil, ""
		l.Verdict = &v
	})
}

func (c *course) figures() boundary.Figures {
	c.t.Helper()
	p, err := c.dir.Policy()
	require.NoError(c.t, err)
	return boundarytest.History(c.t, c.dir).Figures(&p, c.at)
}

func (c *course) reviews() []reviewing.Review {
	c.t.Helper()
	p, err := c.dir.Policy()
	require.NoError(c.t, err)
	return boundarytest.History(c.t, c.dir).Reviews(p.Thresholds, c.at)
}

func (c *course) due() (names []string) {
	for _, r := range reviewing.OnlyDue(c.reviews()) {
		names = append(names, r.Name)
	}
	return names
}

// Verifies: ORC-216
func TestWhatIsBlockedAgainAndAgainIsNamed(t *testing.T) {
	blocked := func(c *course) {
		require.NoError(c.t, c.to(boundary.Enforce, "o"))
		c.calls("s1", boundary.Main, "Edit", "cart.go")
		c.calls("s1", boundary.Main, "Write", "cart.go")
		c.calls("s2", boundary.Main, "Edit", "cart.go")
	}
	built := func(c *course) {
		require.NoError(c.t, c.to(boundary.Enforce, "o"))
		for i := range 3 {
			c.runs(fmt.Sprint("s", i), boundary.Main, boundary.Writes, "make", "gen")
		}
	}
	for name, c := range map[string]struct {
		course func(*course)
		want   []string
	}{
		"three times in two sessions":     {blocked, []string{"cart.go"}},
		"a command":                       {built, []string{"make gen"}},
		"an agent made the change since":  {func(c *course) { blocked(c); c.calls("s2", boundary.Agent, "Edit", "cart.go") }, nil},
		"an agent ran the command since":  {func(c *course) { built(c); c.runs("s2", boundary.Agent, boundary.Writes, "make", "gen") }, nil},
		"an agent changed another file":   {func(c *course) { blocked(c); c.calls("s2", boundary.Agent, "Edit", "b.go") }, []string{"cart.go"}},
		"an agent tried, and it failed":   {func(c *course) { blocked(c); c.failed(c.calls("s2", boundary.Agent, "Edit", "cart.go")) }, []string{"cart.go"}},
		"the policy lets it through now":  {func(c *course) { blocked(c); c.policy(func(p *boundary.Policy) { p.ExemptPaths = []string{"*.go"} }) }, nil},
		"an agent made the change before": {func(c *course) { c.calls("s0", boundary.Agent, "Edit", "cart.go"); blocked(c) }, []string{"cart.go"}},
		"twice": {func(c *course) {
			require.NoError(t, c.to(boundary.Enforce, "o"))
			c.calls("s1", boundary.Main, "Edit", "a")
			c.calls("s2", boundary.Main, "Edit", "a")
		}, nil},
		"in one session": {func(c *course) {
			require.NoError(t, c.to(boundary.Enforce, "o"))
			for range 4 {
				c.calls("s1", boundary.Main, "Edit", "a")
			}
		}, nil},
		"in validate nothing was blocked": {func(c *course) {
			for i := range 4 {
				c.calls(fmt.Sprint("s", i), boundary.Main, "Edit", "a")
			}
		}, nil},
		"but for agents it shows": {func(c *course) {
			c.policy(func(p *boundary.Policy) { p.Agents = []boundary.Rights{{Name: "*", MayWrite: []string{"docs/**"}}} })
			for i := range 3 {
				c.calls(fmt.Sprint("s", i), boundary.Agent, "Edit", "a")
			}
		}, []string{"a"}},
		"what nobody may do is no workflow": {func(c *course) {
			require.NoError(t, c.to(boundary.Enforce, "o"))
			for i := range 4 {
				c.calls(fmt.Sprint("s", i), boundary.Main, "Edit", ".orchestrator/boundary/policy.json")
				c.calls(fmt.Sprint("s", i), boundary.Main, "Read", ".orchestrator/tokens/pm.token")
			}
		}, nil},
		"what a person let through is one": {func(c *course) {
			require.NoError(t, c.to(boundary.Confirm, "o"))
			for i := range 3 {
				c.calls(fmt.Sprint("s", i), boundary.Main, "Edit", "a")
			}
			c.done(c.calls("s3", boundary.Main, "Edit", "a"))
		}, nil},
		"what a person refused is blocked": {func(c *course) {
			require.NoError(t, c.to(boundary.Confirm, "o"))
			for i := range 3 {
				c.calls(fmt.Sprint("s", i), boundary.Main, "Edit", "a")
			}
		}, []string{"a"}},
		"a tool without a file": {func(c *course) {
			require.NoError(t, c.to(boundary.Enforce, "o"))
			for i := range 3 {
				c.calls(fmt.Sprint("s", i), boundary.Main, "Frobnicate", "")
			}
		}, []string{"Frobnicate"}},
	} {
		t.Run(name, func(t *testing.T) {
			one := newCourse(t)
			c.course(one)
			require.Equal(t, append([]string{}, c.want...), one.figures().Stuck)
		})
	}
	old := newCourse(t)
	blocked(old)
	old.at = old.at.Add(40 * day)
	require.Empty(t, old.figures().Stuck, "what is older than the days of rates weighs no more")
}

// Verifies: ORC-216
//
// The report lists all that is blocked again and again, with how often and in how many sessions.
func TestWhatIsBlockedAgainAndAgainIsReported(t *testing.T) {
	c := newCourse(t)
	require.NoError(t, c.to(boundary.Enforce, "o"))
	for i := range 4 {
		for n := range i + 2 { // once too seldom, then 3, 4 and 5 times
			c.calls(fmt.Sprint("s", n%2), boundary.Main, "Edit", fmt.Sprint("f", i))
		}
	}
	h, err := report.Read(c.dir)
	require.NoError(t, err)
	policy, err := c.dir.Policy()
	require.NoError(t, err)
	var names []string
	for i, s := range h.ReportUnder(&policy, time.Time{}, c.at).Stuck {
		names = append(names, s.Name)
		require.Equal(t, 5-i, s.Times)
		require.Equal(t, 2, s.Sessions)
		require.Equal(t, boundary.RuleWrites, s.Rule)
		require.False(t, s.Last.IsZero())
	}
	require.Equal(t, []string{"f3", "f2", "f1"}, names)
	require.Empty(t, h.ReportUnder(&policy, c.at.Add(day), c.at).Stuck, "from a moment on")
	require.NotNil(t, h.Report(time.Time{}).Stuck)
}

func (c *course) outcome(id, what string) {
	boundarytest.Add(c.t, c.dir, folder.Line{ID: "o" + id[1:], At: c.at, Kind: folder.KindOutcome, Client: "claude", Session: c.sessionOf(id), ToolUseID: "use-" + id, What: what})
}

func (c *course) sessionOf(id string) string {
	d, n := boundarytest.History(c.t, c.dir).Find(id)
	require.Equal(c.t, 1, n)
	return report.ViolationOf(&d).Session
}

func (c *course) failed(id string) { c.outcome(id, folder.OutcomeFailed) }
func (c *course) done(id string)   { c.outcome(id, folder.OutcomeDone) }

func (c *course) policy(change func(*boundary.Policy)) {
	p, err := c.dir.Policy()
	require.NoError(c.t, err)
	change(&p)
	require.NoError(c.t, c.dir.WritePolicy(p))
}

// Verifies: ORC-216
func TestSessionsThatRepeatWhatIsBlocked(t *testing.T) {
	c := newCourse(t)
	require.NoError(t, c.to(boundary.Enforce, "o"))
	for range 3 {
		c.calls("insists", boundary.Main, "Edit", "a")
		c.calls("delegates", boundary.Main, "Edit", "a")
		c.calls("has an agent", boundary.Main, "Edit", "a")
	}
	for _, file := range []string{"a", "b", "c"} {
		c.calls("tries each once", boundary.Main, "Edit", file)
	}
	c.calls("reads", boundary.Main, "Read", "a")
	c.calls("delegates", boundary.Main, "Task", "")
	c.calls("has an agent", boundary.Agent, "Edit", "a")
	f := c.figures()
	require.Equal(t, []int{4, 1}, []int{f.BlockedSessions, f.InsistingSessions})
}

// Verifies: ORC-215
func TestReviewsFollowTheSwitchToEnforce(t *testing.T) {
	c := newCourse(t)
	require.Empty(t, c.reviews(), "in validate")
	require.NoError(t, c.to(boundary.Confirm, "o"))
	require.Empty(t, c.reviews(), "in confirm")
	require.NoError(t, c.to(boundary.Enforce, "o"))
	activated := c.at
	require.Len(t, c.reviews(), 5)
	require.Empty(t, c.due())
	_, err := control.Review(c.dir, "", boundarytest.By("n", c.at))
	boundarytest.RequireCode(t, err, "review_not_due")
	_, err = control.Review(c.dir, "48h", boundarytest.By("n", c.at))
	boundarytest.RequireCode(t, err, "review_not_due")
	_, err = control.Review(c.dir, "yearly", boundarytest.By("n", c.at))
	boundarytest.RequireCode(t, err, "review_not_due")

	c.at = activated.Add(8 * day)
	require.Equal(t, []string{"48h", "1w"}, c.due())
	_, err = control.Review(c.dir, "", boundarytest.By("  ", c.at))
	boundarytest.RequireCode(t, err, "reason_required")
	closed, err := control.Review(c.dir, "", boundarytest.By("no errors", c.at))
	require.NoError(t, err)
	require.Equal(t, "48h", closed.Name, "the one that is due longest")
	require.Equal(t, []string{"1w"}, c.due())
	require.Equal(t, "no errors", c.reviews()[0].Closed.Note)
	_, err = control.Review(c.dir, "48h", boundarytest.By("n", c.at))
	boundarytest.RequireCode(t, err, "review_not_due")

	require.NoError(t, c.to(boundary.Validate, ""))
	require.Empty(t, c.reviews(), "a rollback ends them")
	require.NoError(t, c.to(boundary.Enforce, "o"))
	c.at = c.at.Add(3 * day)
	require.Equal(t, []string{"48h"}, c.due(), "each switch has its own")
}

// Verifies: ORC-215
func TestReviewsBeginWithTheFirstCallWhereTheSwitchIsNotOnRecord(t *testing.T) {
	c := newCourse(t)
	in := func(mode boundary.Mode) func(*folder.Line) { return func(l *folder.Line) { l.Mode = mode } }
	c.at = c.at.Add(-time.Second)
	c.calls("s", boundary.Main, "Read", "a", in(boundary.Enforce))
	require.Empty(t, c.reviews(), "it may have been in flight")
	c.at = c.at.Add(day)
	c.calls("s", boundary.Main, "Read", "a", in(boundary.Enforce))
	c.at = c.at.Add(3 * day)
	require.Equal(t, []string{"48h"}, c.due())
	c.calls("s", boundary.Main, "Read", "a", in(boundary.Validate))
	require.Empty(t, c.reviews(), "it is not enforced any more")
}

// Verifies: ORC-215
func TestBypassesAndErrorsOpenReviews(t *testing.T) {
	c := newCourse(t)
	lifted := func(l *folder.Line) { l.Verdict.Decision, l.Verdict.Bypass = boundary.Allow, boundary.ByEnvironment }
	require.NoError(t, c.to(boundary.Enforce, "o"))
	for i := range 4 {
		c.calls(fmt.Sprint("s", i), boundary.Main, "Read", "a")
	}
	c.calls("s0", boundary.Main, "Edit", "a", lifted)
	require.Empty(t, c.due(), "1 of 4 is not more than 25 %")
	c.calls("s1", boundary.Main, "Edit", "a", lifted)
	require.Equal(t, []string{"bypass"}, c.due())
	_, err := control.Review(c.dir, "bypass", boundarytest.By("a client was new", c.at.Add(time.Second)))
	require.NoError(t, err)
	require.Empty(t, c.due(), "it counts anew from then")
	boundarytest.Add(t, c.dir, folder.Line{ID: "e000000000000001", At: c.at.Add(2 * time.Second), Kind: folder.KindError, Client: "claude", Reason: "x"})
	require.Equal(t, []string{"errors"}, c.due())
	c.calls("s5", boundary.Main, "Edit", "a", lifted)
	require.Equal(t, []string{"bypass", "errors"}, c.due(), "and opens again")
}

// Agents that are blocked, and whether violations decrease, stand in what to look at.
func TestReviewsSayWhatWasMeasured(t *testing.T) {
	c := newCourse(t)
	c.policy(func(p *boundary.Policy) { p.Agents = []boundary.Rights{{Name: "*", MayWrite: []string{"docs/**"}}} })
	require.NoError(t, c.to(boundary.Enforce, "o"))
	activated := c.at
	c.calls("s", boundary.Agent, "Edit", "a")
	c.calls("s", boundary.Main, "Edit", "a")
	c.at = activated.Add(19 * day)
	c.calls("s", boundary.Main, "Read", "a")
	c.at = activated.Add(20 * day)
	require.Contains(t, c.reviews()[0].LookAt, "workflows of agents: 1 of their calls were blocked")
	require.Contains(t, c.reviews()[2].LookAt, "violations, which should decrease: 2 of 2, 100.0 % in the first half of the time since, 0 of 1, 0.0 % in the second")
}

// Verifies: ORC-214
func TestARollbackIsRecoveredFrom(t *testing.T) {
	c := newCourse(t)
	label := func(id, what string) {
		t.Helper()
		c.at = c.at.Add(time.Second)
		_, err := control.Label(c.dir, id, what, boundarytest.By("looked at", c.at))
		require.NoError(t, err)
	}
	failing := func() (names []string) {
		p, err := c.dir.Policy()
		require.NoError(t, err)
		failed, _ := boundarytest.History(t, c.dir).Readiness(&p, c.at).Against(boundary.Enforce)
		for _, check := range failed {
			if strings.HasPrefix(check.Name, "since the rollback: ") || check.Name == "feedback collected" {
				names = append(names, strings.TrimPrefix(check.Name, "since the rollback: "))
			}
		}
		return names
	}
	drill := func() {
		c.at = c.at.Add(time.Second)
		require.NoError(t, control.NoteDrill(c.dir, report.DrillBypass, 1, boundarytest.By("drill", c.at)))
		require.NoError(t, control.NoteDrill(c.dir, report.DrillRollback, 1, boundarytest.By("drill", c.at)))
	}
	attest := func() {
		c.at = c.at.Add(time.Second)
		_, err := control.Attest(c.dir, "feedback", false, boundarytest.By("asked", c.at))
		require.NoError(t, err)
	}
	account := func() error {
		c.at = c.at.Add(time.Second)
		_, err := control.Recover(c.dir, control.Account{Link: "https://example.com/12", Mend: "mended"},
			boundarytest.By("no ids", c.at))
		return err
	}
	before := c.calls("s", boundary.Main, "Edit", "a")
	drill()
	attest()
	require.Nil(t, c.figures().Recovery)
	require.NoError(t, c.to(boundary.Enforce, "o"))
	boundarytest.RequireCode(t, account(), "no_rollback")
	require.NoError(t, c.to(boundary.Confirm, ""), "a step back, which needs nothing")
	require.Nil(t, c.figures().Recovery)
	require.NoError(t, c.to(boundary.Off, ""))
	rolledBack := c.at
	require.NoError(t, c.to(boundary.Validate, ""))
	require.Equal(t, rolledBack, c.figures().Recovery.RolledBack, "not the switch after it")
	require.Equal(t, []string{"feedback collected", "cause, link and mend", "labelled decisions", "detection accuracy", "drill"}, failing())
	for range 21 {
		label(before, report.LabelCorrect)
	}
	require.Zero(t, c.figures().Recovery.Labelled, "decisions of before are not asked for")
	for i := range 20 {
		label(c.calls("s", boundary.Main, "Edit", "a"), map[bool]string{true: report.LabelFalsePositive, false: report.LabelCorrect}[i < 2])
	}
	require.Equal(t, []string{"feedback collected", "cause, link and mend", "detection accuracy", "drill"}, failing())
	for range 30 {
		label(c.calls("s", boundary.Main, "Edit", "a"), report.LabelCorrect)
	}
	require.NoError(t, account())
	require.Equal(t, &boundary.Account{At: c.at, By: "local:ada", Cause: "no ids", Link: "https://example.com/12", Mend: "mended"}, c.figures().Recovery.Account)
	require.Equal(t, []string{"feedback collected", "drill"}, failing())
	drill()
	attest()
	require.Empty(t, failing())
	require.Error(t, c.to(boundary.Enforce, ""), "the other checks stand")
	require.NoError(t, c.to(boundary.Enforce, "on record"))
	require.Nil(t, c.figures().Recovery, "the boundary blocks again")
}

// Verifies: ORC-214
//
// What sessions did before a rollback raises no flag after it: in validate nothing could outweigh it.
func TestSessionsCountFromTheLastRollback(t *testing.T) {
	c := newCourse(t)
	lifted := func(l *folder.Line) { l.Verdict.Decision, l.Verdict.Bypass = boundary.Allow, boundary.ByEnvironment }
	sessions := func() []int {
		f := c.figures()
		return []int{f.EnforcedSessions, f.BypassedSessions, f.BlockedSessions, f.InsistingSessions}
	}
	require.NoError(t, c.to(boundary.Enforce, "o"))
	c.calls("s1", boundary.Main, "Edit", "a", lifted)
	for range 3 {
		c.calls("s2", boundary.Main, "Edit", "a")
	}
	require.Equal(t, []int{2, 1, 1, 1}, sessions())
	require.NoError(t, c.to(boundary.Validate, ""))
	require.Equal(t, []int{0, 0, 0, 0}, sessions())
	require.NoError(t, c.to(boundary.Enforce, "o"))
	c.calls("s3", boundary.Main, "Edit", "b")
	require.Equal(t, []int{1, 0, 1, 0}, sessions(), "nor when the boundary blocks again")
}

// Verifies: ORC-212
func TestConfirmWaitsForAllButTheDays(t *testing.T) {
	dir := ripe(t, func(lines []folder.Line) []folder.Line {
		for i := range lines {
			if most := boundarytest.Day0.Add(day); lines[i].Kind == folder.KindDecision && lines[i].At.After(most) {
				lines[i].At = most
			}
		}
		return lines
	})
	to := func(mode boundary.Mode, at time.Time) error {
		_, err := control.SetMode(dir, mode, "", boundarytest.By("r", at), report.FromFiles(dir))
		return err
	}
	at := boundarytest.Day0.Add(15 * day)
	f := boundarytest.RequireCode(t, to(boundary.Enforce, at), "boundary_not_ready")
	require.Len(t, f.Fields, 1)
	require.Contains(t, f.Fields[0].Detail, "days in validate")
	require.NoError(t, to(boundary.Confirm, at))
	require.True(t, dir.IsMarked())
	for _, later := range []time.Duration{0, 13 * day} {
		boundarytest.Add(t, dir, boundarytest.Judged(t, dir, boundarytest.Call{ID: fmt.Sprintf("%016x", 0xc0+later), Session: "s", Tool: "Read", File: "a", Actor: boundary.Main, At: at.Add(later + time.Hour)}))
	}
	require.NoError(t, to(boundary.Enforce, at.Add(14*day)), "days in confirm count")
}
