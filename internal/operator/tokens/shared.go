package tokens

import (
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/token"
)

// InLedger returns the tokens that a ledger keeps for all processes that serve its log.
func InLedger(l *ledger.Ledger) *token.Shared { return token.NewShared(keeper{l}) }

// keeper keeps tokens in a ledger.
type keeper struct{ ledger *ledger.Ledger }

// Kept implements token.Keeper.
func (k keeper) Kept(ctx context.Context) ([]byte, error) { return credentials.Kept(ctx, k.ledger) }

// Change implements token.Keeper.
func (k keeper) Change(ctx context.Context,
	change func(kept []byte) (changed []byte, inForce []token.Token, err error)) error {
	return credentials.Change(ctx, k.ledger, func(kept []byte) ([]byte, []requirements.Credential, error) {
		changed, inForce, err := change(kept)
		return changed, Recorded(inForce), err
	})
}

// Recorded returns tokens as the log knows them.
func Recorded(all []token.Token) []requirements.Credential {
	recorded := make([]requirements.Credential, len(all))
	for i, t := range all {
		recorded[i] = requirements.Credential{ID: t.Mark(), Name: t.Name, Role: t.Role, Expires: t.Expires}
	}
	return recorded
}
