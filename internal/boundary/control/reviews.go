package control

import (
	"context"
	"sync"
	"time"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// refreshed is how old reviews may be that a metric shows: to work them out takes the whole journal.
const refreshed = 10 * time.Minute

// reviews are those that were worked out last.
type reviews struct {
	mu   sync.Mutex
	all  []reviewing.Review
	at   time.Time
	said int64 // by persons until then, as the tally counts it
}

// ReviewsDue returns how many reviews of the enforced boundary are due, by what was worked out last.
func (b *Boundary) ReviewsDue() int {
	if b.Mode() != boundary.Enforce {
		return 0
	}
	b.reviews.mu.Lock()
	defer b.reviews.mu.Unlock()
	return reviewing.DueAt(b.reviews.all, b.clock())
}

func (r *reviews) set(all []reviewing.Review, at time.Time, said int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all, r.at, r.said = all, at, said
}

// current reports whether the reviews are those of now: nobody said anything since, and they are not old.
func (r *reviews) current(now time.Time, said int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.at.IsZero() && said == r.said && now.Sub(r.at) < refreshed
}

// refreshReviews works the reviews out again, where the boundary is enforced and they are not current.
func (b *Boundary) refreshReviews(ctx context.Context) error {
	if b.Mode() != boundary.Enforce || b.reviews.current(b.clock(), b.Tally().Said) {
		return nil
	}
	return b.read(ctx, func(*boundary.Policy, *report.History) {})
}
