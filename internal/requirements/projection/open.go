package projection

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

// CodeExportUnreadable is the code of an export that cannot be read.
const CodeExportUnreadable fault.Code = "export_unreadable"

// The most bytes that are read.
const (
	maxExport     = 4 << 30 // it is compared as it is read, and never in memory
	maxCheckpoint = 1 << 20 // with the signatures of many witnesses it is still small
)

// exportStart is how every export begins.
const exportStart = `{"schema_version":`

// DefaultExport is the path of the export of a project that names no other.
const DefaultExport = "project_status.json"

// OpenExport opens an existing export. It returns nil where there is none, or where path is "".
func OpenExport(ctx context.Context, path string) (*tree.File, error) {
	if path == "" {
		return nil, nil
	}
	f, err := tree.OpenFile(ctx, path, maxExport)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, CodeExportUnreadable, "the export %s cannot be read", path).
			WithFix("make it a regular file that this user can read, or move it away").Because(err)
	}
	return f, nil
}

// StartsAsExport reports whether what is read begins as an export does, or as a power cut leaves one: cut short before
// that can be told, or zeros where its content was to be.
func StartsAsExport(r io.Reader) bool {
	start := make([]byte, len(exportStart))
	n, _ := io.ReadFull(r, start)
	return bytes.HasPrefix([]byte(exportStart), start[:n]) || len(bytes.Trim(start[:n], "\x00")) == 0
}

// ReadCheckpoint reads a file with a checkpoint, or with a public key. One that is not there is fs.ErrNotExist.
func ReadCheckpoint(ctx context.Context, path string) ([]byte, error) {
	if path == "" {
		return nil, fs.ErrNotExist
	}
	return tree.ReadFile(ctx, path, maxCheckpoint)
}
