package lists

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpened(t *testing.T) {
	for text, most := range map[string]int{"": 0, "a": 0, "()()": 1, "((": 2, "))(": 1, "(()())(": 2} {
		require.Equal(t, most, Opened(text), text)
	}
}
