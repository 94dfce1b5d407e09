// Package keptreview keeps up the review of the project for as long as it is asked for.
package keptreview

import (
	"sync"
	"time"

	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
)

// keep is how long the rows of a review are kept for the next one.
const keep = 5 * time.Minute

// Rows keeps the rows of the last review for as long as reviews are asked for. It is safe for concurrent use.
//
// Implements: ORC-300
type Rows struct {
	mu   sync.Mutex
	rows review.Rows
	idle *time.Timer // drops the rows; nil before the first review
}

// Full reviews the project as a snapshot has it.
func (k *Rows) Full(in review.Input, snap *projection.Snapshot,
	dirty func([]string) map[string]bool) review.Encoded {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil {
		k.idle = time.AfterFunc(keep, k.drop)
	}
	k.idle.Reset(keep)
	return k.rows.Full(in, func(yield func(string, review.Source) bool) {
		for e := range snap.All() {
			if !yield(e.Summary.ID, e) {
				return
			}
		}
	}, dirty)
}

func (k *Rows) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = review.Rows{}
}
