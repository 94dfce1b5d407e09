package pgstore

// LockNext has the next batches lock the head, as after lost races. It is called before the first update.
func (s *Store) LockNext(batches int) { s.writer.locking = batches }

// The limits that tests need.
const (
	MaxPiece = maxPiece
	Unused   = unused
)

// Queued returns how many updates the writer has not taken yet.
func (s *Store) Queued() int { return s.queue.Len() }
