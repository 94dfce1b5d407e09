package requirements

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

var tableTokens = ledger.Table[[]Credential]{Name: "tokens"}

const keyTokens = "tokens"

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
