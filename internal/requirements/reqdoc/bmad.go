package reqdoc

import (
	"strings"

	"orchestrator/internal/requirements/vocabulary"
)

// showsBMAD reports whether a line shows a product requirement document of BMAD, which says so in its title, and
// numbers without hyphen or zeros: FR1, NFR2, CR3.
func showsBMAD(line string, heading bool) bool {
	if heading {
		line = strings.ToLower(strings.Trim(vocabulary.CutNumber(line), "*_: "))
		return strings.HasPrefix(line, "prd:") || strings.HasSuffix(line, "product requirements document (prd)")
	}
	for _, word := range []string{"FR", "NFR", "CR"} {
		if rest, found := strings.CutPrefix(line, "**"+word); found && rest != "" && rest[0] >= '1' && rest[0] <= '9' {
			return true
		}
	}
	return false
}
