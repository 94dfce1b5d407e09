package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"orchestrator/internal/durable"
	"orchestrator/internal/fault"
)

// maxDocument is one byte more than a requirement document may have: enough to see that it is too large.
const maxDocument = 16<<20 + 1

// openRegular opens a regular file and nothing else: a pipe or a device could keep the service waiting.
func openRegular(path string) (*os.File, error) { return durable.OpenRegular(path) }

// readDocument reads no more of a requirement document than is needed to refuse it.
func readDocument(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxDocument))
}

// exportStart is how every export begins.
const exportStart = `{"schema_version":`

// checkExportPath keeps the export from replacing a file that is none: a requirement document, anything in
// the data folder, or whatever else stands at its path.
func checkExportPath(database string, o serveOptions) error {
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
	f, err := openExport(o.export)
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

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two) || resolved(a) == resolved(b)
}

// resolved is the absolute path behind symbolic links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
