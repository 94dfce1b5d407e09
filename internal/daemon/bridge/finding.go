package bridge

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
)

// maxFinding bounds a finding, in bytes.
const maxFinding = 4000

// Record implements drive.Project: a finding is a note, or a deviation, of the pm who drives. One that is on record
// already is not repeated.
func (p *Project) Record(ctx context.Context, by audit.Actor, id string, kind drive.Finding, text string) error {
	req, err := p.service.Stored(id)
	if err != nil {
		return err
	}
	text = fault.Clip(text, maxFinding)
	entry, member := map[string]any{"text": text}, "pm_notes"
	known := slices.ContainsFunc(req.PMNotes, func(n lifecycle.Note) bool { return n.Text == text })
	if kind == drive.Deviation {
		member = "deviations"
		entry["id"] = fmt.Sprintf("drive-%.4x", sha256.Sum256([]byte(text)))
		known = slices.ContainsFunc(req.Deviations, func(d lifecycle.Deviation) bool { return d.ID == entry["id"] })
	}
	if known {
		return nil
	}
	return p.Change(ctx, builtin.Change{Caller: by, ID: req.ID, Members: map[string]any{member: []any{entry}}})
}

// LookAgain looks at all evidence again, since the branch that counts has moved.
func (p *Project) LookAgain(ctx context.Context) error {
	_, err := p.service.Recheck(ctx)
	return err
}

// Supplied returns the revision at which an agent gave a requirement the implementation or the test that it has; 0 if
// it did not. What agents of other roles commit supplies nothing.
func (p *Project) Supplied(id, agent, role string) uint64 {
	req, err := p.service.Stored(id)
	var stamp lifecycle.Stamp
	switch {
	case err != nil:
	case role == string(lifecycle.Coder) && req.Implementation != nil:
		stamp = req.Stamps.Implementation
	case role == string(lifecycle.Tester) && req.Test != nil:
		stamp = req.Stamps.Test
	}
	if stamp.By != agent {
		return 0
	}
	return stamp.Revision
}
