package main

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"orchestrator/internal/audit"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/orchestrator"
	"orchestrator/internal/projection"
	"orchestrator/internal/witness"
)

// maxCheckpoint is the most bytes that a file with a checkpoint may have; with the signatures of many witnesses it is
// still small.
const maxCheckpoint = 1 << 20

// moments are what the export and the checkpoint beside it remember of the log. unreadable are those that are neither;
// they say nothing.
func moments(export string) (known []orchestrator.Moment, unreadable []string, err error) {
	f, err := openExport(export)
	if err != nil {
		return nil, nil, err
	}
	if f != nil {
		defer f.Close()
		if log, failed := projection.ReadLog(f); failed == nil {
			known = append(known, orchestrator.Moment{Where: export, Size: log.Size, Root: log.Root})
		} else {
			unreadable = append(unreadable, export)
		}
	}
	path := projection.CheckpointPath(export)
	note, err := readCheckpointFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, unreadable, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if c, failed := audit.ReadCheckpoint(note); failed == nil {
		known = append(known, orchestrator.Moment{Where: path, Size: c.Size, Root: c.Root, Signed: note})
	} else {
		unreadable = append(unreadable, path)
	}
	return known, unreadable, nil
}

// witnessed is what a witness on this machine remembers of the log.
func (s *server) witnessed(ctx context.Context) ([]orchestrator.Moment, error) {
	path := s.options.witness
	if !exists(path) {
		return nil, nil
	}
	seen, err := witness.Read(path)
	if err != nil {
		return nil, err
	}
	key, err := orchestrator.KeyOnRecord(ctx, s.ledger)
	if err != nil {
		return nil, err
	}
	note, found := seen.Newest(key)
	if !found {
		return nil, nil
	}
	c, err := audit.ReadCheckpoint([]byte(note))
	return []orchestrator.Moment{{Where: path, Size: c.Size, Root: c.Root, Signed: []byte(note)}}, err
}

func readCheckpointFile(path string) ([]byte, error) {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var note []byte
	if err == nil {
		defer f.Close()
		note, err = io.ReadAll(io.LimitReader(f, maxCheckpoint))
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "checkpoint_unreadable", "the checkpoint %s cannot be read", path).
			WithFix("make it a regular file that this user can read, or move it away").Because(err)
	}
	return note, nil
}

// checkMoments refuses a log that has not gone through what the files beside it remember.
func checkMoments(ctx context.Context, l *ledger.Ledger, export string) error {
	known, _, err := moments(export)
	if err != nil {
		return err
	}
	lost, err := orchestrator.Lost(ctx, l, known)
	if err == nil && len(lost) > 0 {
		err = orchestrator.RolledBack(lost[0], l.Head())
	}
	return err
}

// findRollback is checkMoments for the service, which an operator can make go on: then the newest moment that was lost
// is kept, to be put on record.
func (s *server) findRollback(ctx context.Context) error {
	known, unreadable, err := moments(s.options.export)
	if err != nil {
		return err
	}
	witnessed, err := s.witnessed(ctx)
	if err != nil {
		return err
	}
	known = append(known, witnessed...)
	for _, path := range unreadable {
		s.log.Warn().Str("file", path).Msg("it is not whole; it is written anew from the database")
	}
	lost, err := orchestrator.Lost(ctx, s.ledger, known)
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		if s.options.acceptRollback != "" {
			s.log.Warn().Msg("there is no rollback to accept; leave --accept-rollback out")
		}
		return nil
	}
	if s.options.acceptRollback == "" {
		return orchestrator.RolledBack(lost[0], s.ledger.Head())
	}
	s.lost = &lost[0]
	s.log.Warn().Str("file", lost[0].Where).Uint64("records", lost[0].Size).Str("reason", s.options.acceptRollback).
		Msg("the log was rolled back, and goes on from here; the loss is put on record")
	return nil
}
