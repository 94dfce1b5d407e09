package project

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	kept "orchestrator/internal/requirements/credentials"
	"orchestrator/internal/token"
)

// openShared opens the tokens of a store that several processes share. None is in force before bringIntoForce.
func (p *Plan) openShared(files *token.File, shared *token.Shared, used bool, log zerolog.Logger) (*credentials, error) {
	c := &credentials{files: files, shared: shared, used: used, log: log}
	var err error
	c.tokens, err = token.NewSharedAuthenticator(shared, p.Limit())
	return c, err
}

// bringIntoForce brings the tokens into force.
func (p *Plan) bringIntoForce(ctx context.Context, d *dataFolder, service *requirements.Service) error {
	if d.credentials.shared == nil {
		return d.credentials.account(ctx, service, d.postponed)
	}
	return startNeedsRoom(p.beginShared(ctx, d.credentials, d.ledger))
}

// beginShared makes the first tokens of a store that has none, or takes them over from the token file, and brings into
// force those that it has.
func (p *Plan) beginShared(ctx context.Context, c *credentials, l *ledger.Ledger) error {
	created, taken, err := c.shared.Begin(ctx, c.files, p.firstRoles(), time.Now())
	first := created != nil
	if err == nil && !first && p.DemoTokens {
		created, err = c.shared.Supply(ctx, c.files, p.firstRoles(), time.Now())
	}
	if err != nil {
		return err
	}
	c.logMade(p, created, first, c.used)
	if taken {
		c.log.Info().Str("file", c.files.Path()).
			Msg("the store has the tokens of this file from here on, and the file is not read any more: move it away")
	}
	raw, err := kept.Kept(ctx, l)
	if err == nil {
		err = c.tokens.Take(raw)
	}
	if err != nil {
		return err
	}
	return p.checkShared(ctx, c)
}

// checkShared refuses tokens in force that git tracks, and warns of what is doubtful.
func (p *Plan) checkShared(ctx context.Context, c *credentials) error {
	all, err := c.shared.List(ctx)
	if err != nil {
		return err
	}
	c.warnOfAlikeNames(all, p.Store.String())
	if !c.warnOfStray(ctx) && c.made == nil {
		c.log.Info().Str("store", p.Store.String()).Int("tokens", len(all)).
			Msg("the tokens are those of the store; orchestrator token add makes more")
	}
	return p.refuseTracked(ctx, all, c.log)
}

// follow brings into force the tokens that a batch of commits has changed. Those that cannot be read leave the others
// in force.
func (c *credentials) follow(batch []ledger.Commit) {
	raw := kept.In(batch)
	if raw == nil {
		return
	}
	if err := c.tokens.Take(raw); err != nil {
		c.log.Error().Err(err).Msg("the tokens stay as they were")
	}
}

// list returns all tokens.
func (c *credentials) list(ctx context.Context) ([]token.Token, error) {
	if c.shared == nil {
		return c.files.List()
	}
	return c.shared.List(ctx)
}

// warnOfStray warns of a token file that has other tokens than the store: nobody reads it.
func (c *credentials) warnOfStray(ctx context.Context) (stray bool) {
	stray = c.isStray(ctx)
	c.stray.Store(stray)
	if stray {
		c.log.Warn().Str("file", c.files.Path()).
			Msg("this file has other tokens than the store, and is not read: orchestrator token changes those of the " +
				"store; move the file away")
	}
	return stray
}

// isStray reports whether there is a token file with other tokens than the lasting ones of the store.
func (c *credentials) isStray(ctx context.Context) bool {
	listed, err := c.files.List()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	all, err2 := c.shared.List(ctx)
	if err != nil || err2 != nil {
		return true
	}
	all = slices.DeleteFunc(all, func(t token.Token) bool { return t.Bound != (token.Bound{}) })
	return len(all) != len(listed) || slices.ContainsFunc(all, func(t token.Token) bool {
		return !slices.ContainsFunc(listed, t.Same)
	})
}
