package board

import (
	"slices"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/rules/lifecycle"
)

// progress is what the page takes of GET /project/progress: how long is long, and what is stuck.
type progress struct {
	InStatus []struct {
		Status lifecycle.Status `json:"status"`
		Limit  int64            `json:"limit_seconds"`
	} `json:"in_status"`
	Stuck []struct {
		ID    string    `json:"id"`
		Since time.Time `json:"since"`
		Why   string    `json:"why"`
	} `json:"stuck"`
	Total int `json:"stuck_total"`

	known bool
}

// progressOf reads it. Where it cannot be read, no age is long, and what somebody has stopped is stuck.
func progressOf(v *page.Visit) (p progress) {
	p.known = v.API.Get("/project/progress", nil, &p) == nil
	return p
}

// limit returns how long a requirement may be in a status before that is long.
func (p progress) limit(status lifecycle.Status) (limit time.Duration, known bool) {
	for _, s := range p.InStatus {
		if s.Status == status && s.Limit > 0 {
			return time.Duration(s.Limit) * time.Second, true
		}
	}
	return 0, false
}

// stopped are the statuses in which a requirement is stuck from its first moment.
var stopped = []lifecycle.Status{lifecycle.Blocked, lifecycle.NeedsChanges, lifecycle.TestedFail}

// stuckAfter returns after which time in a status a requirement is stuck, and whether it can be.
func (p progress) stuckAfter(status lifecycle.Status) (over time.Duration, can bool) {
	switch {
	case slices.Contains(stopped, status):
		return 0, true
	case status == lifecycle.Done || status == lifecycle.Deferred:
		return 0, false
	}
	limit, known := p.limit(status)
	return limit + time.Second, known
}

// why returns why a requirement is stuck, where that is known.
func (p progress) why(id string) string {
	for _, s := range p.Stuck {
		if s.ID == id {
			return s.Why
		}
	}
	return ""
}
