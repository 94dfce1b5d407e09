// Package overlay holds writes that lie over a database which does not have them yet.
package overlay

import (
	"iter"
	"strings"

	"github.com/tidwall/btree"
)

// degree is that of the tree. What changes a layer copies the nodes on the way to it, which a low degree keeps small.
const degree = 8

// Write is what was written at a key of a table; a nil value says that there is none any more.
type Write struct {
	Table, Key string
	Value      []byte
}

// Compare orders writes by their tables, then by their keys.
func (w Write) Compare(other Write) int {
	if w.Table != other.Table {
		return strings.Compare(w.Table, other.Table)
	}
	return strings.Compare(w.Key, other.Key)
}

// less is Compare for the tree, which asks a dozen times for each key: nothing is copied.
func less(a, b *Write) bool {
	if a.Table != b.Table {
		return a.Table < b.Table
	}
	return a.Key < b.Key
}

// Layer is a set of writes in the order of their tables and keys, the last one of each key. It may be read by several
// goroutines while nobody calls Set. A nil Layer is empty, and cannot be set.
type Layer struct{ tree *btree.BTreeG[*Write] } // pointers, since changing a node copies what is in it

// New returns an empty layer.
func New() *Layer {
	return &Layer{btree.NewBTreeGOptions(less, btree.Options{Degree: degree, NoLocks: true})}
}

// Copy returns a layer with the same writes. Each may be set from then on, and the other does not change. Only one
// goroutine may call Copy or Set of the same layer.
func (l *Layer) Copy() *Layer { return &Layer{l.tree.Copy()} }

// Set puts a write in the place of what was written there before.
func (l *Layer) Set(w Write) { l.tree.Set(&w) }

// Len returns the number of writes.
func (l *Layer) Len() int {
	if l == nil {
		return 0
	}
	return l.tree.Len()
}

// Get returns what was written at a key, if anything was.
func (l *Layer) Get(table, key string) (value []byte, written bool) {
	if l.Len() == 0 {
		return nil, false
	}
	w, written := l.tree.Get(&Write{Table: table, Key: key})
	if !written {
		return nil, false
	}
	return w.Value, true
}

// From returns a function that returns the writes of a table from a key on, one with each call, and false after the
// last.
func (l *Layer) From(table, from string) (next func() (Write, bool)) {
	if l.Len() == 0 {
		return func() (Write, bool) { return Write{}, false }
	}
	at := l.tree.Iter()
	step := func() bool { return at.Seek(&Write{Table: table, Key: from}) }
	return func() (Write, bool) {
		if !step() {
			return Write{}, false
		}
		step = at.Next
		return *at.Item(), at.Item().Table == table
	}
}

// Merged returns a function as From does, for two layers of which newer lies over older.
func Merged(newer, older *Layer, table, from string) (next func() (Write, bool)) {
	nextNew, nextOld := newer.From(table, from), older.From(table, from)
	a, haveA := nextNew()
	b, haveB := nextOld()
	return func() (w Write, found bool) {
		if haveA && haveB && a.Key == b.Key {
			b, haveB = nextOld()
		}
		switch {
		case haveA && (!haveB || a.Key < b.Key):
			w = a
			a, haveA = nextNew()
		case haveB:
			w = b
			b, haveB = nextOld()
		default:
			return w, false
		}
		return w, true
	}
}

// All returns the writes in the order of their tables and keys.
func (l *Layer) All() iter.Seq[Write] {
	return func(yield func(Write) bool) {
		if l.Len() > 0 {
			l.tree.Scan(func(w *Write) bool { return yield(*w) })
		}
	}
}
