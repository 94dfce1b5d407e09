package store

import "hash/maphash"

// tree is an immutable ordered map, a treap: search order by place, heap order by a hash of it. Every change
// returns a new tree that shares most nodes with the old one. nil is the empty tree.
type tree struct {
	at          Place
	value       []byte
	weight      uint64
	left, right *tree
}

var seed = maphash.MakeSeed()

func (t *tree) get(at Place) []byte {
	for t != nil {
		switch c := at.Compare(t.at); {
		case c < 0:
			t = t.left
		case c > 0:
			t = t.right
		default:
			return t.value
		}
	}
	return nil
}

func (t *tree) put(at Place, value []byte) *tree {
	less, more := t.split(at)
	return merge(merge(less, &tree{at: at, value: value, weight: maphash.Comparable(seed, at)}), more)
}

func (t *tree) remove(at Place) *tree {
	return merge(t.split(at))
}

// split returns the trees of all places before and after at.
func (t *tree) split(at Place) (less, more *tree) {
	if t == nil {
		return nil, nil
	}
	n := *t
	switch c := at.Compare(t.at); {
	case c < 0:
		less, n.left = t.left.split(at)
		return less, &n
	case c > 0:
		n.right, more = t.right.split(at)
		return &n, more
	default:
		return t.left, t.right
	}
}

// merge joins two trees of which every place of less is before every place of more.
func merge(less, more *tree) *tree {
	switch {
	case less == nil:
		return more
	case more == nil:
		return less
	case less.weight > more.weight:
		n := *less
		n.right = merge(less.right, more)
		return &n
	default:
		n := *more
		n.left = merge(less, more.left)
		return &n
	}
}

// scan visits the places from from on, in order, until visit returns an error.
func (t *tree) scan(from Place, visit func(Place, []byte) error) error {
	if t == nil {
		return nil
	}
	inside := from.Compare(t.at) <= 0
	if inside {
		if err := t.left.scan(from, visit); err != nil {
			return err
		}
		if err := visit(t.at, t.value); err != nil {
			return err
		}
	}
	return t.right.scan(from, visit)
}
