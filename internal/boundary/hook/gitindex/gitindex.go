// Package gitindex looks up which files git tracks, in the bytes of its index. It starts no git: the hook has no time
// for it.
package gitindex

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// errUnreadable is that of an index in a form that this package does not read.
var errUnreadable = errors.New("the index of git cannot be read")

// Sizes of the index: of its header, and of an entry before its name, which is two bytes longer if the flag is set. An
// entry has the digest of its content, of 20 bytes, or 32 in repositories of SHA-256.
const (
	header    = 12
	stat      = 40
	moreFlags = 0x4000
)

// Have reports of each name, relative to the top of the working tree, whether an index has a file of it, or files below
// a folder of it. A digest has so many bytes. The index is read once, however many names there are.
func Have(index []byte, names []string, digest int) ([]bool, error) {
	if len(index) < header || !bytes.HasPrefix(index, []byte("DIRC")) {
		return nil, errUnreadable
	}
	version := binary.BigEndian.Uint32(index[4:])
	if version < 2 || version > 4 {
		return nil, errUnreadable
	}
	r := reader{rest: index[header:], digest: digest, packed: version == 4}
	has := make([]bool, len(names))
	for range binary.BigEndian.Uint32(index[8:]) {
		if !r.next() {
			return nil, errUnreadable
		}
		for i, name := range names {
			has[i] = has[i] || isIn(r.name, name)
		}
	}
	if !r.ends() {
		return nil, errUnreadable
	}
	return has, nil
}

// isIn reports whether a file is one of a name, or lies below it.
func isIn(file []byte, name string) bool {
	return len(file) >= len(name) && string(file[:len(name)]) == name &&
		(len(file) == len(name) || file[len(name)] == '/')
}

// reader goes through the entries of an index.
type reader struct {
	rest   []byte
	name   []byte // of the last entry; it lies in the index where names are not packed
	digest int
	packed bool // names are what is left of the one before, and what follows
}

func (r *reader) next() bool {
	at := stat + r.digest + 2
	if len(r.rest) < at {
		return false
	}
	if binary.BigEndian.Uint16(r.rest[at-2:])&moreFlags != 0 {
		at += 2
	}
	if r.packed {
		cut, n := leading(r.rest[min(at, len(r.rest)):])
		if n == 0 || cut > len(r.name) {
			return false
		}
		at, r.name = at+n, r.name[:len(r.name)-cut]
	}
	end := bytes.IndexByte(r.rest[min(at, len(r.rest)):], 0)
	if end < 0 {
		return false
	}
	size := at + end + 1
	if r.packed {
		r.name = append(r.name, r.rest[at:at+end]...)
	} else {
		r.name = r.rest[at : at+end]
		size = (at + end + 8) &^ 7 // padded with at least one zero byte
	}
	if size > len(r.rest) {
		return false
	}
	r.rest = r.rest[size:]
	return true
}

// ends reports whether nothing but extensions and a digest follow, which shows that entries were read as they are, and
// no extension has the rest of the files elsewhere.
func (r *reader) ends() bool {
	for len(r.rest) >= 8 && len(r.rest) != r.digest {
		size := uint64(binary.BigEndian.Uint32(r.rest[4:])) + 8
		if bytes.HasPrefix(r.rest, []byte("link")) || size > uint64(len(r.rest)) {
			return false
		}
		r.rest = r.rest[size:]
	}
	return len(r.rest) == r.digest
}

// leading reads the number before a packed name, and how many bytes it has; none where it has no end, or is too large.
func leading(raw []byte) (n, size int) {
	const most = 1 << 20
	for i, b := range raw {
		n = n<<7 | int(b&0x7f)
		if n > most {
			return 0, 0
		}
		if b&0x80 == 0 {
			return n, i + 1
		}
		n++
	}
	return 0, 0
}
