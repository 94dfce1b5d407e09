package adoption

import (
	"slices"
	"time"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// Of returns a project as a snapshot has it, for a plan that is written now. Material and reports are to be added.
func Of(snap *projection.Snapshot, now time.Time) Project {
	p := Project{Rules: At(snap.Project.Workflow(), now), Finder: snap.Finder(&idmatch.Cache{})}
	for e := range snap.All() {
		p.Requirements = append(p.Requirements, e.Requirement())
	}
	return p
}

// Find returns the requirement with an id.
func (p Project) Find(id string) (lifecycle.Requirement, bool) {
	i := slices.IndexFunc(p.Requirements, func(r lifecycle.Requirement) bool { return r.ID == id })
	if i < 0 {
		return lifecycle.Requirement{}, false
	}
	return p.Requirements[i], true
}
