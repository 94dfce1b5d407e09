package circles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/circles"
)

func TestLongChainsOfLinksAreWalked(t *testing.T) {
	const n = 200_000
	edges := make([][]int, n)
	for i := range n - 1 {
		edges[i] = []int{i + 1}
	}
	require.Empty(t, circles.Of(edges))
	edges[n-1] = []int{n - 3}
	require.Equal(t, [][]int{{n - 3, n - 2, n - 1}}, circles.Of(edges))
	edges[0] = append(edges[0], 0)
	require.Len(t, circles.Of(edges), 2, "a link to itself is a circle")
}
