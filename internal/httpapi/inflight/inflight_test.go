package inflight

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingIsKeptOfATokenThatHoldsNothing: no number of tokens becomes as many entries.
func TestNothingIsKeptOfATokenThatHoldsNothing(t *testing.T) {
	b := New()
	h := b.Of("ada")
	require.NoError(t, h.Reserve(1<<20))
	require.NoError(t, h.Work(t.Context()))
	require.Len(t, b.byToken, 1)
	require.Equal(t, 1, b.Working())
	h.Release()
	require.Empty(t, b.byToken)
	require.Zero(t, b.Working())
	require.Zero(t, b.Total())
}
