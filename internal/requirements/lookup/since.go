package lookup

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// Newer returns a requirement with those entries of its lists alone that were added after a revision. A deviation that
// was resolved after it is one of them.
func Newer(req lifecycle.Requirement, since uint64) lifecycle.Requirement {
	req.History = slices.DeleteFunc(slices.Clone(req.History), func(h lifecycle.HistoryEntry) bool { return h.Revision <= since })
	req.PMNotes = slices.DeleteFunc(slices.Clone(req.PMNotes), func(n lifecycle.Note) bool { return n.Revision <= since })
	req.Approvals = slices.DeleteFunc(slices.Clone(req.Approvals), func(a lifecycle.Approval) bool { return a.Revision <= since })
	req.Deviations = slices.DeleteFunc(slices.Clone(req.Deviations), func(d lifecycle.Deviation) bool {
		return d.Revision <= since && (d.Resolution == nil || d.Resolution.Revision <= since)
	})
	return req
}
