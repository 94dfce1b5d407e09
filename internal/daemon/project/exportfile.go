package project

import (
	"context"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/tree"
)

// checkExportPath keeps the export from replacing a file that is none: a requirement document, anything in
// the data folder, or whatever else stands at its path.
func checkExportPath(ctx context.Context, data datadir.Dir, export string, documents []string) error {
	wrong := func(why string) error {
		return fault.New(fault.Invalid, "export_path", "%s cannot be the export: %s", export, why).
			WithFix("give --export a path of its own; nothing was changed")
	}
	own := []string{data.Database(), data.Tokens(), data.Address()}
	for _, path := range append(own, documents...) {
		if sameFile(path, export) {
			return wrong("it is the database, or another file that the service reads")
		}
	}
	for _, path := range documents {
		if ok, _ := filepath.Match(filepath.Clean(path), filepath.Clean(export)); ok {
			return wrong("the pattern " + path + " would read it as a requirement document")
		}
	}
	f, err := openOwnExport(ctx, export)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	if !projection.StartsAsExport(f) {
		return wrong("there is a file that is no export")
	}
	return nil
}

// openOwnExport opens an export as projection.OpenExport does, for whoever will write the export: what stands in its
// place and is no file of ours, such as a link that leads elsewhere, is not read; the next export replaces it and
// reports it.
func openOwnExport(ctx context.Context, path string) (*tree.File, error) {
	if planted(path) {
		return nil, nil
	}
	return projection.OpenExport(ctx, path)
}

// planted reports whether what stands at a path is no regular file, which the service would have made.
func planted(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
}

// warnOfPlanted logs which files of the export are none of the service's.
func warnOfPlanted(export string, log zerolog.Logger) {
	for _, path := range []string{export, projection.CheckpointPath(export)} {
		if planted(path) {
			log.Warn().Str("file", path).
				Msg("this is no file that the service wrote: it remembers nothing of the log, and the next export " +
					"takes its place")
		}
	}
}

// sameFile reports whether writing file would replace own. A link in the place of file is replaced itself.
func sameFile(own, file string) bool {
	one, err := os.Stat(own)
	two, err2 := os.Lstat(file)
	return err == nil && err2 == nil && os.SameFile(one, two) ||
		tree.Real(own) == filepath.Join(tree.Real(filepath.Dir(file)), filepath.Base(file))
}
