package exportfile

import (
	"context"
	"errors"
	"io/fs"

	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/projection"
)

// Moments returns what the export and the checkpoint beside it remember of the log. key is the one that the log names:
// a checkpoint that it has not signed is refused, and so is one that cannot be read, since nothing but this program
// writes it. An export that cannot be read says nothing; unread is its path then.
func Moments(ctx context.Context, export, key string) (known []choices.Moment, unread string, err error) {
	path := projection.CheckpointPath(export)
	note, err := projection.ReadCheckpoint(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist), Planted(path): // the next export replaces it
	case err != nil:
		return nil, "", fault.New(fault.Invalid, auditor.CodeCheckpointUnreadable, "the checkpoint %s cannot be read", path).
			WithFix("make it a regular file that this user can read, or move it away").Because(err)
	default:
		m, err := SignedMoment(path, note, key)
		if err != nil {
			return nil, "", err
		}
		known = append(known, m)
	}
	f, err := Open(ctx, export)
	if f == nil || err != nil {
		return known, "", err
	}
	defer f.Close()
	log, failed := projection.ReadLog(f)
	if failed != nil {
		return known, export, nil
	}
	m := choices.Moment{Where: export, Size: log.Size, Root: log.Root, Unsynced: true}
	return append([]choices.Moment{m}, known...), "", nil
}

// Remembered returns what the export and the checkpoint beside it remember of a log, whoever has signed it. A
// checkpoint that cannot be understood remembers nothing.
func Remembered(ctx context.Context, export string) ([]choices.Moment, error) {
	known, _, err := Moments(ctx, export, "")
	if fault.Is(err, CodeForeign) {
		return known, nil
	}
	return known, err
}

// CodeForeign is the code of the error that a checkpoint is none of the log's.
const CodeForeign fault.Code = "checkpoint_foreign"

// SignedMoment returns the moment of a checkpoint that was signed with the key of the log; "" believes it unsigned.
func SignedMoment(path string, note []byte, key string) (choices.Moment, error) {
	c, err := audit.ReadCheckpoint(note)
	if err == nil && key != "" {
		c, err = audit.OpenCheckpoint(note, key)
	}
	if err != nil {
		return choices.Moment{}, fault.New(fault.Conflict, CodeForeign,
			"%s is no checkpoint that this database's log has signed", path).
			WithFix("give --data and --export that belong together; if the file was damaged, keep it as evidence " +
				"and move it away").Because(err)
	}
	return choices.Moment{Where: path, Size: c.Size, Root: c.Root, Signed: note}, nil
}
