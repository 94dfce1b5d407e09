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

// Has reports whether an index has a file, or files below a folder, of a name relative to the top of the working tree.
// A digest has so many bytes.
func Has(index []byte, name string, digest int) (bool, error) {
	if len(index) < header || !bytes.HasPrefix(index, []byte("DIRC")) {
		return false, errUnreadable
	}
	version := binary.BigEndian.Uint32(index[4:])
	if version < 2 || version > 4 {
		return false, errUnreadable
	}
	r := reader{rest: index[header:], digest: digest, packed: version == 4}
	has := false
	for range binary.BigEndian.Uint32(index[8:]) {
		if !r.next() {
			return false, errUnreadable
		}
		below, found := bytes.CutPrefix(r.name, []byte(name))
		has = has || found && (len(below) == 0 || below[0] == '/')
	}
	if !r.ends() {
		return false, errUnreadable
	}
	return has, nil
}

// reader goes through the entries of an index.
type reader struct {
	rest   []byte
	name   []byte
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
	kept := []byte(nil)
	if r.packed {
		cut, n := leading(r.rest[min(at, len(r.rest)):])
		if n == 0 || cut > len(r.name) {
			return false
		}
		at, kept = at+n, r.name[:len(r.name)-cut]
	}
	end := bytes.IndexByte(r.rest[min(at, len(r.rest)):], 0)
	if end < 0 {
		return false
	}
	r.name = append(bytes.Clone(kept), r.rest[at:at+end]...)
	size := at + end + 1
	if !r.packed {
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
