// Package credentials has the tokens of one project in force: those of the token file, or those of the store where
// several processes share it.
package credentials

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/requirements"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// Options say which tokens there are.
type Options struct {
	Data   datadir.Dir
	Limit  token.Limit
	Demo   bool          // make a token for each role
	Used   bool          // the database was in use before this start
	Shared *token.Shared // of a store that several processes share; nil where the token file is read
	Store  string        // that store, in words
	Log    zerolog.Logger
}

// Credentials are the tokens of a project, and where they are read from.
type Credentials struct {
	Tokens *token.Authenticator
	Made   []string // roles that got a token at this start

	options Options
	files   *token.File
	log     zerolog.Logger

	refused atomic.Bool // git tracks the file, and what it had was not taken over
	stray   atomic.Bool // there is a file that is not read, and it has other tokens
}

// Open makes the tokens of the first start, and those of a demonstration, and reads them all. Of a shared store it only
// names them: Begin does the rest.
func Open(o Options) (*Credentials, error) {
	c := &Credentials{options: o, files: tokens.Open(o.Data), log: o.Log}
	var err error
	if o.Shared != nil {
		c.Tokens, err = token.NewSharedAuthenticator(o.Shared, o.Limit)
		return c, err
	}
	created, err := c.files.Bootstrap(o.firstRoles(), time.Now())
	first := created != nil
	if err == nil && !first && o.Demo {
		created, err = c.files.Supply(o.firstRoles(), time.Now())
	}
	if err != nil {
		return nil, err
	}
	c.logMade(created, first)
	c.warnOfAlikeNames()
	c.Tokens, err = token.NewAuthenticator(c.files, o.Limit)
	return c, err
}

// firstRoles returns the roles that get a token at the first start, and in a demonstration at every one.
func (o Options) firstRoles() (roles []string) {
	if !o.Demo {
		return []string{string(lifecycle.PM), string(lifecycle.Viewer)}
	}
	for _, r := range lifecycle.Roles() {
		roles = append(roles, string(r))
	}
	return roles
}

// logMade logs which tokens this start has made. first says that there were none.
func (c *Credentials) logMade(created map[string]string, first bool) {
	c.Made = slices.Sorted(maps.Keys(created))
	folder := c.options.Data.TokenDir()
	switch {
	case first && c.options.Used:
		c.log.Warn().Str("file", c.files.Path()).Strs("roles", c.Made).
			Msg("the token file was missing beside a database in use: made new tokens; all old ones are void")
	case first:
		c.log.Info().Str("folder", folder).Strs("roles", c.Made).Msg("first start: made tokens")
	}
	if c.options.Demo {
		c.log.Warn().Str("folder", folder).Strs("made", c.Made).
			Msg("--demo-tokens: the tokens of all roles lie side by side in one folder; who reads it acts in every " +
				"role. " +
				"For a demonstration only")
	}
}

// List returns all tokens.
func (c *Credentials) List(ctx context.Context) ([]token.Token, error) {
	if c.options.Shared == nil {
		return c.files.List()
	}
	return c.options.Shared.List(ctx)
}

// warnOfAlikeNames logs which names of tokens count as one person.
func (c *Credentials) warnOfAlikeNames() {
	all, err := c.List(context.Background())
	if err != nil {
		return // whoever needs them says so
	}
	where := c.files.Path()
	if c.options.Shared != nil {
		where = c.options.Store
	}
	for _, names := range token.Alike(all) {
		c.log.Warn().Strs("names", names).Str("file", where).
			Msg("these names differ in case or width alone: they count as one person where separation of duties " +
				"wants two")
	}
}

// Account brings the tokens into force, each set once the log says so. Where those that changed cannot be put on
// record for a cause that postponed accepts, the others are.
func (c *Credentials) Account(ctx context.Context, service *requirements.Service, postponed func(error) bool) error {
	if c.options.Shared != nil {
		return c.begin(ctx)
	}
	err := c.Tokens.Account(func(all []token.Token) error {
		return service.AccountForTokens(context.Background(), tokens.Recorded(all))
	})
	if err == nil || !postponed(err) {
		return err
	}
	known, err := service.TokensOnRecord(ctx)
	if err != nil {
		return err
	}
	c.Tokens.Keep(func(t token.Token) bool { return known(tokens.Recorded([]token.Token{t})[0]) })
	return nil
}

// Reload takes over the token file as it is now. One that nobody reads is warned of.
func (c *Credentials) Reload(ctx context.Context) error {
	if c.options.Shared != nil {
		c.warnOfStray(ctx)
		return nil
	}
	c.Tokens.Trust(func() error { return c.refuseTracked(ctx) })
	err := c.Tokens.Reload()
	if fault.Is(err, CodeTracked) {
		return errors.Join(err, c.putBack())
	}
	if err == nil {
		c.log.Info().Msg("tokens reloaded")
		c.warnOfAlikeNames()
	}
	return err
}
