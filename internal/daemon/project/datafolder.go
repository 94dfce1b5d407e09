package project

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/daemon/credentials"
	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/daemon/joining"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
)

// dataFolder is what the data folder has, in the order in which it is opened.
type dataFolder struct {
	store       storage.Store
	replica     joining.Replica
	duty        *duty.Keeper // nil where no other process has the store
	ledger      *ledger.Ledger
	lost        []choices.Moment // of the log, that an operator gave up
	watcher     *watcher
	credentials *credentials.Credentials
	postponed   *postponed
	log         zerolog.Logger
}

// openDataFolder opens what the data folder has, held against what lies beside it.
func (p *Plan) openDataFolder(ctx context.Context, docs documents.Set, beside joining.Replica,
	opened *closers) (*dataFolder, error) {
	log := beside.Log
	files := tokens.Open(p.dir())
	listed, _ := files.List() // one that cannot be read is refused where it is needed
	if err := p.refuseTracked(ctx, listed, log); err != nil {
		return nil, err
	}
	if err := p.checkPlaces(ctx, docs, log); err != nil {
		return nil, err
	}
	d, err := p.openLog(ctx, docs, beside, opened)
	if err != nil {
		return nil, err
	}
	if err := p.keepOutOfGit(ctx, log); err != nil {
		return nil, err
	}
	// The files are looked at before they are read, so that no change in between is missed.
	if d.watcher, err = newWatcher(ctx, docs, files, log); err != nil {
		return nil, err
	}
	opened.add(d.watcher.close)
	d.credentials, err = p.openCredentials(d.ledger, log)
	return d, err
}

// openLog opens the store and its log, beside other replicas where the store is shared.
func (p *Plan) openLog(ctx context.Context, docs documents.Set, replica joining.Replica,
	opened *closers) (*dataFolder, error) {
	log := replica.Log
	store, damaged, err := p.openStore(ctx, log)
	if err != nil {
		return nil, err
	}
	opened.add(func() error { return closeStore(store) })
	d := &dataFolder{store: store, postponed: &postponed{log: log, full: store.Full}, log: log, replica: replica}
	d.duty, err = d.replica.TakeDuty(ctx, store, func(ctx context.Context) error { return p.checkEmpty(ctx, docs) })
	if err != nil {
		return nil, err
	}
	if d.duty != nil {
		opened.add(d.leave)
	}
	d.ledger, d.lost, err = p.openLedger(d.duty.Under(ctx), store, damaged, !d.duty.OnDuty(), log)
	if err != nil {
		return nil, err
	}
	asked := joining.Asked{Evidence: p.Evidence, Branch: p.Branch, AcceptNewKey: p.AcceptNewKey}
	onRecord, beside, err := d.replica.Agree(ctx, d.duty, d.ledger, docs, asked)
	if beside {
		p.Evidence, p.joined = onRecord.Evidence, true
	}
	return d, err
}

// leave gives up the duty while the store is there to be told so, and ends what follows it.
func (d *dataFolder) leave() error {
	d.duty.Close()
	if d.ledger == nil {
		return nil
	}
	return d.ledger.Close()
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
