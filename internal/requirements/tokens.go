package requirements

import (
	"context"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/record"
)

// Credential is a token as the log knows it.
type Credential = record.Credential

// AccountForTokens puts on record which tokens are new and which are gone since the log last said so. It must have
// returned nil before the given ones are in force. The same ones, in any order, are no record.
func (s *Service) AccountForTokens(ctx context.Context, inForce []record.Credential) error {
	return s.ledger.Update(ctx, func(tx *ledger.Tx) error { return credentials.Account(tx, inForce) })
}

// TokensOnRecord returns a function that reports whether the log says that a token is in force, just so.
func (s *Service) TokensOnRecord(ctx context.Context) (known func(record.Credential) bool, err error) {
	var recorded []record.Credential
	err = s.ledger.View(ctx, func(r store.Reader) (err error) {
		recorded, _, err = record.TableTokens.Get(r, record.KeyTokens)
		return err
	})
	return func(c record.Credential) bool { return slices.ContainsFunc(recorded, c.Same) }, err
}
