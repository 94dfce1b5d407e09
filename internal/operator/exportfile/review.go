package exportfile

import (
	"context"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/system/tree"
)

// StandsIn reports whether an export answers for a service that was asked: where none runs, and there is an export.
func StandsIn(path string, asked error) bool {
	return apiclient.NotRunning(asked) && tree.Exists(path)
}

// Review reviews a project from its export alone.
func Review(ctx context.Context, path string) (review.Project, error) {
	f, err := projection.OpenExport(ctx, path)
	if err != nil {
		return review.Project{}, err
	}
	if f == nil {
		return review.Project{}, fault.New(fault.NotFound, "export_missing", "there is no export %s", path).
			WithFix("give the project_status.json of the project with --export, or ask a service with --server")
	}
	defer f.Close()
	return requirements.ReviewExport(f)
}
