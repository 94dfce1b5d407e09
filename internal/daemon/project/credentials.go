package project

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
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// credentials are the tokens of a project, and where they are read from.
type credentials struct {
	files  *token.File
	shared *token.Shared // nil where the file is read
	tokens *token.Authenticator
	made   []string // roles that got a token at this start
	used   bool     // the shared store was in use before this start
	log    zerolog.Logger

	refused atomic.Bool // git tracks the file, and what it had was not taken over
	stray   atomic.Bool // there is a file that is not read, and it has other tokens
}

// openCredentials makes the tokens of the first start, and those of a demonstration, and reads them all. used says
// that the database has been in use.
func (p *Plan) openCredentials(files *token.File, shared *token.Shared, used bool,
	log zerolog.Logger) (*credentials, error) {
	if shared != nil {
		return p.openShared(files, shared, used, log)
	}
	roles := p.firstRoles()
	created, err := files.Bootstrap(roles, time.Now())
	first := created != nil
	if err == nil && !first && p.DemoTokens {
		created, err = files.Supply(roles, time.Now())
	}
	if err != nil {
		return nil, err
	}
	c := &credentials{files: files, log: log}
	c.logMade(p, created, first, used)
	if all, err := files.List(); err == nil { // whoever needs them says what is wrong
		c.warnOfAlikeNames(all, files.Path())
	}
	c.tokens, err = token.NewAuthenticator(files, p.Limit())
	return c, err
}

// firstRoles returns the roles that get a token at the first start, and in a demonstration at every one.
func (p *Plan) firstRoles() []string {
	if p.DemoTokens {
		return texts(lifecycle.Roles())
	}
	return []string{string(lifecycle.PM), string(lifecycle.Viewer)}
}

// logMade logs which tokens this start has made. first says that there were none.
func (c *credentials) logMade(p *Plan, created map[string]string, first, used bool) {
	c.made = slices.Sorted(maps.Keys(created))
	if first {
		c.logFirst(p.dir(), used)
	}
	if p.DemoTokens {
		c.log.Warn().Str("folder", p.dir().TokenDir()).Strs("made", c.made).
			Msg("--demo-tokens: the tokens of all roles lie side by side in one folder; who reads it acts in every " +
				"role. " +
				"For a demonstration only")
	}
}

// logFirst logs that there was no token file.
func (c *credentials) logFirst(data datadir.Dir, used bool) {
	if used {
		c.log.Warn().Str("file", c.files.Path()).Strs("roles", c.made).
			Msg("the token file was missing beside a database in use: made new tokens; all old ones are void")
		return
	}
	c.log.Info().Str("folder", data.TokenDir()).Strs("roles", c.made).Msg("first start: made tokens")
}

// warnOfAlikeNames logs which names of tokens count as one person.
func (c *credentials) warnOfAlikeNames(all []token.Token, where string) {
	for _, names := range token.Alike(all) {
		c.log.Warn().Strs("names", names).Str("file", where).
			Msg("these names differ in case or width alone: they count as one person where separation of duties " +
				"wants two")
	}
}

// account brings the tokens into force, each set once the log says so. Where those that changed cannot be put on
// record, the others are.
func (c *credentials) account(ctx context.Context, service *requirements.Service, postponed *postponed) error {
	err := c.tokens.Account(func(all []token.Token) error {
		return service.AccountForTokens(context.Background(), tokens.Recorded(all))
	})
	if !isFull(err) {
		return err
	}
	known, err2 := service.TokensOnRecord(ctx)
	if err2 != nil {
		return err2
	}
	c.tokens.Keep(func(t token.Token) bool { return known(tokens.Recorded([]token.Token{t})[0]) })
	postponed.add("tokens", err, c.reload)
	return nil
}

// watch takes over changed tokens until ctx ends. They are watched on their own, so that no half-written document holds
// them up.
func (c *credentials) watch(ctx context.Context, w *watcher, postponed *postponed) {
	w.watch(ctx, []*tree.Path{w.tokenFile}, token.MaxFile, "restart for new tokens", func(string) {
		if c.shared != nil {
			c.warnOfStray(ctx)
			return
		}
		if err := postponed.tryNow(ctx, "tokens", c.reload); err != nil {
			c.log.Error().Err(err).Msg("the tokens stay as they were")
		}
	})
}

func (c *credentials) reload(ctx context.Context) error {
	c.tokens.Trust(func() error { return c.refuseTracked(ctx) })
	err := c.tokens.Reload()
	if fault.Is(err, codeTracked) {
		return errors.Join(err, c.putBack())
	}
	if err == nil {
		c.log.Info().Msg("tokens reloaded")
		if all, err := c.files.List(); err == nil {
			c.warnOfAlikeNames(all, c.files.Path())
		}
	}
	return err
}
