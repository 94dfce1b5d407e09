package exportfile

import (
	"orchestrator/internal/datadir"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/tree"
)

// Remembers returns the file that remembers the log of a project: its export or the checkpoint beside it, or else "".
func Remembers(export string) string {
	for _, path := range []string{export, projection.CheckpointPath(export)} {
		if path != "" && tree.Exists(path) {
			return path
		}
	}
	return ""
}

// Clone reports whether a data folder is that of a clone: something remembers a log, and this folder never had one.
func Clone(data datadir.Dir, export string) bool {
	for _, path := range []string{data.Database(), data.Tokens(), data.Key()} {
		if tree.Exists(path) {
			return false
		}
	}
	return Remembers(export) != ""
}
