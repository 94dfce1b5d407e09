package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/tree"
)

// openLedger opens the database, and holds it against what lies beside it.
func (s *server) openLedger(ctx context.Context) error {
	database := filepath.Join(s.options.data, "state.db")
	if err := s.checkPlaces(ctx, database); err != nil {
		return err
	}
	err := os.MkdirAll(s.options.data, 0o700)
	if err != nil {
		return fault.New(fault.Unavailable, "data_folder", "the folder %s cannot be made", s.options.data).
			WithFix("make it, writable for this user, or give another --data").Because(err)
	}
	if info, err := os.Stat(s.options.data); err == nil && info.Mode().Perm()&0o077 != 0 {
		s.log.Warn().Str("data", s.options.data).Stringer("mode", info.Mode().Perm()).
			Msg("others can look into the data folder; chmod 700 keeps them out")
	}
	damaged, err := s.openStore(database)
	if err != nil {
		return err
	}
	if s.ledger, err = ledger.Open(ctx, s.store, time.Now); err != nil {
		return err
	}
	s.ledger.LimitSpending(uint64(s.options.logBudget))
	return s.findRollback(ctx, damaged)
}

// openStore opens the database. One with a damaged head page may lack its last commit: it is opened only where an
// operator gave a reason, and that it was damaged is returned as its path.
func (s *server) openStore(database string) (damaged string, err error) {
	s.store, err = boltstore.Open(database, boltstore.Options{})
	if s.options.acceptRollback == "" || !fault.Is(err, store.CodeHeadDamaged) {
		return "", err
	}
	s.store, err = boltstore.Open(database, boltstore.Options{AcceptDamagedHead: true})
	return database, err
}

// checkPlaces refuses what would be a silent fresh start.
func (s *server) checkPlaces(ctx context.Context, database string) error {
	o := s.options
	if err := checkExportPath(ctx, database, o); err != nil {
		return err
	}
	s.warnOfPlanted()
	all, err := s.paths.find(ctx)
	if err != nil {
		return err
	}
	if err := s.refuseLinksOut(all); err != nil {
		return err
	}
	if _, err := os.Stat(database); !errors.Is(err, fs.ErrNotExist) {
		return nil // there is one, or opening it will say what is wrong
	}
	for _, path := range []string{o.export, projection.CheckpointPath(o.export)} {
		if exists(path) {
			return fault.New(fault.Conflict, "database_missing", "%s exists, but the database %s does not", path,
				database).
				WithFix("put the database back from a backup, or give the --data that belongs to the export; to start over from nothing, move %s away", path)
		}
	}
	if err := checkWitness(database, o.witness); err != nil {
		return err
	}
	for _, one := range all {
		if _, err := one.in.Stat(one.path); err != nil {
			return fault.New(fault.NotFound, "requirements_missing", "the requirement document %s cannot be read",
				one.path).
				WithFix("start in the folder that has it, or name it with --requirements; nothing was created").
				Because(err)
		}
	}
	return nil
}

// refuseLinksOut refuses to start with a document that leads out of the folder that it is confined to: while the
// service runs such a link is somebody's doing; at the start it may be the operator's, who can name what it leads to.
func (s *server) refuseLinksOut(all []found) error {
	for _, one := range all {
		_, err := one.in.Stat(one.path)
		if _, out := errors.AsType[*tree.LinkError](err); out {
			return unreadableDocument(one.path, err)
		}
	}
	return nil
}

// checkWitness refuses a fresh start where a witness has seen a log already.
func checkWitness(database, path string) error {
	if path == "" || !exists(path) {
		return nil
	}
	seen, err := witness.Read(path)
	if err != nil || len(seen.Logs) == 0 {
		return err
	}
	return fault.New(fault.Conflict, "database_missing", "%s has seen the log %s, but there is no database %s", path,
		seen.Logs[0].Origin, database).
		WithFix("put the database back from a backup; if the witness watches other services alone, give another --witness")
}

// compareExport is the self-check of the tables, as far as an export of the same moment allows it.
func compareExport(ctx context.Context, service *requirements.Service, path string) error {
	f, err := openOwnExport(ctx, path)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	return service.Matches(f)
}
