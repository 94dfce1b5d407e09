package progress

import (
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// reason is why a requirement does not get on, and who can bring it on.
type reason struct {
	why string
	by  lifecycle.Party
}

// When waiting is too long: longer than so many times the median of the stays that have ended, if these are enough to
// tell, and than so many seconds. Where agents work, a stay may end at once, and nothing is stuck that waits a minute.
const (
	tooLong    = 2
	enoughEnds = 5
	leastLimit = 3600
)

// waiting is a requirement and for how long it is in its status.
type waiting struct {
	*line

	seconds int64
	limit   *int64 // that it has exceeded
}

// stuck returns the requirements that are stuck longest, and how many are.
//
// Implements: ORC-328
func (r *Rows) stuck(in Input) (shown []Stuck, total int) {
	limits := map[lifecycle.Status]*int64{}
	for _, status := range lifecycle.Statuses() {
		limits[status] = r.limit(status)
	}
	longest := best[waiting]{most: mostStuck, before: func(a, b waiting) bool { return a.seconds > b.seconds }}
	for _, l := range r.lines {
		if w, is := l.isStuck(in, limits[l.entry.Summary.Status]); is {
			total++
			longest.add(w)
		}
	}
	shown = make([]Stuck, len(longest.list))
	for i, w := range longest.list {
		shown[i] = w.shown(in.Workflow)
	}
	return shown, total
}

// limit returns the seconds after which what is in a status is stuck; nil where nothing is, or nothing tells.
func (r *Rows) limit(status lifecycle.Status) *int64 {
	place := placeOf(status)
	if status == lifecycle.Done || status == lifecycle.Deferred || len(r.ended.of[place]) < enoughEnds {
		return nil
	}
	limit := max(leastLimit, tooLong**r.ended.rank(place, median))
	return &limit
}

// isStuck reports whether a requirement is stuck, given the limit of its status.
func (l *line) isStuck(in Input, limit *int64) (w waiting, is bool) {
	s := l.entry.Summary
	w = waiting{line: l, seconds: seconds(l.since, in.At)}
	switch {
	case s.Retired || s.Status == lifecycle.Done || s.Status == lifecycle.Deferred:
		return w, false
	case Stopped(s.Status):
		return w, true
	case limit == nil || w.seconds <= *limit:
		return w, false
	}
	w.limit = limit
	return w, true
}

// Stopped reports whether somebody has stopped a requirement that is in a status: it is stuck at once.
func Stopped(s lifecycle.Status) bool {
	return slices.Contains([]lifecycle.Status{lifecycle.Blocked, lifecycle.NeedsChanges, lifecycle.TestedFail}, s)
}

func (w waiting) shown(flow lifecycle.Workflow) Stuck {
	if w.stuck == nil {
		why := reasonOf(flow, w.entry)
		w.stuck = &why
	}
	s := w.entry.Summary
	return Stuck{ID: s.ID, Title: s.Title, Status: s.Status, Since: w.since, Seconds: w.seconds, Limit: w.limit,
		Why: w.stuck.why, By: w.stuck.by}
}

// longestWhy bounds what is shown of a reason, in bytes.
const longestWhy = 400

// reasonOf finds out why a requirement does not get on. The entry is another one when the workflow is.
func reasonOf(flow lifecycle.Workflow, e *projection.Entry) reason {
	req, by := e.Requirement(), lifecycle.Party(lifecycle.PM)
	if first := e.Summary.WaitingFor; len(first) > 0 {
		by = first[0]
	}
	return reason{fault.Clip(whyOf(flow, req), longestWhy), by}
}

func whyOf(flow lifecycle.Workflow, req lifecycle.Requirement) string {
	if n := len(req.History); Stopped(req.Status) && n > 0 {
		return req.History[n-1].Justification.Reason
	}
	if req.Suspect {
		return "its text or priority has changed since work began, and nobody has accepted that"
	}
	for step := range flow.Ahead(req) {
		switch {
		case len(step.Lacks) > 0:
			return "lacks: " + step.Lacks[0].Detail
		case len(req.Stale) > 0:
			return "stale: " + req.Stale[0].Pointer + ": " + req.Stale[0].Detail
		}
		return "lacks nothing for its move to " + string(step.To)
	}
	return flow.NoWayOn(req, req.Status)
}
