package boltstore

import "orchestrator/internal/ledger/store/tail"

// Waiting is the number of updates that the writer has not yet taken.
func (s *Store) Waiting() int {
	return s.queue.Len()
}

// MaxBatchUpdates is the bound of a batch.
const MaxBatchUpdates = maxBatchUpdates

// OpenTurning is Open of a store whose WAL is made after its first batch, and turns over when it has so many bytes.
func OpenTurning(path string, o Options, turnAt int) (*Store, error) {
	return open(path, o, tail.Options{TurnAt: turnAt, After: 1})
}
