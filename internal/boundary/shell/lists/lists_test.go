package lists

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCarvedListsAreApart(t *testing.T) {
	var room []int
	var all [][]int
	for i := range 30 {
		list := Carve(&room, 3)
		require.Empty(t, list)
		require.Equal(t, 3, cap(list))
		all = append(all, append(list, i, i+1, i+2))
	}
	require.Equal(t, []int{9, 9, 9, 9}, append(Carve(&room, 3), 9, 9, 9, 9), "more than there is room for")
	require.GreaterOrEqual(t, cap(Carve(&room, 100)), 100)
	for i, list := range all {
		require.Equal(t, []int{i, i + 1, i + 2}, list)
	}
}

func TestFindsAsTheLibraryDoes(t *testing.T) {
	for _, sorted := range [][]string{nil, {"b"}, {"b", "d"}, {"", "b", "bb", "d", "x"}} {
		for _, name := range []string{"", "a", "b", "ba", "bb", "c", "d", "w", "x", "y"} {
			at, found := Find(name, len(sorted), func(i int) string { return sorted[i] })
			want, is := slices.BinarySearch(sorted, name)
			require.Equal(t, []any{want, is}, []any{at, found}, "%q in %q", name, sorted)
			require.Equal(t, is, Has(sorted, name), "%q in %q", name, sorted)
		}
	}
}
