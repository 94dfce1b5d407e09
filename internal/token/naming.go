package token

import (
	"strings"

	"orchestrator/internal/fault"
)

// naming is by what tokens are named that are to be revoked.
type naming struct {
	none func() *fault.Error // that no token has it
	part func(Token) string
}

var (
	byID = naming{func() *fault.Error {
		return fault.New(fault.NotFound, "token_id_unknown", "no token has the given id")
	}, func(t Token) string { return t.ID }}
	byName = naming{func() *fault.Error {
		return fault.New(fault.NotFound, "token_name_unknown", "no token has the given name")
	}, func(t Token) string { return t.Name }}
)

// without parts tokens into those that stay and those that are named.
func (n naming) without(tokens []Token, wanted string) (kept, named []Token, err error) {
	var known []string
	for _, t := range tokens {
		if n.part(t) == wanted {
			named = append(named, t)
			continue
		}
		kept = append(kept, t)
		known = append(known, n.part(t))
	}
	if len(named) == 0 {
		// What was asked for is not repeated: it may be a token, given by mistake.
		return nil, nil, n.none().WithFix("give one of: %s", strings.Join(known, ", "))
	}
	return kept, named, nil
}
