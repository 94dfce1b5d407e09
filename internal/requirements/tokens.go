package requirements

import (
	"context"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

// AccountForTokens puts on record which tokens are new and which are gone since the log last said so. It must have
// returned nil before the given ones are in force. The same ones, in any order, are no record.
func (s *Service) AccountForTokens(ctx context.Context, inForce []Credential) error {
	return s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := tableTokens.Get(tx, keyTokens)
		if err != nil {
			return err
		}
		data := tokensChanged{Added: without(inForce, before), Revoked: without(before, inForce)}
		if len(data.Added)+len(data.Revoked) == 0 {
			return nil
		}
		if _, err := tableTokens.Put(tx, keyTokens, byID(inForce)); err != nil {
			return err
		}
		return tx.Append(ledger.Event{Kind: kindTokensChanged, Actor: ledger.System(), Data: data})
	})
}

// TokensOnRecord tells of a token whether the log says that it is in force, just so.
func (s *Service) TokensOnRecord(ctx context.Context) (known func(Credential) bool, err error) {
	var recorded []Credential
	err = s.ledger.View(ctx, func(r store.Reader) (err error) {
		recorded, _, err = tableTokens.Get(r, keyTokens)
		return err
	})
	return func(c Credential) bool { return slices.ContainsFunc(recorded, c.same) }, err
}
