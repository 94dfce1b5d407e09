package board

import (
	"slices"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/requirements/progress"
	"orchestrator/internal/rules/lifecycle"
)

// pace is how the project gets on: how long is long, and what is stuck.
type pace struct {
	progress.Progress

	known bool
}

// paceOf asks the API for it. Where that does not answer, no age is long, and what somebody has stopped is stuck.
func paceOf(v *page.Visit) (p pace) {
	p.known = v.API.Get("/project/progress", nil, &p.Progress) == nil
	return p
}

// stuckAfter returns after which time in a status a requirement is stuck, and whether it can be.
func (p pace) stuckAfter(status lifecycle.Status) (over time.Duration, can bool) {
	if progress.Stopped(status) {
		return 0, true
	}
	limit, known := p.LimitOf(status)
	return limit + time.Second, known
}

// why returns why a requirement is stuck, where that is known.
func (p pace) why(id string) string {
	at := slices.IndexFunc(p.Stuck, func(s progress.Stuck) bool { return s.ID == id })
	if at < 0 {
		return ""
	}
	return p.Stuck[at].Why
}
