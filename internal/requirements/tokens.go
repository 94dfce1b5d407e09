package requirements

import (
	"cmp"
	"context"
	"slices"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

// Credential is a token as the log knows it. ID tells it from other tokens and proves nothing; what proves it, and the
// digest of that, never come here.
type Credential struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Expires time.Time `json:"expires,omitzero"`
}

var tableTokens = ledger.Table[[]Credential]{Name: "tokens"}

const keyTokens = "tokens"

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

// without is those of all that are not, just so, among the others, in the order of their ids.
func without(all, others []Credential) []Credential {
	return slices.DeleteFunc(byID(all), func(c Credential) bool {
		return slices.ContainsFunc(others, c.same)
	})
}

func (c Credential) same(other Credential) bool {
	return c.ID == other.ID && c.Name == other.Name && c.Role == other.Role && c.Expires.Equal(other.Expires)
}

// byID is a sorted copy.
func byID(all []Credential) []Credential {
	sorted := append([]Credential{}, all...)
	for i := range sorted {
		sorted[i].Expires = sorted[i].Expires.UTC()
	}
	slices.SortFunc(sorted, func(a, b Credential) int { return cmp.Compare(a.ID, b.ID) })
	return sorted
}
