package shell

import (
	"slices"
	"strings"
)

// The tables stand in the order of their names, which a test holds them to. Written so they are a part of the program
// as it lies on the disk, where maps would be built anew each time that a hook starts.
type (
	names        []string
	tools        []tool
	table[V any] []row[V]
	row[V any]   struct {
		name string
		is   V
	}
)

func (t names) has(name string) bool {
	_, found := slices.BinarySearch(t, name)
	return found
}

func (t tools) find(name string) (tool, bool) {
	at, found := slices.BinarySearchFunc(t, name, func(r tool,
		name string) int {
		return strings.Compare(r.name, name)
	})
	if !found {
		return tool{}, false
	}
	return t[at], true
}

func (t table[V]) find(name string) (is V, found bool) {
	at, found := slices.BinarySearchFunc(t, name, func(r row[V],
		name string) int {
		return strings.Compare(r.name, name)
	})
	if found {
		is = t[at].is
	}
	return is, found
}
