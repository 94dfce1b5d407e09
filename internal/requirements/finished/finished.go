// Package finished tells which requirements their document calls finished. That is a claim of the document, beside the
// status: it changes no status, and ends where the requirement is done. The package does no I/O.
package finished

import (
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// Words say of a requirement what ByDocument reports.
const Words = "complete according to the document"

// ByDocument reports whether the document calls a requirement finished, by a tick or a mark, that is not done here.
func ByDocument(req lifecycle.Requirement) bool {
	return Says(req.Source.Tick, string(req.Status), req.Retired)
}

// Says reports the same for a requirement of which a tick, a status and whether it is retired are known.
func Says(tick, status string, retired bool) bool {
	return tick == reqdoc.TickTicked && status != string(lifecycle.Done) && !retired
}

// Beside returns the words as they stand behind others where a requirement is so, and else nothing.
func Beside(is bool) string {
	if !is {
		return ""
	}
	return "; " + Words
}
