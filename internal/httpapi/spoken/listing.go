package spoken

import (
	"time"

	"orchestrator/internal/conductor/language"
)

// Forms lists what can be said.
type Forms struct {
	Forms   []language.Known `json:"forms"`
	Filters []string         `json:"filters"` // the clauses that FILTERS stands for
}

// Listing returns all forms. Days in their examples are those of now.
func Listing(now time.Time) Forms { return Forms{language.Forms(now), language.Filters()} }
