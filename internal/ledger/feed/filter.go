package feed

import (
	"slices"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/thread"
)

// Filter says which records are followed: of any of the kinds, by any of the roles, of any of the threads. None of one
// sort is all of it.
type Filter struct {
	Kinds, Roles []string
	Threads      []thread.Thread // of requirements, by the ids that they have had
}

// Passes reports whether a record is followed.
func (f Filter) Passes(r Record) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)) &&
		(len(f.Roles) == 0 || slices.Contains(f.Roles, r.Role)) &&
		(len(f.Threads) == 0 || slices.ContainsFunc(f.Threads, func(t thread.Thread) bool {
			return t.Has(audit.Record{Seq: r.Number, Subject: r.Subject})
		}))
}
