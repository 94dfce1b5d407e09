// Package lists has what the many short lists and sorted tables of package shell need to be quick: a hook is started
// with every call of a tool, and does nothing twice.
package lists

import (
	"sort"
	"strings"
)

// Carve returns an empty slice with room for n, out of a larger one.
func Carve[V any](room *[]V, n int) []V {
	const least = 16
	used := len(*room)
	if used+n > cap(*room) {
		*room, used = make([]V, 0, max(least, 2*n)), 0
	}
	*room = (*room)[:used+n]
	return (*room)[used : used : used+n]
}

// Find returns where a name stands among n sorted names, or would stand, and whether it is there.
func Find(name string, n int, at func(int) string) (int, bool) {
	return sort.Find(n, func(i int) int { return strings.Compare(name, at(i)) })
}
