package boltstore

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
)

// The bbolt file format, as far as Open and Check must understand it before they may trust it. Numbers are in
// the byte order of the machine that wrote the file. Every page begins with
//
//	id u64 | flags u16 | count u16 | overflow u32
//
// where overflow counts the pages that follow and belong to it. Pages 0 and 1 are heads, written in turn.
const (
	pageHeader  = 16
	elementSize = 16 // of branch pages and of leaf pages
	bucketSize  = 16 // root page u64 | sequence u64

	branchPage = 0x01
	leafPage   = 0x02
	freePage   = 0x10

	magic      = 0xED0CDAED
	version    = 2
	headSize   = 64
	noFreelist = ^uint64(0)
)

var (
	errForeign = errors.New("no head page of a bbolt database")
	errHead    = errors.New("both head pages are damaged")
	errShort   = errors.New("the file ends before its last page")
	native     = binary.NativeEndian
)

// head is what a head page says of one committed state.
type head struct {
	pageSize, root, freelist, pages, txid uint64
	valid                                 bool
}

// readHeads returns both heads, valid or not. It fails if neither is, or the file is too short for the newer.
func readHeads(f io.ReaderAt, size func() (int64, error)) (heads [2]head, err error) {
	heads[0], err = readHead(f, 0)
	foreign := errors.Is(err, errForeign)
	if heads[0].valid {
		heads[1], _ = readHead(f, int64(heads[0].pageSize))
	} else {
		for at := int64(1024); at <= 1024<<14 && !heads[1].valid; at *= 2 {
			heads[1], err = readHead(f, at)
			foreign = foreign && errors.Is(err, errForeign)
		}
	}
	h, err := newest(heads)
	if foreign && err != nil {
		return heads, errForeign
	} else if err != nil {
		return heads, err
	}
	n, err := size() // after the heads were read: a writer enlarges the file first
	if err == nil && h.pages > uint64(n)/h.pageSize {
		err = errShort
	}
	return heads, err
}

// newest returns the head that bbolt takes.
func newest(heads [2]head) (head, error) {
	a, b := heads[0], heads[1]
	switch {
	case a.valid && (!b.valid || a.txid > b.txid):
		return a, nil
	case b.valid:
		return b, nil
	}
	return head{}, errHead
}

func readHead(f io.ReaderAt, at int64) (head, error) {
	var page [pageHeader + headSize]byte
	if _, err := f.ReadAt(page[:], at); errors.Is(err, io.EOF) {
		return head{}, errForeign
	} else if err != nil {
		return head{}, err
	}
	b := page[pageHeader:]
	if native.Uint32(b) != magic || native.Uint32(b[4:]) != version {
		return head{}, errForeign
	}
	h := head{
		pageSize: uint64(native.Uint32(b[8:])), root: native.Uint64(b[16:]), freelist: native.Uint64(b[32:]),
		pages: native.Uint64(b[40:]), txid: native.Uint64(b[48:]),
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:headSize-8])
	if h.valid = sum.Sum64() == native.Uint64(b[headSize-8:]) && h.pageSize >= 1024; !h.valid {
		return h, errHead
	}
	return h, nil
}
