package file

import (
	"errors"
	"fmt"
	"io"
)

// defect is a flaw of the file's structure.
type defect struct{ what string }

func (d *defect) Error() string { return d.what }

// Flaw returns an error that names a flaw of the file's structure.
func Flaw(format string, args ...any) error { return &defect{fmt.Sprintf(format, args...)} }

// IsDamage reports whether an error says that the file is damaged, and not that it could not be read.
func IsDamage(err error) bool {
	return errors.Is(err, ErrHeads) || errors.Is(err, ErrShort) || errors.As(err, new(*defect))
}

// maxDepth is far above any real tree: 20 levels of two keys are a million pages.
const maxDepth = 64

// walker checks the pages of one state.
type walker struct {
	f      io.ReaderAt
	head   Head
	maxKey int
	used   []bool
	free   [][]byte // buffers to be used again
}

// Walk checks every page that the head leads to, and returns the first flaw. Keys have at most maxKey bytes.
func Walk(f io.ReaderAt, h Head, maxKey int) error {
	w := &walker{f: f, head: h, maxKey: maxKey, used: make([]bool, h.Pages)}
	if err := w.freelist(); err != nil {
		return err
	}
	if err := w.tree(h.Root, keys{}, w.bucket); err != nil {
		return err
	}
	for id := 2; id < len(w.used) && h.HasFreelist(); id++ {
		if !w.used[id] {
			return Flaw("page %d is neither used nor free", id)
		}
	}
	return nil
}

// WalkFreelist checks the list of free pages alone.
func WalkFreelist(f io.ReaderAt, h Head) error {
	return (&walker{f: f, head: h, used: make([]bool, h.Pages)}).freelist()
}

// claim marks a page as used, which no page may be twice.
func (w *walker) claim(id uint64) error {
	if id < 2 || id >= w.head.Pages {
		return Flaw("page %d is not in the file", id)
	}
	if w.used[id] {
		return Flaw("page %d is used twice", id)
	}
	w.used[id] = true
	return nil
}

// load claims and reads a page and its overflow.
func (w *walker) load(id uint64) (page, error) {
	if err := w.claim(id); err != nil {
		return page{}, err
	}
	body, at := w.buffer(), int64(id*w.head.PageSize)
	if _, err := w.f.ReadAt(body, at); err != nil {
		return page{}, err
	}
	if native.Uint64(body) != id {
		return page{}, Flaw("page %d says it is another", id)
	}
	overflow := uint64(native.Uint32(body[12:]))
	for next := id + 1; next <= id+overflow; next++ {
		if err := w.claim(next); err != nil {
			return page{}, err
		}
	}
	if overflow > 0 {
		size := (1 + overflow) * w.head.PageSize
		if body = body[:min(size, uint64(cap(body)))]; uint64(len(body)) < size {
			w.release(page{body: body})
			body = make([]byte, size)
		}
		if _, err := w.f.ReadAt(body, at); err != nil {
			return page{}, err
		}
	}
	return page{native.Uint16(body[8:]), native.Uint16(body[10:]), body}, nil
}

// buffer returns one for a page, which was released, or a new one.
func (w *walker) buffer() []byte {
	last := len(w.free) - 1
	if last < 0 {
		return make([]byte, w.head.PageSize)
	}
	b := w.free[last]
	w.free = w.free[:last]
	return b[:w.head.PageSize]
}

// release gives back the bytes of a page that nobody looks at any more.
func (w *walker) release(p page) { w.free = append(w.free, p.body) }

// freelist claims the free pages.
func (w *walker) freelist() error {
	if !w.head.HasFreelist() {
		return nil
	}
	p, err := w.load(w.head.Freelist)
	if err != nil {
		return err
	}
	ids, count := p.body[pageHeader:], uint64(p.count)
	if p.count == 0xFFFF { // too many for the header: the first entry is the count
		count, ids = native.Uint64(ids), ids[8:]
	}
	if p.flags != freePage || count > uint64(len(ids)/8) {
		return Flaw("page %d is not a list of free pages", w.head.Freelist)
	}
	for i := range count {
		if err := w.claim(native.Uint64(ids[8*i:])); err != nil {
			return fmt.Errorf("list of free pages: %w", err)
		}
	}
	return nil
}

// tree checks the page and all below it, and gives every leaf element to leaf.
func (w *walker) tree(id uint64, k keys, leaf func(element) error) error {
	p, err := w.load(id)
	if err != nil {
		return err
	}
	defer w.release(p)
	if p.flags == leafPage {
		return w.leaves(p, k, leaf)
	}
	if p.flags != branchPage || p.count == 0 || k.depth > maxDepth {
		return Flaw("page %d does not belong in a tree", id)
	}
	elements, err := p.elements(k)
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	for i, e := range elements {
		below := keys{from: e.key, to: k.to, depth: k.depth + 1}
		if i+1 < len(elements) {
			below.to = elements[i+1].key
		}
		if err := w.tree(e.child, below, leaf); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) leaves(p page, k keys, leaf func(element) error) error {
	elements, err := p.elements(k)
	if err != nil {
		return err
	}
	for _, e := range elements {
		if err := leaf(e); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks one table.
func (w *walker) bucket(e element) error {
	if !e.isBucket || len(e.value) < bucketSize {
		return Flaw("%q is not a table", e.key)
	}
	err := error(nil)
	if root := native.Uint64(e.value); root != 0 {
		err = w.tree(root, keys{}, w.entry)
	} else if inline := e.value[bucketSize:]; len(inline) < pageHeader {
		err = Flaw("its page is cut off")
	} else {
		err = w.leaves(page{native.Uint16(inline[8:]), native.Uint16(inline[10:]), inline}, keys{}, w.entry)
	}
	if err != nil {
		return fmt.Errorf("table %q: %w", e.key, err)
	}
	return nil
}

func (w *walker) entry(e element) error {
	if e.isBucket || len(e.key) == 0 || len(e.key) > w.maxKey {
		return Flaw("%q is not a key that this program writes", e.key)
	}
	return nil
}
