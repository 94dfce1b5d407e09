package record

import (
	"cmp"
	"slices"
	"time"

	"orchestrator/internal/ledger"
)

// Credential is a token as the log knows it. ID tells it from other tokens and proves nothing; what proves it, and the
// digest of that, never come here.
type Credential struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Expires time.Time `json:"expires,omitzero"`
}

// TableTokens has, under KeyTokens, the tokens in force that the log accounts for.
var TableTokens = ledger.Table[[]Credential]{Name: "tokens"}

// KeyTokens is the only key of TableTokens.
const KeyTokens = "tokens"

// Without returns those of all that are not, just so, among the others, in the order of their ids.
func Without(all, others []Credential) []Credential {
	return slices.DeleteFunc(SortedByID(all), func(c Credential) bool {
		return slices.ContainsFunc(others, c.Same)
	})
}

// Same reports whether two credentials are alike in every member.
func (c Credential) Same(other Credential) bool {
	return c.ID == other.ID && c.Name == other.Name && c.Role == other.Role && c.Expires.Equal(other.Expires)
}

// SortedByID returns a copy in the order of the ids.
func SortedByID(all []Credential) []Credential {
	sorted := append([]Credential{}, all...)
	for i := range sorted {
		sorted[i].Expires = sorted[i].Expires.UTC()
	}
	slices.SortFunc(sorted, func(a, b Credential) int { return cmp.Compare(a.ID, b.ID) })
	return sorted
}
