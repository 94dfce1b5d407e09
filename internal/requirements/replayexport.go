package requirements

import (
	"io"
	"iter"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
)

// compareExport holds the export against the state that the log has come to, byte by byte.
func (f *fold) compareExport(head audit.Head) error {
	if f.export == nil {
		return nil
	}
	counts, err := f.counts()
	if err != nil {
		return err
	}
	same, err := f.export.Equals(func(to io.Writer) error {
		return projection.WriteFile(to, f.project, counts, head, f.listed())
	})
	if err == nil && !same {
		err = projection.ExportDiffers("it is not the state of the log at size %d", head.Size)
	}
	return err
}

// listed returns the requirements as they are stored, in the order of the project.
func (f *fold) listed() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, id := range f.project.IDs {
			if !yield(f.states.raw(id)) {
				return
			}
		}
	}
}

// Export says how the export compares with the log, which has ended: it matches, is behind, or is absent. The error is
// what is wrong with it.
func (f *fold) Export(head audit.Head) (string, error) {
	switch {
	case f.exportSize > head.Size:
		return "absent", projection.ExportDiffers("it is of a log with %d records, the store has %d", f.exportSize, head.Size)
	case f.exportSize == head.Size:
		return "matches", f.exportErr
	case f.export != nil:
		return "behind", f.exportErr
	}
	return "absent", f.exportErr
}

// counts counts the requirements, each of which the project must list once.
func (f *fold) counts() (counts projection.Counts, err error) {
	listed := make(map[string]bool, len(f.project.IDs))
	for _, id := range f.project.IDs {
		one := f.states.byID[id]
		if one == nil {
			return counts, projection.Disagreement("the project lists %q, which is not among the requirements", id)
		}
		listed[id] = true
		counts.Add(projection.Summary{Status: one.status, Suspect: one.suspect, Stale: one.stale,
			Retired: one.retired, Revision: one.revision})
	}
	if len(listed) != len(f.states.byID) || len(listed) != len(f.project.IDs) {
		return counts, projection.Disagreement("the project lists %d requirements, the store has %d", len(listed),
			len(f.states.byID))
	}
	return counts, nil
}
