package requirements

import (
	"io"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
)

// ReviewExport reviews the project from its export alone, and lists what that cannot show.
func ReviewExport(export io.Reader) (review.Project, error) {
	snap, err := projection.ReadFile(export)
	if err != nil {
		return review.Project{}, fault.New(fault.Invalid, drift.CodeExportInvalid, "the export cannot be read as one").
			WithFix("give the export that the service writes, whole").Because(err)
	}
	return review.Full(review.Input{
		Project: snap.Project.Name, Workflow: snap.Project.Workflow(),
		Log: review.Log{Size: snap.Head.Size, Root: snap.Head.Root.String()}, Import: review.Import{OK: true},
		Evidence: snap.Project.Evidence, Requirements: requirementsOf(snap),
		Unchecked: []string{
			review.UncheckedLog, review.UncheckedEvidence, review.UncheckedDocuments, review.UncheckedImport,
			review.UncheckedRefusals,
		},
	}), nil
}
