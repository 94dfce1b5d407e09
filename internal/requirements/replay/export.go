package replay

import (
	"io"
	"iter"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
)

// compareExport holds the export against the state that the log has come to, byte by byte.
func (r *Replay) compareExport(head audit.Head) error {
	if r.export == nil {
		return nil
	}
	counts, err := r.states.counts(r.project.IDs)
	if err != nil {
		return err
	}
	same, err := r.export.Equals(func(to io.Writer) error {
		return projection.WriteFile(to, r.project, counts, head, r.states.listed(r.project.IDs))
	})
	if err != nil || same {
		return err
	}
	if _, err := r.export.Head(); err != nil {
		return err // it is not whole
	}
	return projection.ExportDiffers("it is not the state of the log at size %d", head.Size)
}

// listed returns requirements as they are stored, in the given order.
func (s *states) listed(ids []string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, id := range ids {
			if !yield(s.raw(id)) {
				return
			}
		}
	}
}

// How an export compares with the log.
const (
	ExportMatches = "matches"
	ExportBehind  = "behind" // whole, of an earlier moment
	ExportAbsent  = "absent"
)

// Export returns how the export compares with the log, which has ended. The error is what is wrong with it.
func (r *Replay) Export(head audit.Head) (string, error) {
	switch {
	case r.exportSize > head.Size:
		return ExportAbsent, projection.ExportDiffers("it is of a log with %d records, the store has %d", r.exportSize,
			head.Size)
	case r.exportSize == head.Size:
		return ExportMatches, r.exportErr
	case r.export != nil:
		return ExportBehind, r.exportErr
	}
	return ExportAbsent, r.exportErr
}

// counts counts the requirements, each of which must be listed once.
func (s *states) counts(ids []string) (counts projection.Counts, err error) {
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		one := s.byID[id]
		if one == nil {
			return counts, projection.Disagreement("the project lists %q, which is not among the requirements", id)
		}
		listed[id] = true
		counts.Add(projection.Summary{Status: one.status, Suspect: one.suspect, Stale: one.stale,
			Retired: one.retired, Revision: one.revision})
	}
	if len(listed) != len(s.byID) || len(listed) != len(ids) {
		return counts, projection.Disagreement("the project lists %d requirements, the store has %d", len(listed),
			len(s.byID))
	}
	return counts, nil
}
