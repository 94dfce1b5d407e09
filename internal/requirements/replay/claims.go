package replay

import (
	"fmt"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// claimBook is the table of claims; nil before the first.
type claimBook map[string][]claiming.Claim

// Get makes claimBook a claims.Book.
func (b *claimBook) Get(key string) ([]claiming.Claim, error) { return (*b)[key], nil }

// Put makes claimBook a claims.Book.
func (b *claimBook) Put(key string, all []claiming.Claim) error {
	switch {
	case len(all) == 0:
		delete(*b, key)
		return nil
	case *b == nil:
		*b = claimBook{}
	}
	(*b)[key] = all
	return nil
}

func (b *claimBook) table() (ledger.Contents, error) {
	return ledger.ContentsOf(claims.Table, map[string][]claiming.Claim(*b))
}

// on returns the claims on a requirement that count when a record was made.
func (b *claimBook) on(rec audit.Record) []claiming.Claim {
	return claiming.Live((*b)[claims.KeyOn(rec.Subject)], rec.At)
}

// checkHolder refuses a record whose actor claims by a token of somebody else, as far as the log knows the tokens. One
// that was revoked may still have been at work. A run is nobody's token.
func checkHolder(owners map[string]audit.Actor, rec audit.Record, holder string) error {
	if holder == "" || claiming.IsRun(holder) || len(owners) == 0 {
		return nil
	}
	if owner, known := owners[holder]; !known || owner != rec.Actor {
		return fmt.Errorf("it is of %q in the role %s, and the token %s is not", rec.Actor.Name, rec.Actor.Role, holder)
	}
	return nil
}

func actorOf(rec audit.Record) lifecycle.Actor {
	return lifecycle.Actor{Name: rec.Actor.Name, Role: lifecycle.Role(rec.Actor.Role)}
}
