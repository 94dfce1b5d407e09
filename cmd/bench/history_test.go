package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistory(t *testing.T) {
	dir := t.TempDir()
	h, err := newHistory(t.Context(), dir, requirementsFor(3000))
	require.NoError(t, err)
	require.NoError(t, h.grow(t.Context(), 3000))
	require.NoError(t, h.close())
}
