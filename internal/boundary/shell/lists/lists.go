// Package lists has what the many short lists and sorted tables of package shell need to be quick: a hook is started
// with every call of a tool, and does nothing twice.
package lists

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
