package main

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
	"orchestrator/internal/system/watch"
)

// codeExportUnreadable is the code of an export that cannot be read.
const codeExportUnreadable fault.Code = "export_unreadable"

// The most bytes of a file that the service reads on its own.
const (
	maxDocument  = 16 << 20
	maxDocuments = watch.MostFull * maxDocument // of all requirement documents together
	maxExport    = 4 << 30                      // it is compared as it is read, and never in memory
	maxSecret    = 64 << 10
)

// exportStart is how every export begins.
const exportStart = `{"schema_version":`

// checkExportPath keeps the export from replacing a file that is none: a requirement document, anything in
// the data folder, or whatever else stands at its path.
func checkExportPath(ctx context.Context, database string, o serveOptions) error {
	wrong := func(why string) error {
		return fault.New(fault.Invalid, "export_path", "%s cannot be the export: %s", o.export, why).
			WithFix("give --export a path of its own; nothing was changed")
	}
	own := []string{database, filepath.Join(o.data, "tokens.json"), filepath.Join(o.data, "addr")}
	for _, path := range append(own, o.requirements...) {
		if sameFile(path, o.export) {
			return wrong("it is the database, or another file that the service reads")
		}
	}
	for _, path := range o.requirements {
		if ok, _ := filepath.Match(filepath.Clean(path), filepath.Clean(o.export)); ok {
			return wrong("the pattern " + path + " would read it as a requirement document")
		}
	}
	f, err := openOwnExport(ctx, o.export)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	if !startsAsExport(f) {
		return wrong("there is a file that is no export")
	}
	return nil
}

// startsAsExport also holds for an export that was cut short at once.
func startsAsExport(f io.Reader) bool {
	start := make([]byte, len(exportStart))
	n, _ := io.ReadFull(f, start)
	return bytes.HasPrefix([]byte(exportStart), start[:n])
}

// openExport opens an existing export; nil when there is none.
func openExport(ctx context.Context, path string) (*tree.File, error) {
	f, err := tree.OpenFile(ctx, path, maxExport)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, codeExportUnreadable, "the export %s cannot be read", path).
			WithFix("make it a regular file that this user can read, or move it away").Because(err)
	}
	return f, nil
}

// openOwnExport is openExport for whoever will write the export: what stands in its place and is no file of ours, such
// as a link that leads elsewhere, is not read; the next export replaces it and reports it.
func openOwnExport(ctx context.Context, path string) (*tree.File, error) {
	if planted(path) {
		return nil, nil
	}
	return openExport(ctx, path)
}

// planted says that what stands at a path is no regular file, which the service would have made.
func planted(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
}

// warnOfPlanted says which files of the export are none of the service's.
func (s *server) warnOfPlanted() {
	for _, path := range []string{s.options.export, projection.CheckpointPath(s.options.export)} {
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
		resolved(own) == filepath.Join(resolved(filepath.Dir(file)), filepath.Base(file))
}

// resolved is the absolute path behind symbolic links, as far as it exists.
func resolved(path string) string {
	if abs, err := filepath.Abs(resolveLinks(path)); err == nil {
		return abs
	}
	return path
}

// resolveLinks is a path without symbolic links, as far as it exists; one without any stays as it was written.
func resolveLinks(path string) string {
	if path == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return path
		}
		real = filepath.Join(folder, filepath.Base(path))
	}
	if real == filepath.Clean(path) {
		return path
	}
	return real
}

// resolveLinks resolves the links in what an operator named, once: what is put in their place later leads nowhere. The
// export itself is no link of the operator's: one in its place is replaced.
func (o *serveOptions) resolveLinks() {
	for _, path := range []*string{&o.data, &o.repo, &o.witness, &o.metricsTokenFile} {
		*path = resolveLinks(*path)
	}
	if folder := filepath.Dir(o.export); o.export != "" && resolveLinks(folder) != folder {
		o.export = filepath.Join(resolveLinks(folder), filepath.Base(o.export))
	}
}
