package project

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/rs/zerolog"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
)

// openStore opens the store, and makes the data folder and a database in it where there are none. One with a damaged
// head page may lack its last commit: it is opened only where an operator accepts that, and damaged is its path then.
func (p *Plan) openStore(ctx context.Context, log zerolog.Logger) (opened storage.Store, damaged string, err error) {
	if err := makeDataDir(p.Data, log); err != nil {
		return nil, "", err
	}
	opened, err = p.Store.Open(ctx, storage.Options{WAL: true})
	if p.AcceptRollback == "" || !fault.Is(err, store.CodeHeadDamaged) && !fault.Is(err, store.CodeWALMissing) {
		return opened, "", err
	}
	opened, err = p.Store.Open(ctx, storage.Options{WAL: true, AcceptDamagedHead: true})
	return opened, p.Store.String(), err
}

// closeStore closes a store. One that failed may hold locks for ever; the end of the process frees its file.
func closeStore(s storage.Store) error {
	if s.Err() == nil {
		return s.Close()
	}
	return nil
}

// openLedger opens the log and the tables of a database, and returns what they have lost that an operator gave up.
func (p *Plan) openLedger(ctx context.Context, s storage.Store, damaged string, beside bool,
	log zerolog.Logger) (*ledger.Ledger, []choices.Moment, error) {
	l, err := ledger.Open(ctx, s, now)
	if err != nil {
		return nil, nil, database.NameUpgrade(err, p.dir())
	}
	l.LimitSpending(p.LogBudget)
	l.Understand(int(lifecycle.LatestRules), replay.Kinds())
	lost, err := p.findRollback(ctx, l, damaged, beside, log)
	return l, lost, err
}

// warnOfPlanted logs which files of the export are none of the service's.
func warnOfPlanted(export string, log zerolog.Logger) {
	for _, path := range []string{export, projection.CheckpointPath(export)} {
		if exportfile.Planted(path) {
			log.Warn().Str("file", path).
				Msg("this is no file that the service wrote: it remembers nothing of the log, and the next export " +
					"takes its place")
		}
	}
}

func makeDataDir(data string, log zerolog.Logger) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fault.New(fault.Unavailable, "data_folder", "the folder %s cannot be made", data).
			WithFix("create it and make it writable for this user, or name another folder with --data").Because(err)
	}
	if info, err := os.Stat(data); err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn().Str("data", data).Stringer("mode", info.Mode().Perm()).
			Msg("others can look into the data folder; chmod 700 keeps them out")
	}
	return nil
}

// checkPlaces refuses what would be a silent fresh start.
func (p *Plan) checkPlaces(ctx context.Context, docs documents.Set, log zerolog.Logger) error {
	if err := exportfile.CheckPath(ctx, p.dir(), p.Export, p.Requirements); err != nil {
		return err
	}
	warnOfPlanted(p.Export, log)
	all, err := docs.Find(ctx)
	if err != nil {
		return err
	}
	if err := refuseLinksOut(all); err != nil {
		return err
	}
	if p.Store.IsShared() {
		return p.Store.CheckOne(ctx) // what it has is known when it is open
	}
	if _, err := os.Stat(p.dir().Database()); !errors.Is(err, fs.ErrNotExist) {
		return nil // there is one, or opening it will say what is wrong
	}
	return p.checkFreshStart(ctx, all)
}

// checkEmpty refuses to begin a log in a shared store where something remembers one.
func (p *Plan) checkEmpty(ctx context.Context, docs documents.Set) error {
	all, err := docs.Find(ctx)
	if err != nil {
		return err
	}
	return p.checkFreshStart(ctx, all)
}

// checkFreshStart refuses to begin anew where something remembers a log, or a document is missing.
func (p *Plan) checkFreshStart(ctx context.Context, all []documents.Document) error {
	if err := p.Store.CheckForgotten(ctx); err != nil {
		return err
	}
	database := p.Store.String()
	for _, path := range []string{p.Export, projection.CheckpointPath(p.Export)} {
		if tree.Exists(path) {
			missing := fault.New(fault.NotFound, "database_missing", "%s exists, but the database %s %s", path,
				database, p.Store.Absent())
			if exportfile.Clone(p.dir(), p.Export) {
				return missing.WithFix("this is a clone: orchestrator config set url URL names the service that has the "+
					"log; after a loss, orchestrator restore FILE reads a backup; to start over from nothing, move %s "+
					"away", path)
			}
			return missing.WithFix("put it back with orchestrator restore FILE, which reads a backup, or give the "+
				"--data that belongs to the export; to start over from nothing, move %s away", path)
		}
	}
	if err := checkWitness(database, p.Witness); err != nil {
		return err
	}
	for _, one := range all {
		if err := one.Check(); err != nil {
			return fault.New(fault.NotFound, "requirements_missing", "the requirement document %s cannot be read",
				one.Path).
				WithFix("orchestrator init finds the documents of a project, and writes where they are; nothing was created").
				Because(err)
		}
	}
	return nil
}

// refuseLinksOut refuses to start with a document that leads out of the folder that it is confined to: while the
// service runs such a link is somebody's doing; at the start it may be the operator's, who can name what it leads to.
func refuseLinksOut(all []documents.Document) error {
	for _, one := range all {
		err := one.Check()
		if _, out := errors.AsType[*tree.LinkError](err); out {
			return documents.Unreadable(one.Path, err)
		}
	}
	return nil
}

// checkWitness refuses a fresh start where a witness has seen a log already.
func checkWitness(database, path string) error {
	if path == "" || !tree.Exists(path) {
		return nil
	}
	seen, err := witness.Read(path)
	if err != nil || len(seen.Logs) == 0 {
		return err
	}
	return fault.New(fault.NotFound, "database_missing", "%s has seen the log %s, but there is no database %s", path,
		seen.Logs[0].Origin, database).
		WithFix("put it back with orchestrator restore FILE, which reads a backup; if the witness watches other " +
			"services alone, give another --witness")
}
