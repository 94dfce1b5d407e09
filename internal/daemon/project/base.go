package project

import (
	"context"

	"orchestrator/internal/operator/tokens"

	"github.com/rs/zerolog"
)

// base is what the data folder has.
type base struct {
	*storage

	watcher     *watcher
	credentials *credentials
	postponed   *postponed
	log         zerolog.Logger
}

// openBase opens what the data folder has.
func (p *Plan) openBase(ctx context.Context, log zerolog.Logger, opened *closing) (*base, error) {
	files := tokens.Open(p.dir())
	if err := p.refuseTracked(ctx, files, log); err != nil {
		return nil, err
	}
	storage, err := p.openStorage(ctx, log, opened)
	if err != nil {
		return nil, err
	}
	if err := p.keepOutOfGit(ctx, log); err != nil {
		return nil, err
	}
	// The files are looked at before they are read, so that no change in between is missed.
	watcher, err := newWatcher(ctx, p.documents, files, log)
	if err != nil {
		return nil, err
	}
	opened.add(watcher.close)
	credentials, err := p.openCredentials(files, storage.ledger.Head().Size > 1, log)
	if err != nil {
		return nil, err
	}
	return &base{storage, watcher, credentials, &postponed{log: log, full: storage.store.Full}, log}, nil
}
