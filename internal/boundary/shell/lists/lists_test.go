package lists

import (
	"fmt"
	"slices"
	"strings"
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

func TestOnly(t *testing.T) {
	for text, only := range map[string]bool{"": true, "*": true, "/*/": true, "a": false, "*a": false, "\xff": false} {
		require.Equal(t, only, Only(text, "*/"), "%q", text)
	}
}

func TestExtendAppends(t *testing.T) {
	list := []int{1, 2, 3, 4, 5, 6}
	var some, none []int
	for _, i := range []int{1, 2, 4, 5} {
		some = Extend(some, list, i)
	}
	require.Equal(t, []int{2, 3, 5, 6}, some)
	for i := range list {
		none = Extend(none, list, i)
	}
	require.Equal(t, list, none)
	require.Same(t, &list[0], &none[0])
	require.Equal(t, []int{4, 9}, append(Extend(nil, list, 3), 9))
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, list, "what is appended goes elsewhere")
}

func TestWhatIsKeptStays(t *testing.T) {
	var in strings.Builder
	var all []string
	text := make([]byte, 3)
	for i := range 100 {
		copy(text, fmt.Sprintf("%03d", i))
		all = append(all, Keep(&in, text))
	}
	for i, kept := range all {
		require.Equal(t, fmt.Sprintf("%03d", i), kept)
	}
	require.Empty(t, Keep(&in, nil))
}
