package file

import "bytes"

// page is one page of a tree or of free pages, with what belongs to it.
type page struct {
	flags, count uint16
	body         []byte // from the page's header on
}

// keys are the bounds of a subtree: from <= key < to, nil being none.
type keys struct {
	from, to []byte
	depth    int
}

// element is one entry of a branch page (child) or a leaf page (value).
type element struct {
	key, value []byte
	child      uint64
	isBucket   bool
}

// elements reads a page's entries, which must lie in the page and in order within k.
func (p page) elements(k keys) ([]element, error) {
	list := make([]element, 0, p.count)
	last := k.from
	for i := range int(p.count) {
		e, ok := p.element(pageHeader + i*elementSize)
		if !ok {
			return nil, Flaw("entry %d is not in its page", i)
		}
		order := bytes.Compare(last, e.key)
		if order > 0 || order == 0 && i > 0 || k.to != nil && bytes.Compare(e.key, k.to) >= 0 {
			return nil, Flaw("key %q is out of order", e.key)
		}
		last = e.key
		list = append(list, e)
	}
	return list, nil
}

func (p page) element(at int) (e element, ok bool) {
	if at+elementSize > len(p.body) {
		return e, false
	}
	b := p.body[at:]
	field := func(i int) uint64 { return uint64(native.Uint32(b[4*i:])) }
	pos, keyLen, valueLen := field(0), field(1), uint64(0)
	if p.flags == branchPage {
		e.child = native.Uint64(b[8:])
	} else {
		e.isBucket = field(0) == 1
		pos, keyLen, valueLen = field(1), field(2), field(3)
	}
	if pos+keyLen+valueLen > uint64(len(b)) {
		return e, false
	}
	e.key, e.value = b[pos:pos+keyLen], b[pos+keyLen:pos+keyLen+valueLen]
	return e, true
}
