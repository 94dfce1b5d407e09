package proposal

import (
	"fmt"

	"orchestrator/internal/rules/lifecycle"
)

// Counted returns in a few words what a test record counts, and of how many tests it cites.
func Counted(t lifecycle.TestRecord) string {
	cited := "1 test is"
	if n := len(t.Evidence); n != 1 {
		cited = fmt.Sprintf("%d tests are", n)
	}
	return Results(*t.Results) + "; " + cited + " cited"
}

// Results returns in a few words how many tests did what.
func Results(r lifecycle.Results) string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
}
