package review

import (
	"slices"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// ByLatest is what the latest rules hold against a requirement that older ones let become done.
type ByLatest struct {
	Missing []Missing         `json:"missing,omitempty"`
	Stale   []lifecycle.Stale `json:"stale,omitempty"` // beyond what counts by the rules that decided
}

// decidedByOlder adds by which rules a done requirement was decided and, where these are not the latest ones, what the
// latest hold against it.
func (r *Requirement) decidedByOlder(req lifecycle.Requirement) {
	if req.Status != lifecycle.Done {
		return
	}
	r.Rules = req.JudgedBy()
	if r.Rules == lifecycle.LatestRules {
		return
	}
	latest := ByLatest{Missing: towards(lifecycle.Done, unmetBeyondStale(req, lifecycle.LatestRules))}
	for _, s := range req.Stale {
		if !slices.Contains(r.Stale, s) {
			latest.Stale = append(latest.Stale, s)
		}
	}
	if len(latest.Missing)+len(latest.Stale) > 0 {
		r.ByLatest = &latest
	}
}

// unmetBeyondStale lists the gates of done that a requirement lacks by a version of the rules. Those that stale
// evidence does not meet are left out: Stale says it.
func unmetBeyondStale(req lifecycle.Requirement, rules lifecycle.Rules) []lifecycle.Lack {
	return slices.DeleteFunc(req.UnmetBy(rules, lifecycle.Done, lastMover(req)), func(l lifecycle.Lack) bool {
		return slices.Contains(lifecycle.StaleGates(), l.Gate)
	})
}

// covered reports whether the name of a test that a requirement cites names it; nil where it cites none, or the ids are
// not known.
func covered(req lifecycle.Requirement, ids *idmatch.IDs) *bool {
	if req.Test == nil || ids == nil {
		return nil
	}
	var covers *bool
	for _, e := range req.Test.Evidence {
		if e.Kind == lifecycle.EvidenceTest {
			names := slices.Contains(ids.In(e.Name), req.ID)
			if covers == nil || names {
				covers = &names
			}
		}
	}
	return covers
}

// FilesOf returns the files of the implementation of a requirement, each once, where they are now.
func FilesOf(req lifecycle.Requirement) (paths []string) {
	for i, e := range req.ImplementationEvidence {
		if e.Kind != lifecycle.EvidenceFile {
			continue
		}
		path, pointer := e.Path, lifecycle.PointerTo("implementation_evidence", i)
		if k := slices.IndexFunc(req.Moved, func(m lifecycle.Relocated) bool { return m.Pointer == pointer }); k >= 0 {
			path = withoutLines(req.Moved[k].To)
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

var linesAtTheEnd = lazyregexp.New(`:[0-9]+(-[0-9]+)?$`)

func withoutLines(place string) string { return linesAtTheEnd().ReplaceAllString(place, "") }

// dirtyAmong returns those of the files of an implementation that have uncommitted changes.
func dirtyAmong(files []string, dirty map[string]bool) (all []string) {
	if len(dirty) == 0 {
		return nil
	}
	for _, path := range files {
		if dirty[path] {
			all = append(all, path)
		}
	}
	return all
}
