// Package loading reads the state of all requirements from the tables of a log.
package loading

import (
	"slices"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// Tables returns the names of the tables that a snapshot is folded from.
func Tables() []string {
	return []string{projection.TableProject.Name, projection.TableRequirements.Name, claims.Table.Name}
}

// Snapshot returns the state that a store has, whose log has a head.
func Snapshot(r store.Reader, head audit.Head) (*projection.Snapshot, error) {
	p, _, err := projection.TableProject.Get(r, projection.KeyProject)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]*projection.Entry, len(p.IDs))
	err = projection.TableRequirements.Scan(r, func(id string, raw []byte, req lifecycle.Requirement) error {
		entries[id] = projection.NewEntry(req, slices.Clone(raw), p.Workflow())
		return nil
	})
	if err != nil {
		return nil, err
	}
	snap, err := projection.New(p, entries, head)
	if err != nil {
		return nil, err
	}
	on, err := claims.Load(r)
	return snap.WithClaims(on), err
}
