// Package reviewing says when a boundary that was switched to enforce is to be looked at again, and what to look at. It
// is pure: it is given the moment and what was measured.
package reviewing

import (
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/rules/boundary/share"
)

// State is how a review stands.
type State string

// The states of a review.
const (
	Coming State = "coming"
	Due    State = "due"
	Closed State = "closed"
)

// Review is one look at a boundary that is enforced.
type Review struct {
	Name   string    `json:"name"` // by which a person names it
	Why    string    `json:"why"`
	At     time.Time `json:"at,omitzero"` // when it is due; zero for one that figures open
	State  State     `json:"state"`
	LookAt []string  `json:"look_at"` // with what was measured of it
	Closed *Closing  `json:"closed,omitempty"`
}

// Closing is what a person noted of a review.
type Closing struct {
	Name string    `json:"-"`
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Note string    `json:"note"`
}

// Share is a part of a whole, and the rate above which it opens a review.
type Share struct {
	Part, Whole int
	Limit       float64
}

func (s Share) of() share.Share { return share.Share{Part: s.Part, Whole: s.Whole} }

func (s Share) String() string {
	if s.Whole <= 0 {
		return s.of().Percent()
	}
	return fmt.Sprintf("%d of %d, %s", s.Part, s.Whole, s.of().Percent())
}

// Measured is what is known of a boundary since it was switched to enforce. Bypass and errors count from when their
// review was closed last.
type Measured struct {
	Bypass        Share // sessions in which a bypass lifted the boundary
	Errors        Share // runs of the hook that failed
	Early, Late   Share // violations among the decisions of the first and of the second half of the time
	AgentsBlocked int   // calls of agents that were blocked
}

// The names of the reviews that figures open.
const (
	Bypass = "bypass"
	Errors = "errors"
)

// term is a review that comes due by the calendar.
type term struct {
	name, why string
	after     func(time.Time) time.Time
	looks     func(Measured) []string
}

func hours(n int) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.Add(time.Duration(n) * time.Hour) }
}

func months(n int) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.AddDate(0, n, 0) }
}

var terms = []term{
	{"48h", "48 hours of enforce", hours(48), func(m Measured) []string {
		return []string{m.errors(), m.agents()}
	}},
	{"1w", "1 week of enforce", hours(7 * 24), func(m Measured) []string {
		return []string{m.bypass(), "feedback: what those who work with the boundary say", m.agents(), m.errors()}
	}},
	{"2w", "2 weeks of enforce", hours(14 * 24), func(m Measured) []string {
		return []string{"feedback: have those who work with the boundary adapted to it?", m.violations(), m.bypass(),
			m.agents()}
	}},
	{"1m", "1 month of enforce", months(1), func(m Measured) []string {
		return []string{"feedback: complaints that persist", m.violations(), m.bypass(), m.errors(), m.agents()}
	}},
	{"6m", "6 months of enforce", months(6), func(m Measured) []string {
		return []string{"effectiveness: do agents make the changes, and is the work better for it?",
			"the model: do policy, agents and thresholds still fit the way the project works?",
			m.violations(), m.bypass(), m.errors()}
	}},
}

func (m Measured) errors() string { return "errors of the hook: " + m.Errors.String() }
func (m Measured) bypass() string { return "sessions with a bypass: " + m.Bypass.String() }
func (m Measured) agents() string {
	return fmt.Sprintf("workflows of agents: %d of their calls were blocked", m.AgentsBlocked)
}

func (m Measured) violations() string {
	return "violations, which should decrease: " + m.Early.String() + " in the first half of the time since, " +
		m.Late.String() + " in the second"
}

// Names returns the names of all reviews.
func Names() (all []string) {
	for _, t := range terms {
		all = append(all, t.name)
	}
	return append(all, Bypass, Errors)
}

// Schedule returns the reviews of a boundary that was switched to enforce at a moment: those of the calendar in their
// order, then those that figures open, as far as they are open or were. What was closed before the switch does not
// count; of several closings of one review the last does.
func Schedule(activated, now time.Time, m Measured, closed []Closing) []Review {
	last := map[string]*Closing{}
	for _, c := range closed {
		if !c.At.Before(activated) {
			last[c.Name] = &c
		}
	}
	var all []Review
	for _, t := range terms {
		r := Review{Name: t.name, Why: t.why, At: t.after(activated), State: Coming, LookAt: t.looks(m),
			Closed: last[t.name]}
		switch {
		case r.Closed != nil:
			r.State = Closed
		case !now.Before(r.At):
			r.State = Due
		}
		all = append(all, r)
	}
	return append(append(all, opened(Bypass, "sessions with a bypass", m.Bypass, last[Bypass],
		m.bypass(), "detection: is it too strict, or wrong?", "agents: what could not be delegated?")...),
		opened(Errors, "runs of the hook that failed", m.Errors, last[Errors],
			m.errors(), "reliability: orchestrator boundary doctor, and the errors in orchestrator boundary report")...)
}

// opened returns a review that figures open: due while they exceed their limit, otherwise closed if it ever was.
func opened(name, what string, s Share, closed *Closing, look ...string) []Review {
	r := Review{Name: name, Why: fmt.Sprintf("%s: more than %g %%", what, s.Limit*100), State: Due, LookAt: look}
	switch {
	case s.of().Above(s.Limit):
	case closed != nil:
		r.State, r.Closed = Closed, closed
	default:
		return nil
	}
	return []Review{r}
}

// OnlyDue returns the reviews that are due.
func OnlyDue(all []Review) []Review {
	return slices.DeleteFunc(slices.Clone(all), func(r Review) bool { return r.State != Due })
}

// DueAt returns how many of the reviews are due at a moment, which may be later than that of the schedule.
func DueAt(all []Review, now time.Time) (n int) {
	for _, r := range all {
		if r.State == Due || r.State == Coming && !now.Before(r.At) {
			n++
		}
	}
	return n
}
