package turns

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// TestReviewsTakeTurns: one is made at a time, and each actor has one, however many are asked for.
func TestReviewsTakeTurns(t *testing.T) {
	v := New()
	ada, bob := lifecycle.Actor{Name: "ada", Role: lifecycle.PM}, lifecycle.Actor{Name: "bob", Role: lifecycle.PM}
	require.NoError(t, Take(t.Context(), v.Of(ada)))
	require.NoError(t, Take(t.Context(), v.Of(bob)), "an actor whose client does not read hinders no other")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Take(gone, v.Of(ada)), context.Canceled)
	<-v.Of(ada)
	require.NoError(t, Take(t.Context(), v.Of(ada)))
	require.Equal(t, 1, cap(v.Making))
}
