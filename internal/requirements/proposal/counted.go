package proposal

import (
	"fmt"

	"orchestrator/internal/rules/lifecycle"
)

// Counted returns in a few words what a test record counts, and of how many tests it cites.
func Counted(t lifecycle.TestRecord) string {
	r := t.Results
	return fmt.Sprintf("%d passed, %d failed, %d skipped; %d tests are cited",
		r.Passed, r.Failed, r.Skipped, len(t.Evidence))
}
