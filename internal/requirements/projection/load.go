package projection

import (
	"slices"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/rules/lifecycle"
)

// Tables returns the names of the tables that a snapshot is folded from.
func Tables() []string {
	return []string{TableProject.Name, TableRequirements.Name, claims.Table.Name}
}

// Load returns the snapshot of a store whose log has a head.
func Load(r store.Reader, head audit.Head) (*Snapshot, error) {
	p, _, err := TableProject.Get(r, KeyProject)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]*Entry, len(p.IDs))
	err = TableRequirements.Scan(r, func(id string, raw []byte, req lifecycle.Requirement) error {
		entries[id] = NewEntry(req, slices.Clone(raw), p.Workflow())
		return nil
	})
	if err != nil {
		return nil, err
	}
	snap, err := New(p, entries, head)
	if err != nil {
		return nil, err
	}
	on, err := claims.Load(r)
	return snap.WithClaims(on), err
}
