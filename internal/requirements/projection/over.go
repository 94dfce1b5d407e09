package projection

import (
	"io"
	"sync"
)

// WriteOver writes the export into a file that holds the export of another snapshot: what differs, and what stands
// elsewhere. It returns the size of the export in bytes.
func (s *Snapshot) WriteOver(to io.WriterAt, held *Snapshot) (size int64, err error) {
	head, err := headOf(s)
	if err != nil {
		return 0, err
	}
	heldHead, err := headOf(held)
	if err != nil {
		return 0, err
	}
	run := runs.Get().(*[]byte)
	defer runs.Put(run)
	out := &patch{to: to, run: (*run)[:0]}
	out.put(head)
	was := int64(len(heldHead)) // where a chunk of the file begins
	end := was                  // and where its last one ends
	for _, width := range held.widths {
		end += width
	}
	for i, chunk := range s.chunks {
		var before []*Entry
		if i < len(held.chunks) {
			before = held.chunks[i]
		}
		if was == out.at && len(before) == len(chunk) && &before[0] == &chunk[0] { // the two snapshots share it
			out.skip(s.widths[i])
		} else {
			out.putChunk(i == 0, chunk, before, was)
		}
		if i < len(held.widths) {
			was += held.widths[i]
		}
	}
	if out.at == end {
		out.skip(int64(len(fileEnd))) // the file ends there already
	} else {
		out.put([]byte(fileEnd))
	}
	out.flush()
	return out.at, out.err
}

// patch writes parts of a file from its beginning to its end, and joins those that follow one another.
type patch struct {
	to  io.WriterAt
	at  int64  // where the next part stands
	run []byte // what is still to be written, and ends there
	err error
}

// maxRun is how many bytes are written at once.
const maxRun = 64 << 10

// runs keeps the memory for runs from one export to the next.
var runs = sync.Pool{New: func() any { run := make([]byte, 0, maxRun); return &run }}

func (p *patch) put(part []byte) {
	for len(part) > 0 {
		fits := min(len(part), maxRun-len(p.run))
		p.run, part = append(p.run, part[:fits]...), part[fits:]
		if p.at += int64(fits); len(p.run) == maxRun {
			p.flush()
		}
	}
}

// skip passes bytes that the file holds already.
func (p *patch) skip(bytes int64) {
	p.flush()
	p.at += bytes
}

func (p *patch) flush() {
	if p.err == nil && len(p.run) > 0 {
		_, p.err = p.to.WriteAt(p.run, p.at-int64(len(p.run)))
	}
	p.run = p.run[:0]
}

// putChunk writes those of some requirements that differ from those in the file, or stand elsewhere there. was is where
// the latter begin.
func (p *patch) putChunk(first bool, chunk, before []*Entry, was int64) {
	for i, e := range chunk {
		separator := []byte(nextSeparator)
		if first && i == 0 {
			separator = []byte(firstSeparator)
		}
		bytes := int64(len(separator) + len(e.Raw))
		if i < len(before) && was == p.at && sameBytes(before[i].Raw, e.Raw) {
			p.skip(bytes)
		} else {
			p.put(separator)
			p.put(e.Raw)
		}
		if i < len(before) {
			was += int64(len(separator) + len(before[i].Raw))
		}
	}
}

// sameBytes reports whether two requirements are encoded in the same memory: a snapshot takes over what did not change.
func sameBytes(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }
