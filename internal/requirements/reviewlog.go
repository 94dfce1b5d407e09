package requirements

import (
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/turn"
)

// logReview is how far the log was verified, and what became of the attempts that it holds. It grows with the log, so
// that a review reads only what is new.
type logReview struct {
	turn     turn.Turn
	head     audit.Head
	attempts lookup.Attempts
}
