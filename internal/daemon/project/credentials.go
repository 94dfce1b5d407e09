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
	"orchestrator/internal/requirements"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// credentials are the tokens of a project, and the file that they are read from.
type credentials struct {
	files  *token.File
	tokens *token.Authenticator
	made   []string // roles that got a token at this start
	log    zerolog.Logger

	refused atomic.Bool // git tracks the file, and what it had was not taken over
}

// openCredentials makes the tokens of the first start, and those of a demonstration, and reads them all. used says
// that the database has been in use.
func (p *Plan) openCredentials(files *token.File, used bool, log zerolog.Logger) (*credentials, error) {
	roles := []string{string(lifecycle.PM), string(lifecycle.Viewer)}
	if p.DemoTokens {
		roles = texts(lifecycle.Roles())
	}
	created, err := files.Bootstrap(roles, time.Now())
	first := created != nil
	if err == nil && !first && p.DemoTokens {
		created, err = files.Supply(roles, time.Now())
	}
	if err != nil {
		return nil, err
	}
	c := &credentials{files: files, made: slices.Sorted(maps.Keys(created)), log: log}
	if first {
		c.logFirst(p.dir(), used)
	}
	if p.DemoTokens {
		log.Warn().Str("folder", p.dir().TokenDir()).Strs("made", c.made).
			Msg("--demo-tokens: the tokens of all roles lie side by side in one folder; who reads it acts in every " +
				"role. " +
				"For a demonstration only")
	}
	c.warnOfAlikeNames()
	c.tokens, err = token.NewAuthenticator(files, p.Limit())
	return c, err
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
func (c *credentials) warnOfAlikeNames() {
	tokens, err := c.files.List()
	if err != nil {
		return // whoever needs them says so
	}
	for _, names := range token.Alike(tokens) {
		c.log.Warn().Strs("names", names).Str("file", c.files.Path()).
			Msg("these names differ in case or width alone: they count as one person where separation of duties " +
				"wants two")
	}
}

// account brings the tokens into force, each set once the log says so. Where those that changed cannot be put on
// record, the others are.
func (c *credentials) account(ctx context.Context, service *requirements.Service, postponed *postponed) error {
	err := c.tokens.Account(func(tokens []token.Token) error {
		inForce := make([]requirements.Credential, len(tokens))
		for i, t := range tokens {
			inForce[i] = credential(t)
		}
		return service.AccountForTokens(context.Background(), inForce)
	})
	if !isFull(err) {
		return err
	}
	known, err2 := service.TokensOnRecord(ctx)
	if err2 != nil {
		return err2
	}
	c.tokens.Keep(func(t token.Token) bool { return known(credential(t)) })
	postponed.add("tokens", err, c.reload)
	return nil
}

func credential(t token.Token) requirements.Credential {
	return requirements.Credential{ID: t.Mark(), Name: t.Name, Role: t.Role, Expires: t.Expires}
}

// watch takes over changed tokens until ctx ends. They are watched on their own, so that no half-written document holds
// them up.
func (c *credentials) watch(ctx context.Context, w *watcher, postponed *postponed) {
	w.watch(ctx, []*tree.Path{w.tokenFile}, token.MaxFile, "restart for new tokens", func(string) {
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
		c.warnOfAlikeNames()
	}
	return err
}
