// Package progress makes the figures that show how a project gets on: how many requirements were tested and done at the
// end of each day, how long they stay in each status, how long one takes, who is refused, and what is stuck.
//
// It is pure: no clock and no log is read here. What is counted:
//
//   - A day is one of UTC. It shows the project as it was at its end; a later renaming changes no day before.
//   - The documents have a requirement unless it is retired. Only such ones count in days, now, cycle and stuck.
//   - A stay in a status lasts from one move to the next, whatever becomes of the text meanwhile; the first one begins
//     with the import that brought the requirement, under whichever id. One that has ended counts, of a retired
//     requirement, too.
//   - Durations are whole seconds. Of n of them in order, the median is number n/2 and the 90th percentile number
//     9n/10, rounded up, counted from 1: both have occurred.
package progress

import (
	"time"

	"orchestrator/internal/requirements/presence"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Progress is how a project gets on. No list is nil.
type Progress struct {
	AsOf     uint64              `json:"as_of"` // the size of the log
	At       time.Time           `json:"at"`    // the minute up to which it is counted how long something lasts
	Days     []Day               `json:"days"`
	StepDays int                 `json:"step_days"` // how far apart the days are
	InStatus []InStatus          `json:"in_status"` // in the order of the lifecycle
	Cycle    Cycle               `json:"cycle"`
	Refusals []review.ActorCount `json:"refusals"` // actors with refused attempts, most first
	Stuck    []Stuck             `json:"stuck"`    // the longest first
	AllStuck int                 `json:"stuck_total"`
}

// LimitOf returns how long a requirement may be in a status before it is stuck, if anything tells.
func (p Progress) LimitOf(status lifecycle.Status) (limit time.Duration, known bool) {
	for _, s := range p.InStatus {
		if s.Status == status && s.Limit != nil {
			return time.Duration(*s.Limit) * time.Second, true
		}
	}
	return 0, false
}

// Day is how many requirements the documents had at its end, and in which status.
type Day struct {
	Day    string `json:"day"` // as in 2006-01-02, of UTC
	Total  int    `json:"total"`
	Tested int    `json:"tested"` // tested_pass or done
	Done   int    `json:"done"`
}

// InStatus says how many requirements are in a status, and how long those stayed that have left it.
type InStatus struct {
	Status lifecycle.Status `json:"status"`
	Now    int              `json:"now"`
	Stays  int              `json:"stays"` // that have ended
	Median *int64           `json:"median_seconds,omitempty"`
	P90    *int64           `json:"p90_seconds,omitempty"`
	Limit  *int64           `json:"limit_seconds,omitempty"` // what is in it longer is stuck
}

// Cycle says how long those requirements took that are done.
type Cycle struct {
	Finished int        `json:"finished"`
	Median   *int64     `json:"median_seconds,omitempty"`
	Newest   []Finished `json:"newest"` // the newest last
}

// Finished is a requirement that is done: from when it left not_started first until it became done last.
type Finished struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Started time.Time `json:"started"`
	Done    time.Time `json:"done"`
	Seconds int64     `json:"seconds"`
}

// Stuck is a requirement that is blocked, needs changes or has failed its tests, or that waits longer than others did.
type Stuck struct {
	ID      string           `json:"id"`
	Title   string           `json:"title"`
	Status  lifecycle.Status `json:"status"`
	Since   time.Time        `json:"since"`
	Seconds int64            `json:"seconds"`
	Limit   *int64           `json:"limit_seconds,omitempty"` // that it has exceeded
	Why     string           `json:"why"`
	By      lifecycle.Party  `json:"by"` // who can bring it on
}

// How much is shown.
const (
	mostDays     = 400
	mostFinished = 200
	mostStuck    = 100
)

// Input is everything that progress is made of besides the requirements.
type Input struct {
	AsOf     uint64
	At       time.Time
	Workflow lifecycle.Workflow
	Present  *presence.Presence // up to AsOf
	Actors   []review.ActorCount
}
