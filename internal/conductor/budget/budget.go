// Package budget counts what a run spends, and says when one of its budgets is used up. It is pure.
package budget

import (
	"fmt"
	"time"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// The budgets of a run that names none.
const (
	defaultRuns  = 100
	defaultDepth = 8
	defaultTime  = 10 * time.Minute
)

// maxBytes bounds the results of a run, and the values that are taken from them, whatever the request says: a trace has
// each result, and each answer once more.
const maxBytes = 8 << 20

// Limit returns how long a run may take.
func Limit(b planning.Budgets) time.Duration {
	if b.TimeMS == 0 {
		return defaultTime
	}
	return time.Duration(b.TimeMS) * time.Millisecond
}

// Depth returns how many obligations may come of one another.
func Depth(b planning.Budgets) int {
	if b.MaxDepth > 0 {
		return b.MaxDepth
	}
	return defaultDepth
}

// Spent is what a run has spent of its budgets. A copy of it counts on its own.
type Spent struct {
	Deadline time.Time

	of     planning.Budgets
	runs   int
	cost   float64
	bytes  int
	over   bool // a result was not taken
	agents usage.Sum
}

// Of begins to count for a run that begins at a moment.
func Of(b planning.Budgets, now time.Time) Spent { return Spent{Deadline: now.Add(Limit(b)), of: b} }

// Run counts a run of a tool.
func (s *Spent) Run(c planning.Contract) {
	s.runs++
	s.cost += c.Cost.Weight()
}

// UnknownRun counts a run of a tool that there is not any more.
func (s *Spent) UnknownRun() { s.runs++ }

// Agent counts what an agent reported to have used; nil is one that reported nothing.
func (s *Spent) Agent(used *usage.Usage) { s.agents.Add(used) }

// CodeOverBudget is the code of a run whose result is not taken, since it exceeds what is left of the bytes.
const CodeOverBudget fault.Code = "result_over_budget"

// Result counts the bytes of a result. One that exceeds what is left is refused: nobody is given it, and nothing
// further is run.
//
// Implements: ORC-256
func (s *Spent) Result(bytes int) error {
	s.bytes += bytes
	why := s.tooMuch()
	if why == "" {
		return nil
	}
	s.over = true
	return fault.New(fault.TooLarge, CodeOverBudget, "its result is not taken: %s", why).
		WithFix("ask for less, or give the request a larger max_result_bytes, of at most %d", maxBytes)
}

// Recorded counts the bytes of a result that is on record, or that it was refused.
func (s *Spent) Recorded(bytes int, failed fault.Code) {
	s.bytes += bytes
	s.over = s.over || failed == CodeOverBudget
}

// UsedUp reports whether time or bytes are used up, so that nothing further is run.
func (s *Spent) UsedUp(now time.Time) bool { return s.tooLong(now)+s.tooMuch() != "" }

// Exceeded is why nothing further is run: a budget is used up.
type Exceeded string

// Error returns the reason.
func (e Exceeded) Error() string { return string(e) }

// Left returns how long a read may take that comes after the runs of tools, or stands between them: what is left of the
// time, and a moment for what says how it ended.
func (s *Spent) Left(now time.Time) time.Duration { return max(s.Deadline.Sub(now), 0) + time.Second }

// TimeIsUp is why nothing goes on when the time is over.
const TimeIsUp Exceeded = "time_ms is exhausted"

// Take counts a value of a result that is to become an input. Its error is an Exceeded.
func (s *Spent) Take(n int, now time.Time) error {
	s.bytes += n
	why := s.tooLong(now)
	if why == "" {
		why = s.tooMuch()
	}
	if why == "" {
		return nil
	}
	return Exceeded(why)
}

// Refuses returns why a run of a tool would exceed a budget, or "".
//
// Implements: ORC-256, ORC-294
func (s *Spent) Refuses(c *planning.Contract, now time.Time) string {
	most := s.of.MaxToolRuns
	if most == 0 {
		most = defaultRuns
	}
	left := s.of.MaxCost - s.cost
	switch {
	case s.runs >= most:
		return "max_tool_runs is exhausted"
	case s.of.MaxCost > 0 && c.Cost.Weight() > left:
		return fmt.Sprintf("it costs %g, and %g of max_cost is left", c.Cost.Weight(), left)
	case c.Role != "" && s.agents.Exceeds(s.of.MaxTokens, s.of.MaxCostUSD) != "":
		return s.agents.Exceeds(s.of.MaxTokens, s.of.MaxCostUSD)
	case s.tooLong(now) != "":
		return s.tooLong(now)
	}
	return s.tooMuch()
}

func (s *Spent) tooLong(now time.Time) string {
	if now.Before(s.Deadline) {
		return ""
	}
	return string(TimeIsUp)
}

func (s *Spent) tooMuch() string {
	switch own := s.of.MaxResultBytes; {
	case own > 0 && own <= maxBytes && (s.over || s.bytes > own):
		return fmt.Sprintf("the results, and the values taken from them, exceed the %d bytes of max_result_bytes", own)
	case s.over || s.bytes > maxBytes:
		return fmt.Sprintf("the results, and the values taken from them, exceed %d MiB", maxBytes>>20)
	}
	return ""
}
