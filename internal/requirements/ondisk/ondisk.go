// Package ondisk holds the requirement documents on disk against those that were imported. It changes neither.
package ondisk

import (
	"errors"
	"io/fs"
	"path/filepath"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
)

// Drift holds the documents on disk against those that were imported.
func Drift(imported []projection.SourceFile, documents func() ([]reqdoc.File, error)) []review.Drift {
	files, err := documents()
	if err != nil {
		return unreadDrift(imported, err)
	}
	digests := map[string]string{}
	for _, source := range imported {
		digests[source.Path] = source.SHA256
	}
	var drift []review.Drift
	for _, f := range files {
		if f.Change != "" {
			continue // it is no document
		}
		digest, known := digests[f.Path]
		delete(digests, f.Path)
		switch {
		case !known:
			drift = append(drift, review.Drift{Path: f.Path, Detail: "it is not imported"})
		case digest != ledger.Digest(f.Content):
			drift = append(drift, review.Drift{Path: f.Path, Detail: "it differs from what was imported"})
		}
	}
	for _, source := range imported {
		if _, left := digests[source.Path]; left {
			drift = append(drift, review.Drift{Path: source.Path,
				Detail: "it was imported, and is not among the documents any more"})
		}
	}
	return drift
}

// unreadDrift names the document that cannot be read, or all of them where the error does not say which one it is.
func unreadDrift(imported []projection.SourceFile, err error) (drift []review.Drift) {
	var at *fs.PathError
	known := errors.As(err, &at)
	for _, source := range imported {
		one := review.Drift{Path: source.Path, Detail: "it cannot be read: " + decision.Quote(Why(err))}
		if known && filepath.ToSlash(filepath.Clean(at.Path)) == source.Path {
			return []review.Drift{one}
		}
		drift = append(drift, one)
	}
	return drift
}

// Why returns what readers are told of an error.
func Why(err error) string {
	if f := fault.As(err); f != nil {
		return f.Detail
	}
	return "the log of the service says why"
}
