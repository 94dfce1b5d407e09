package project

import (
	"context"

	"github.com/rs/zerolog"

	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/system/tree"
)

// witnessed returns what a witness on this machine remembers of the log.
func witnessed(path, key string) ([]choices.Moment, error) {
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
	m, err := exportfile.SignedMoment(path, []byte(note), key)
	return []choices.Moment{m}, err
}

// findRollback refuses a log that has not gone through what the files beside it remember, unless an operator accepts
// that: then it returns what was lost, to be recorded. damaged is the path of a database whose head page was damaged,
// which an operator accepted: what it lacks is unknown. beside reports that another replica is on duty.
func (p *Plan) findRollback(ctx context.Context, l *ledger.Ledger, damaged string, beside bool,
	log zerolog.Logger) ([]choices.Moment, error) {
	known, err := p.remembered(ctx, l, beside, log)
	if err != nil {
		return nil, err
	}
	lost, torn, err := choices.Lost(ctx, l, known)
	if err != nil {
		return nil, err
	}
	if head := l.Head(); damaged != "" {
		lost = append(lost, choices.Moment{Where: damaged + " with a damaged head page", Size: head.Size,
			Root: head.Root})
	}
	if len(lost) > 0 && p.AcceptRollback == "" {
		return nil, choices.RolledBack(lost[0], l.Head())
	}
	for _, m := range torn {
		warnOfTorn(log, m.Where)
	}
	if len(lost) == 0 {
		if p.AcceptRollback != "" {
			log.Warn().Msg("there is no rollback to accept; leave --accept-rollback out")
		}
		return nil, nil
	}
	log.Warn().Str("file", lost[0].Where).Uint64("records", lost[0].Size).Str("reason", p.AcceptRollback).
		Msg("the log was rolled back and continues from here; the loss is recorded")
	return lost, nil
}

// remembered returns all that the files beside the database remember of its log.
func (p *Plan) remembered(ctx context.Context, l *ledger.Ledger, beside bool,
	log zerolog.Logger) ([]choices.Moment, error) {
	key, err := choices.KeyOnRecord(ctx, l)
	if err != nil {
		return nil, err
	}
	known, unread, err := exportfile.Moments(ctx, p.Export, key)
	if err != nil {
		return nil, err
	}
	seen, err := witnessed(p.Witness, key)
	if err != nil {
		return nil, err
	}
	known = append(known, seen...)
	if m, is, err := p.Store.Remembered(ctx); err != nil {
		return nil, err
	} else if is {
		known = append(known, choices.Moment{Where: m.Where, Size: m.Size, Root: m.Root})
	}
	if unread != "" {
		warnOfTorn(log, unread)
	}
	imported, err := choices.Imported(ctx, l)
	switch {
	case len(known) > 0 || err != nil:
	case !imported && key != "" && beside: // which imports
	case !imported && key != "":
		log.Info().Msg("an earlier start made this database, and imported nothing; this one goes on with it")
	case p.Export == "":
		log.Warn().Msg("no export is written: a rollback of the database is noticed only by a witness that " +
			"--witness names (orchestrator audit witness)")
	case key != "" && !tree.Exists(p.dir().Address()): // as after init
		log.Info().Msg("no service has served this database here yet, so nothing beside it remembers its log")
	case key != "":
		log.Warn().Msg("neither export nor checkpoint nor witness remembers this log: a rollback cannot be noticed " +
			"at this start")
	}
	return known, err
}

// warnOfTorn reports an export that cannot be read, or is of no moment of the log, such as after a power cut.
func warnOfTorn(log zerolog.Logger, export string) {
	log.Warn().Str("file", export).Msg("it is not whole; it is written anew from the database")
}
