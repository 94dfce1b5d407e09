package record

import (
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Renamed is the data of a requirements.renamed record: requirements have other ids from here on, and their lives go
// along. Without Qualify, a pm has confirmed each of the Renames, whose new ids an import had added. With it, all ids
// of the project get that form, as package qualify names it, and Renames has those that changed.
type Renamed struct {
	Rules    lifecycle.Rules `json:"rules"`    // the version that decided
	Workflow string          `json:"workflow"` // in force
	Renames  []renaming.Pair `json:"renames"`
	Suspect  []string        `json:"suspect,omitempty"` // new ids of those whose text is another
	Qualify  string          `json:"qualify,omitempty"`
	Reason   string          `json:"reason"`

	IdempotencyKey string `json:"idempotency_key,omitempty"`
	BodySHA256     string `json:"body_sha256,omitempty"` // of the body as sent; with IdempotencyKey
}
