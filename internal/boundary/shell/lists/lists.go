// Package lists has what the many short lists and sorted tables of package shell need to be quick: a hook is started
// with every call of a tool, and does nothing twice.
package lists

import "strings"

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

// Find returns where a name stands among n sorted names, or would stand, and whether it is there. Most names differ in
// their first byte, and to compare bytes costs a fraction of comparing strings.
func Find(name string, n int, at func(int) string) (int, bool) {
	low, high := 0, n
	for low < high {
		middle := int(uint(low+high) >> 1)
		if before(at(middle), name) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < n && at(low) == name
}

// Has reports whether a name is among sorted ones, as Find does.
func Has(sorted []string, name string) bool {
	low, high := 0, len(sorted)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if before(sorted[middle], name) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < len(sorted) && sorted[low] == name
}

func before(a, b string) bool {
	if a != "" && b != "" && a[0] != b[0] {
		return a[0] < b[0]
	}
	return a < b
}

// Only reports whether a text has no other bytes than those of a short set.
func Only(text, set string) bool {
	for i := range len(text) {
		at := 0
		for at < len(set) && set[at] != text[i] {
			at++
		}
		if at == len(set) {
			return false
		}
	}
	return true
}

// Extend appends the element at i to some elements of a list. As long as they stand one after another in the list, they
// are a part of it, and none is copied.
func Extend[V any](some, list []V, i int) []V {
	n := len(some)
	if n == 0 || n <= i && &some[0] == &list[i-n] {
		return list[i-n : i+1 : i+1]
	}
	return append(some, list[i])
}

// Keep returns a text that is a part of a longer one, which it is appended to.
func Keep(in *strings.Builder, text []byte) string {
	start := in.Len()
	in.Write(text)
	return in.String()[start:]
}
