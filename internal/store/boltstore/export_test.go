package boltstore

import (
	"context"
)

// Waiting is the number of updates that the writer has not yet taken.
func (s *Store) Waiting() int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return len(s.queue.waiting)
}

// MaxBatchUpdates is the bound of a batch.
const MaxBatchUpdates = maxBatchUpdates

// CompactReaching is Compact with a function that is told of every step.
func (s *Store) CompactReaching(ctx context.Context, accept func(*Store) error, reached func(step string) error) (Compacted, error) {
	return s.compact(ctx, accept, reached)
}
