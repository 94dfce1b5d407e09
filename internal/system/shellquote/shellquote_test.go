package shellquote

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"a-b_c/d.E9": "a-b_c/d.E9",
		"a b":        "'a b'",
		"it's":       `'it'\''s'`,
		"$(x)":       "'$(x)'",
		"ü":          "'ü'",
		"":           "''",
	} {
		require.Equal(t, want, Quote(word))
	}
}
