package credentials

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"orchestrator/internal/ledger"
	kept "orchestrator/internal/requirements/credentials"
	"orchestrator/internal/token"
)

// begin makes the first tokens of a shared store that has none, or takes them over from the token file, and brings into
// force those that it has.
func (c *Credentials) begin(ctx context.Context) error {
	o := c.options
	created, taken, err := o.Shared.Begin(ctx, c.files, o.firstRoles(), time.Now())
	first := created != nil
	if err == nil && !first && o.Demo {
		created, err = o.Shared.Supply(ctx, c.files, o.firstRoles(), time.Now())
	}
	if err != nil {
		return err
	}
	c.logMade(created, first)
	if taken {
		c.log.Info().Str("file", c.files.Path()).
			Msg("the store has the tokens of this file from here on, and the file is not read any more: move it away")
	}
	if err := c.Tokens.TakeShared(ctx); err != nil {
		return err
	}
	c.warnOfAlikeNames()
	c.warnOfStray(ctx)
	return nil
}

// Follow brings into force the tokens that a batch of commits has changed. Those that cannot be read leave the others
// in force.
func (c *Credentials) Follow(batch []ledger.Commit) {
	raw := kept.In(batch)
	if raw == nil {
		return
	}
	if err := c.Tokens.Take(raw); err != nil {
		c.log.Error().Err(err).Msg("the tokens stay as they were")
	}
}

// warnOfStray warns of a token file that has other tokens than the store: nobody reads it.
func (c *Credentials) warnOfStray(ctx context.Context) {
	stray := c.isStray(ctx)
	c.stray.Store(stray)
	if stray {
		c.log.Warn().Str("file", c.files.Path()).Str("store", c.options.Store).
			Msg("this file has other tokens than the store, and is not read: orchestrator token changes those of the " +
				"store; move the file away")
	}
}

// isStray reports whether there is a token file with other tokens than the lasting ones of the store.
func (c *Credentials) isStray(ctx context.Context) bool {
	listed, err := c.files.List()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	all, err2 := c.options.Shared.List(ctx)
	if err != nil || err2 != nil {
		return true
	}
	all = slices.DeleteFunc(all, func(t token.Token) bool { return t.Bound != (token.Bound{}) })
	return len(all) != len(listed) || slices.ContainsFunc(all, func(t token.Token) bool {
		return !slices.ContainsFunc(listed, t.Same)
	})
}
