package requirements

import (
	"sync"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/lookup"
)

// logReview is how far the log was verified, and what became of the attempts that it holds. It grows with the log, so
// that a review reads only what is new.
type logReview struct {
	mu       sync.Mutex
	head     audit.Head
	attempts lookup.Attempts
}
