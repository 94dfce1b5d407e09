package project

import (
	"context"
	"errors"
	"io/fs"

	"github.com/rs/zerolog"

	"orchestrator/internal/auditor"
	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/tree"
)

// moments returns what the export and the checkpoint beside it remember of the log. key is the one that the log names:
// a checkpoint that it has not signed is refused, and so is one that cannot be read, since nothing but this program
// writes it. An export that cannot be read says nothing; unread is its path then.
func moments(ctx context.Context, export, key string) (known []requirements.Moment, unread string, err error) {
	path := projection.CheckpointPath(export)
	note, err := projection.ReadCheckpoint(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist), planted(path): // the next export replaces it
	case err != nil:
		return nil, "", fault.New(fault.Invalid, auditor.CodeCheckpointUnreadable, "the checkpoint %s cannot be read", path).
			WithFix("make it a regular file that this user can read, or move it away").Because(err)
	default:
		m, err := signedMoment(path, note, key)
		if err != nil {
			return nil, "", err
		}
		known = append(known, m)
	}
	f, err := openOwnExport(ctx, export)
	if f == nil || err != nil {
		return known, "", err
	}
	defer f.Close()
	log, failed := projection.ReadLog(f)
	if failed != nil {
		return known, export, nil
	}
	return append([]requirements.Moment{{Where: export, Size: log.Size, Root: log.Root}}, known...), "", nil
}

// Remembered returns what the export and the checkpoint beside it remember of a log, whoever has signed it. A
// checkpoint that cannot be understood remembers nothing.
func Remembered(ctx context.Context, export string) ([]requirements.Moment, error) {
	known, _, err := moments(ctx, export, "")
	if fault.Is(err, codeForeign) {
		return known, nil
	}
	return known, err
}

// codeForeign is the code of the error that a checkpoint is none of the log's.
const codeForeign fault.Code = "checkpoint_foreign"

// signedMoment returns the moment of a checkpoint that was signed with the key of the log; "" believes it unsigned.
func signedMoment(path string, note []byte, key string) (requirements.Moment, error) {
	c, err := audit.ReadCheckpoint(note)
	if err == nil && key != "" {
		c, err = audit.OpenCheckpoint(note, key)
	}
	if err != nil {
		return requirements.Moment{}, fault.New(fault.Conflict, codeForeign,
			"%s is no checkpoint that this database's log has signed", path).
			WithFix("give --data and --export that belong together; if the file was damaged, keep it as evidence " +
				"and move it away").Because(err)
	}
	return requirements.Moment{Where: path, Size: c.Size, Root: c.Root, Signed: note}, nil
}

// witnessed returns what a witness on this machine remembers of the log.
func witnessed(path, key string) ([]requirements.Moment, error) {
	if path == "" || !tree.Exists(path) {
		return nil, nil
	}
	seen, err := witness.Read(path)
	if err != nil {
		return nil, err
	}
	for _, l := range seen.Logs {
		if l.Origin == audit.OriginOf(key) && l.Key != key {
			return nil, fault.New(fault.Conflict, "witness_knows_another_key",
				"%s has seen the log %s with another key than this database names", path, l.Origin).
				WithFix("put back the database that belongs to it, or find out how its key was changed; to go on " +
					"without the witness, give another --witness")
		}
	}
	note, found := seen.Newest(key)
	if !found {
		return nil, nil
	}
	m, err := signedMoment(path, []byte(note), key)
	return []requirements.Moment{m}, err
}

// checkMoments refuses a log that has not gone through what the files beside it remember.
func checkMoments(ctx context.Context, l *ledger.Ledger, export string) error {
	key, err := requirements.KeyOnRecord(ctx, l)
	if err != nil {
		return err
	}
	known, _, err := moments(ctx, export, key)
	if err != nil {
		return err
	}
	lost, err := requirements.Lost(ctx, l, known)
	if err == nil && len(lost) > 0 {
		err = requirements.RolledBack(lost[0], l.Head())
	}
	return err
}

// findRollback does the same for the service, which an operator can make go on: then what was lost is returned, to be
// put on record. damaged is the path of a database whose head page was damaged, which an operator accepted: what it
// lacks nobody knows.
func (p *Plan) findRollback(ctx context.Context, l *ledger.Ledger, damaged string,
	log zerolog.Logger) ([]requirements.Moment, error) {
	known, err := p.remembered(ctx, l, log)
	if err != nil {
		return nil, err
	}
	lost, err := requirements.Lost(ctx, l, known)
	if head := l.Head(); damaged != "" {
		lost = append(lost, requirements.Moment{Where: damaged + " with a damaged head page", Size: head.Size,
			Root: head.Root})
	}
	switch {
	case err != nil:
		return nil, err
	case len(lost) == 0 && p.AcceptRollback != "":
		log.Warn().Msg("there is no rollback to accept; leave --accept-rollback out")
		return nil, nil
	case len(lost) == 0:
		return nil, nil
	case p.AcceptRollback == "":
		return nil, requirements.RolledBack(lost[0], l.Head())
	}
	log.Warn().Str("file", lost[0].Where).Uint64("records", lost[0].Size).Str("reason", p.AcceptRollback).
		Msg("the log was rolled back, and goes on from here; the loss is put on record")
	return lost, nil
}

// remembered returns all that the files beside the database remember of its log.
func (p *Plan) remembered(ctx context.Context, l *ledger.Ledger, log zerolog.Logger) ([]requirements.Moment, error) {
	key, err := requirements.KeyOnRecord(ctx, l)
	if err != nil {
		return nil, err
	}
	known, unread, err := moments(ctx, p.Export, key)
	if err != nil {
		return nil, err
	}
	seen, err := witnessed(p.Witness, key)
	if err != nil {
		return nil, err
	}
	known = append(known, seen...)
	if unread != "" {
		if len(known) == 0 {
			return nil, exportDamaged(unread)
		}
		log.Warn().Str("file", unread).Msg("it is not whole; it is written anew from the database")
	}
	if len(known) == 0 && key != "" {
		log.Warn().Msg("neither export nor checkpoint nor witness remembers this log: a rollback cannot be noticed " +
			"at this start")
	}
	return known, nil
}

func exportDamaged(path string) error {
	return fault.New(fault.Conflict, "export_damaged",
		"%s is no whole export, and nothing else beside the database remembers its log", path).
		WithFix("see that the database is the newest one; then keep the file as evidence and move it away")
}
