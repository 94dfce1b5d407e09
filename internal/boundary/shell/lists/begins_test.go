package lists

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBegins(t *testing.T) {
	for _, c := range []struct {
		table, name string
		at          int
	}{{"", "a", -1}, {"a b", "a", 0}, {"ab b", "b", 3}, {"ab ba", "b", 3}, {"ab", "b", -1}, {"x", "a", -1}, {"", "", -1}} {
		require.Equal(t, c.at, Begins(c.table, c.name), "%v", c)
	}
}
