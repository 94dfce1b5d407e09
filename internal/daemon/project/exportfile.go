package project

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/tree"
)

// The most bytes of a file that the service reads on its own.
const (
	maxExport = 4 << 30 // it is compared as it is read, and never in memory
	maxSecret = 64 << 10
)

// exportStart is how every export begins.
const exportStart = `{"schema_version":`

// CheckExportPath keeps the export from replacing a file that is none: a requirement document, anything in
// the data folder, or whatever else stands at its path.
func CheckExportPath(ctx context.Context, database string, o Options) error {
	wrong := func(why string) error {
		return fault.New(fault.Invalid, "export_path", "%s cannot be the export: %s", o.Export, why).
			WithFix("give --export a path of its own; nothing was changed")
	}
	own := []string{database, filepath.Join(o.Data, "tokens.json"), filepath.Join(o.Data, "addr")}
	for _, path := range append(own, o.Requirements...) {
		if sameFile(path, o.Export) {
			return wrong("it is the database, or another file that the service reads")
		}
	}
	for _, path := range o.Requirements {
		if ok, _ := filepath.Match(filepath.Clean(path), filepath.Clean(o.Export)); ok {
			return wrong("the pattern " + path + " would read it as a requirement document")
		}
	}
	f, err := openOwnExport(ctx, o.Export)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	if !StartsAsExport(f) {
		return wrong("there is a file that is no export")
	}
	return nil
}

// StartsAsExport also holds for an export that was cut short at once.
func StartsAsExport(f io.Reader) bool {
	start := make([]byte, len(exportStart))
	n, _ := io.ReadFull(f, start)
	return bytes.HasPrefix([]byte(exportStart), start[:n])
}

// OpenExport opens an existing export; nil when there is none.
func OpenExport(ctx context.Context, path string) (*tree.File, error) {
	f, err := tree.OpenFile(ctx, path, maxExport)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "export_unreadable", "the export %s cannot be read", path).
			WithFix("make it a regular file that this user can read, or move it away").Because(err)
	}
	return f, nil
}

// openOwnExport is OpenExport for whoever will write the export: what stands in its place and is no file of ours, such
// as a link that leads elsewhere, is not read; the next export replaces it and reports it.
func openOwnExport(ctx context.Context, path string) (*tree.File, error) {
	if planted(path) {
		return nil, nil
	}
	return OpenExport(ctx, path)
}

// planted says that what stands at a path is no regular file, which the service would have made.
func planted(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
}

// warnOfPlanted says which files of the export are none of the service's.
func (s *server) warnOfPlanted() {
	for _, path := range []string{s.options.Export, projection.CheckpointPath(s.options.Export)} {
		if planted(path) {
			s.log.Warn().Str("file", path).
				Msg("this is no file that the service wrote: it remembers nothing of the log, and the next export takes its place")
		}
	}
}

// sameFile says whether writing file would replace own. A link in the place of file is replaced itself.
func sameFile(own, file string) bool {
	one, err := os.Stat(own)
	two, err2 := os.Lstat(file)
	return err == nil && err2 == nil && os.SameFile(one, two) ||
		tree.Real(own) == filepath.Join(tree.Real(filepath.Dir(file)), filepath.Base(file))
}

// resolveLinks resolves the links in what an operator named, once: what is put in their place later leads nowhere. The
// export itself is no link of the operator's: one in its place is replaced.
func (o *Options) resolveLinks() {
	for _, path := range []*string{&o.Data, &o.Repo, &o.Witness, &o.MetricsTokenFile} {
		*path = tree.Resolve(*path)
	}
	if folder := filepath.Dir(o.Export); o.Export != "" && tree.Resolve(folder) != folder {
		o.Export = filepath.Join(tree.Resolve(folder), filepath.Base(o.Export))
	}
}
