package project

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/daemon/credentials"
	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
)

// dataFolder is what the data folder has, in the order in which it is opened.
type dataFolder struct {
	store       storage.Store
	duty        *duty.Keeper // nil where no other process has the store
	ledger      *ledger.Ledger
	lost        []choices.Moment // of the log, that an operator gave up
	watcher     *watcher
	credentials *credentials.Credentials
	postponed   *postponed
	log         zerolog.Logger
}

// openDataFolder opens what the data folder has, held against what lies beside it.
func (p *Plan) openDataFolder(ctx context.Context, docs documents.Set, around Process,
	opened *closers) (*dataFolder, error) {
	log := around.Log
	files := tokens.Open(p.dir())
	listed, _ := files.List() // one that cannot be read is refused where it is needed
	if err := p.refuseTracked(ctx, listed, log); err != nil {
		return nil, err
	}
	if err := p.checkPlaces(ctx, docs, log); err != nil {
		return nil, err
	}
	store, damaged, err := p.openStore(ctx, log)
	if err != nil {
		return nil, err
	}
	opened.add(func() error { return closeStore(store) })
	keeper, err := p.join(ctx, docs, store, around)
	if err != nil {
		return nil, err
	}
	var ledger *ledger.Ledger
	if keeper != nil {
		opened.add(func() error { return closeShared(keeper, ledger) })
	}
	ctx = keeper.Under(ctx)
	ledger, lost, err := p.openLedger(ctx, store, damaged, log)
	if err != nil {
		return nil, err
	}
	if err := p.keepOutOfGit(ctx, log); err != nil {
		return nil, err
	}
	// The files are looked at before they are read, so that no change in between is missed.
	watcher, err := newWatcher(ctx, docs, files, log)
	if err != nil {
		return nil, err
	}
	opened.add(watcher.close)
	all, err := p.openCredentials(ledger, log)
	if err != nil {
		return nil, err
	}
	return &dataFolder{store, keeper, ledger, lost, watcher, all, &postponed{log: log, full: store.Full}, log}, nil
}

// openCredentials opens the tokens: those of the token file, or those of the store.
func (p *Plan) openCredentials(l *ledger.Ledger, log zerolog.Logger) (*credentials.Credentials, error) {
	o := credentials.Options{Data: p.dir(), Limit: p.Limit(), Demo: p.DemoTokens, Used: l.Head().Size > 1,
		Store: p.Store.String(), Log: log}
	if p.Store.IsShared() {
		o.Shared = tokens.InLedger(l)
	}
	return credentials.Open(o)
}

// closeShared gives up the duty while the store is there to be told so, and ends what follows it.
func closeShared(keeper *duty.Keeper, l *ledger.Ledger) error {
	keeper.Close()
	if l == nil {
		return nil
	}
	return l.Close()
}

// watchStore ends the ledger with the store, which finds out by itself when its file is lost or damaged. A file to
// which no path leads any more is copied first.
func (d *dataFolder) watchStore(ctx context.Context) {
	select {
	case <-d.store.Failed():
	case <-ctx.Done():
		if d.store.Err() == nil {
			return
		}
	}
	switch saved, err := storage.Rescue(d.store, time.Now()); {
	case err != nil:
		d.log.Error().Err(err).Msg("the database that was open has no path any more, and could not be copied")
	case saved != "":
		d.log.Error().Str("saved", saved).
			Msg("the database was taken from its path: this copy has all that was confirmed; move it there before " +
				"the next start")
	}
	d.ledger.Stop(d.store.Err())
}
