package report

import (
	"slices"
	"time"
)

// Decided is the newest of the decisions of a journal, newest first, with how many there are that were asked for.
type Decided struct {
	Total     int         `json:"total"`
	Decisions []Violation `json:"decisions"`
}

// Newest lists decisions from a moment on, newest first, at most so many; the zero time is everything. What was allowed
// is among them, unless violations alone are asked for.
func (h *History) Newest(since time.Time, limit int, violations bool) Decided {
	d := Decided{Decisions: []Violation{}}
	for i := range slices.Backward(h.Decisions) {
		one := &h.Decisions[i]
		if one.At.Before(since) || violations && !one.Verdict.Violation() {
			continue
		}
		if len(d.Decisions) < limit {
			d.Decisions = append(d.Decisions, ViolationOf(one))
		}
		d.Total++
	}
	return d
}
