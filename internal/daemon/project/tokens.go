package project

import (
	"context"

	"orchestrator/internal/requirements"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// account brings the tokens into force.
func (p *Plan) account(ctx context.Context, d *dataFolder, service *requirements.Service) error {
	err := d.credentials.Account(ctx, service, func(err error) (full bool) {
		if full = isFull(err); full {
			d.postponed.add("tokens", err, d.credentials.Reload)
		}
		return full
	})
	if err != nil || !p.Store.IsShared() {
		return startNeedsRoom(err)
	}
	all, err := d.credentials.List(ctx)
	if err != nil {
		return err
	}
	return p.refuseTracked(ctx, all, d.log)
}

// watchTokens takes over changed tokens until ctx ends. They are watched on their own, so that no half-written document
// holds them up.
func (d *dataFolder) watchTokens(ctx context.Context) {
	d.watcher.watch(ctx, []*tree.Path{d.watcher.tokenFile}, token.MaxFile, "restart for new tokens", func(string) {
		if err := d.postponed.tryNow(ctx, "tokens", d.credentials.Reload); err != nil {
			d.log.Error().Err(err).Msg("the tokens stay as they were")
		}
	})
}
