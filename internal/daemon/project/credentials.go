package project

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// openTokens makes the tokens of the first start, and those of a demonstration, and reads them all.
func (s *server) openTokens() error {
	roles := []string{string(lifecycle.PM), string(lifecycle.Viewer)}
	if s.options.DemoTokens {
		roles = texts(lifecycle.Roles())
	}
	created, err := s.files.Bootstrap(roles, time.Now())
	first := created != nil
	if err == nil && !first && s.options.DemoTokens {
		created, err = s.files.Supply(roles, time.Now())
	}
	if err != nil {
		return err
	}
	s.issued = slices.Sorted(maps.Keys(created))
	s.logIssued(first)
	s.warnOfAlikeNames()
	s.tokens, err = token.NewAuthenticator(s.files, s.limit())
	return err
}

// logIssued says which tokens this start made, and what is wrong with those of a demonstration.
func (s *server) logIssued(first bool) {
	folder := filepath.Join(s.options.Data, "tokens")
	switch {
	case first && s.ledger.Head().Size > 1:
		s.log.Warn().Str("file", s.files.Path()).Strs("roles", s.issued).
			Msg("the token file was missing beside a database in use: made new tokens; all old ones are void")
	case first:
		s.log.Info().Str("folder", folder).Strs("roles", s.issued).Msg("first start: made tokens")
	}
	if s.options.DemoTokens {
		s.log.Warn().Str("folder", folder).Strs("made", s.issued).
			Msg("--demo-tokens: the tokens of all roles lie side by side in one folder; who reads it acts in every role. " +
				"For a demonstration only")
	}
}

// TokenFile is the token file of a data folder.
func TokenFile(data string) *token.File {
	return token.NewFile(data, func(role string) bool { _, err := lifecycle.ParseRole(role); return err == nil })
}
