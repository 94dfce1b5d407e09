package boltstore

// Waiting is the number of updates that the writer has not yet taken.
func (s *Store) Waiting() int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return len(s.queue.waiting)
}

// MaxBatchUpdates is the bound of a batch.
const MaxBatchUpdates = maxBatchUpdates
