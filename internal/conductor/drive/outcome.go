package drive

import "orchestrator/internal/fault"

// Resolved reports whether the obligation of a step was met.
func (s Step) Resolved() bool { return s.Outcome.Resolved() }

// Done reports whether a requirement came to its end.
func (e End) Done() bool { return e.Outcome == Done }

// NotDone returns the error of an order that did not bring every requirement to its end, or nil.
func (r Report) NotDone() error {
	left := len(r.Requirements) - r.Outcomes[Done]
	if left == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "not_done", "%d of %d requirements are not done", left, len(r.Requirements)).
		WithFix("the lines above say why; GET /traces/{run} lists every attempt, and orchestrator drive continues " +
			"from the present state")
}
