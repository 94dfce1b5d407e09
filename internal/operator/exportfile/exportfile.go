// Package exportfile holds the export of a project, and the checkpoint beside it, against the installation that writes
// them: whether a path may be the export, what the files remember of the log, and whether they agree with the tables.
// What stands in their place and is no regular file is none of the program's, and remembers nothing.
package exportfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/tree"
)

// CheckPath keeps the export from replacing a file that is none: a requirement document, the database, its tokens or
// address, or whatever else stands at its path. "" is no export.
func CheckPath(ctx context.Context, data datadir.Dir, export string, documents []string) error {
	if export == "" {
		return nil
	}
	wrong := func(why string) error {
		return fault.New(fault.Invalid, "export_path", "%s cannot be the export: %s", export, why).
			WithFix("give --export a path of its own, or none; nothing was changed")
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
	f, err := Open(ctx, export)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	if !projection.StartsAsExport(f) {
		return wrong("there is a file that is no export")
	}
	return nil
}

// Open opens an export as projection.OpenExport does, for whoever will write the export: what stands in its
// place and is no file of ours, such as a link that leads elsewhere, is not read; the next export replaces it and
// reports it.
func Open(ctx context.Context, path string) (*tree.File, error) {
	if Planted(path) {
		return nil, nil
	}
	return projection.OpenExport(ctx, path)
}

// Planted reports whether what stands at a path is no regular file, which the service would have made.
func Planted(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
}

// Hold holds the tables against the export, as far as an export of the same moment allows it. Where they do not agree
// the log decides: tables that are not what it amounts to are an error. torn reports that it is the export, such as one
// that a power cut tore; it is to be written anew.
func Hold(ctx context.Context, service *requirements.Service, l *ledger.Ledger, path string) (torn bool, err error) {
	f, err := Open(ctx, path)
	if f == nil || err != nil {
		return false, err
	}
	defer f.Close()
	differs := service.Matches(f)
	if !fault.Is(differs, projection.CodeStoreDiffers) {
		return false, differs
	}
	if _, err := replay.Verify(ctx, l, nil, nil); err != nil {
		return false, errors.Join(differs, err)
	}
	return true, nil
}

// sameFile reports whether writing file would replace own. A link in the place of file is replaced itself.
func sameFile(own, file string) bool {
	one, err := os.Stat(own)
	two, err2 := os.Lstat(file)
	return err == nil && err2 == nil && os.SameFile(one, two) ||
		tree.Real(own) == filepath.Join(tree.Real(filepath.Dir(file)), filepath.Base(file))
}
