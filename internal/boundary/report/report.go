package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
	"orchestrator/internal/rules/boundary/share"
)

// Report is what happened at the boundary, from a moment on. Latencies are in microseconds.
type Report struct {
	Since      time.Time                 `json:"since,omitzero"`
	Decisions  int                       `json:"decisions"`
	ByDecision map[boundary.Decision]int `json:"by_decision"`
	ByClass    map[boundary.Class]int    `json:"by_class"`
	Violations int                       `json:"violations"`
	Sessions   []SessionCount            `json:"sessions"` // with violations, most first
	Files      []Count                   `json:"files"`    // of violations, most first
	Tools      []Count                   `json:"tools"`    // of violations, most first
	Rules      []Count                   `json:"rules"`    // of violations, most first
	Days       []DayCount                `json:"days"`     // all, in order
	Patterns   []string                  `json:"patterns"` // what stands out
	Bypasses   Rate                      `json:"bypasses"` // of all sessions, those that a bypass lifted the boundary for
	Errors     Rate                      `json:"errors"`   // of all runs of the hook
	LastErrors []ErrorSeen               `json:"last_errors"`
	Latency    Latency                   `json:"latency_us"`
	Ran        int                       `json:"ran_although_blocked"` // blocked calls whose tool ran: the client does not heed the hook
	Malformed  int                       `json:"malformed_lines"`
	Imported   int                       `json:"imported"` // calls out of an older journal, which count nowhere else
	Latest     []Violation               `json:"latest"`   // violations, newest first
	Reviews    []reviewing.Review        `json:"reviews"`  // since the switch to enforce, whatever Since is

	// All that was blocked again and again, most often first.
	Stuck []Stuck `json:"blocked_again_and_again"`
}

// Count is how often something was met.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// SessionCount is a session with its decisions and violations.
type SessionCount struct {
	Client     string `json:"client"`
	Session    string `json:"session"`
	Decisions  int    `json:"decisions"`
	Violations int    `json:"violations"`
}

// DayCount is a day, in UTC, with its decisions and violations.
type DayCount struct {
	Day        string `json:"day"`
	Decisions  int    `json:"decisions"`
	Violations int    `json:"violations"`
}

// Rate is a part of a whole; Rate is 0 where there is no whole.
type Rate struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Rate  float64 `json:"rate"`
}

func rateOf(count, of int) Rate { return Rate{count, of, share.Share{Part: count, Whole: of}.Rate()} }

// Latency is how long the hook took, from its start to its decision.
type Latency struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// Violation is a decision on a call that enforce does not let through.
type Violation struct {
	ID       string            `json:"id"`
	At       time.Time         `json:"at"`
	Client   string            `json:"client"`
	Session  string            `json:"session"`
	Actor    boundary.Actor    `json:"actor"`
	Tool     string            `json:"tool"`
	Files    []string          `json:"files"`
	Decision boundary.Decision `json:"decision"`
	Rule     string            `json:"rule"`
	Class    boundary.Class    `json:"class,omitempty"` // of the call
	Reason   string            `json:"reason"`
	Bypass   string            `json:"bypass,omitempty"`
	Outcome  string            `json:"outcome,omitempty"`
	Label    string            `json:"label,omitempty"`
}

// The most entries of the lists in a report.
const (
	mostListed = 20
	mostErrors = 10
)

// ReportUnder reports from a moment on, with the reviews that the thresholds of a policy make due.
func (h *History) ReportUnder(p *boundary.Policy, since, now time.Time) Report {
	r := h.Report(since)
	r.Reviews = h.Reviews(p.Thresholds, now)
	r.Stuck = h.since(since).stuckThings(p)
	return r
}

// Report reports from a moment on; the zero time is everything. It has no reviews.
func (h *History) Report(since time.Time) Report {
	h = h.since(since)
	c := newCounter()
	for d := range h.judged() {
		c.add(d)
	}
	r := c.report()
	r.Latest = latest(h)
	r.Reviews, r.Stuck = []reviewing.Review{}, []Stuck{}
	r.Since, r.Malformed, r.Imported = since, h.Malformed, len(h.Imported)
	for i := len(h.Errors) - 1; i >= 0 && len(r.LastErrors) < mostErrors; i-- {
		if e := h.Errors[i]; h.counts(e.At) {
			r.LastErrors = append(r.LastErrors, e)
		}
	}
	r.Errors = rateOf(h.runs())
	r.Patterns = r.patterns(c.violating())
	return r
}

// latest returns the latest violations, newest first.
func latest(h *History) []Violation {
	found := []Violation{}
	for i := len(h.Decisions) - 1; i >= 0 && len(found) < mostListed; i-- {
		if d := &h.Decisions[i]; h.counts(d.At) && d.Verdict.Violation() {
			found = append(found, ViolationOf(d))
		}
	}
	return found
}

// counter counts decisions. What many of them have in common is counted by it, and told apart at the end.
type counter struct {
	calls      map[*told]int
	sessions   map[*session]*SessionCount
	bypassed   map[*session]bool
	days       map[int64]*DayCount // since 1970
	micros     []int64
	violations int
	ran        int
}

func newCounter() *counter {
	return &counter{calls: map[*told]int{}, sessions: map[*session]*SessionCount{}, bypassed: map[*session]bool{},
		days: map[int64]*DayCount{}}
}

func (c *counter) add(d *Decision) {
	c.calls[d.told]++
	c.micros = append(c.micros, d.Micros)
	in, on := c.session(d), c.day(d)
	in.Decisions++
	on.Decisions++
	if d.Verdict.Bypass != "" {
		c.bypassed[d.who] = true
	}
	if d.Verdict.Decision == boundary.Block && d.Outcome == folder.OutcomeDone {
		c.ran++
	}
	if d.Verdict.Violation() {
		in.Violations++
		on.Violations++
		c.violations++
	}
}

func (c *counter) session(d *Decision) *SessionCount {
	s := c.sessions[d.who]
	if s == nil {
		s = &SessionCount{Client: d.who.client, Session: d.who.id}
		c.sessions[d.who] = s
	}
	return s
}

func (c *counter) day(d *Decision) *DayCount {
	const seconds = 24 * 60 * 60
	at := d.At.Unix()
	n := (at - (at%seconds+seconds)%seconds) / seconds
	day := c.days[n]
	if day == nil {
		day = &DayCount{Day: d.At.UTC().Format(time.DateOnly)}
		c.days[n] = day
	}
	return day
}

// ViolationOf returns what a report shows of a decision.
func ViolationOf(d *Decision) Violation {
	v := Violation{
		ID: d.ID, At: d.At, Client: d.Client, Session: d.who.id, Tool: d.Tool, Files: d.files(),
		Decision: d.Verdict.Decision, Rule: d.Verdict.Rule, Class: d.Verdict.Class,
		Reason: d.Verdict.Reason, Bypass: d.Verdict.Bypass,
		Outcome: d.Outcome,
	}
	if v.Files == nil {
		v.Files = []string{}
	}
	if d.Actor != nil {
		v.Actor = *d.Actor
	}
	if d.Label != nil {
		v.Label = *d.Label
	}
	return v
}

func (c *counter) report() Report {
	r := Report{ByDecision: map[boundary.Decision]int{}, ByClass: map[boundary.Class]int{}, LastErrors: []ErrorSeen{},
		Violations: c.violations, Ran: c.ran}
	c.tellApart(&r)
	r.Sessions = []SessionCount{}
	for _, s := range c.sessions {
		if s.Violations > 0 {
			r.Sessions = append(r.Sessions, *s)
		}
	}
	slices.SortFunc(r.Sessions, func(a, b SessionCount) int {
		return cmp.Or(b.Violations-a.Violations, cmp.Compare(a.Client, b.Client), cmp.Compare(a.Session, b.Session))
	})
	r.Sessions = r.Sessions[:min(mostListed, len(r.Sessions))]
	r.Days = []DayCount{}
	for _, day := range slices.Sorted(maps.Keys(c.days)) {
		r.Days = append(r.Days, *c.days[day])
	}
	r.Bypasses = rateOf(len(c.bypassed), len(c.sessions))
	r.Latency = latency(c.micros)
	return r
}

// tellApart counts the calls by what they are.
func (c *counter) tellApart(r *Report) {
	files, tools, rules := map[string]int{}, map[string]int{}, map[string]int{}
	for t, n := range c.calls {
		r.Decisions += n
		r.ByDecision[t.Verdict.Decision] += n
		if t.Verdict.Class != "" {
			r.ByClass[t.Verdict.Class] += n
		}
		if !t.Verdict.Violation() {
			continue
		}
		tools[t.Tool] += n
		rules[t.Verdict.Rule] += n
		for _, name := range t.files() {
			files[name] += n
		}
	}
	r.Files, r.Tools, r.Rules = most(files), most(tools), most(rules)
}

// violating returns how many sessions have violations; the report lists only some of them.
func (c *counter) violating() (n int) {
	for _, s := range c.sessions {
		if s.Violations > 0 {
			n++
		}
	}
	return n
}

func most(counts map[string]int) []Count {
	list := []Count{}
	for name, n := range counts {
		list = append(list, Count{name, n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return list[:min(mostListed, len(list))]
}

func latency(micros []int64) Latency {
	if len(micros) == 0 {
		return Latency{}
	}
	slices.Sort(micros)
	at := func(q float64) int64 { return micros[min(len(micros)-1, int(q*float64(len(micros))))] }
	return Latency{at(0.50), at(0.95), at(0.99), micros[len(micros)-1]}
}

// patterns returns what stands out: where violations are concentrated, whether they grow, and what points at the
// boundary itself.
func (r *Report) patterns(sessions int) []string {
	said := []string{}
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if r.Violations == 0 {
		return said
	}
	percent := func(n int) int { return n * 100 / r.Violations }
	if top := r.Tools[0]; percent(top.Count) >= 50 {
		say("%d %% of the violations are by %s", percent(top.Count), top.Name)
	}
	if len(r.Files) > 0 && percent(r.Files[0].Count) >= 25 {
		say("%d %% of the violations are on %s: does an agent for it exist?", percent(r.Files[0].Count), r.Files[0].Name)
	}
	if top := r.Sessions[0]; len(r.Sessions) > 1 && percent(top.Violations) >= 50 {
		say("%d %% of the violations are in one session, %s", percent(top.Violations), top.Session)
	} else if sessions > 3 {
		say("the violations are spread over %d sessions", sessions)
	}
	for _, rule := range r.Rules {
		if rule.Name == boundary.RuleAmbiguous && percent(rule.Count) >= 25 {
			say("%d %% of the violations are calls with unknown effects: add commands that only read to "+
				"reading_commands in the policy", percent(rule.Count))
		}
	}
	if days := len(r.Days); days >= 4 {
		early, late := violationRate(r.Days[:days/2]), violationRate(r.Days[days/2:])
		say("violations per decision went from %.1f %% in the first half of the days to %.1f %% in the second",
			early*100, late*100)
	}
	if r.Ran > 0 {
		say("%s ran although blocked: the client ignores the hook; see orchestrator boundary doctor",
			fault.Count(r.Ran, "call"))
	}
	return said
}

func violationRate(days []DayCount) float64 {
	var violations, decisions int
	for _, d := range days {
		violations, decisions = violations+d.Violations, decisions+d.Decisions
	}
	return share.Share{Part: violations, Whole: decisions}.Rate()
}

// KnownLabels returns what a decision can be labelled as.
func KnownLabels() []string { return []string{LabelFalsePositive, LabelCorrect, LabelResolved} }
