package requirements

import (
	"sync"
	"time"

	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
)

// keepRows is how long the rows of a review are kept for the next one.
const keepRows = 5 * time.Minute

// reviewRows keeps the rows of the last review for as long as reviews are asked for.
type reviewRows struct {
	mu   sync.Mutex
	rows review.Rows
	idle *time.Timer // drops the rows; nil before the first review
}

// full reviews the project as a snapshot has it.
func (k *reviewRows) full(in review.Input, snap *projection.Snapshot, dirty func([]string) map[string]bool) review.Encoded {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil {
		k.idle = time.AfterFunc(keepRows, k.drop)
	}
	k.idle.Reset(keepRows)
	return k.rows.Full(in, func(yield func(string, review.Source) bool) {
		for e := range snap.All() {
			if !yield(e.Summary.ID, e) {
				return
			}
		}
	}, dirty)
}

func (k *reviewRows) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = review.Rows{}
}
