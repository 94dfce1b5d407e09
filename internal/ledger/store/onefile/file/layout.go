// Package file reads the file format of bbolt, as far as a store must understand a file before it may trust it. It
// reads the bytes alone, and believes none of them.
//
// Numbers are in the byte order of the machine that wrote the file. Every page begins with
//
//	id u64 | flags u16 | count u16 | overflow u32
//
// where overflow counts the pages that follow and belong to it. Pages 0 and 1 are heads, written in turn.
package file

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
)

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

// Why the heads of a file cannot be used.
var (
	ErrForeign = errors.New("no head page of a bbolt database")
	ErrHeads   = errors.New("both head pages are damaged")
	ErrShort   = errors.New("the file ends before its last page")

	native = binary.NativeEndian
)

// HasFreelist reports whether the file has a list of its free pages.
func (h Head) HasFreelist() bool { return h.Freelist != noFreelist }

// Head is what a head page says of one committed state.
type Head struct {
	PageSize, Root, Freelist, Pages, TxID uint64
	Valid                                 bool
}

// ReadHeads returns both heads, valid or not. It fails if neither is, or the file is too short for the newer.
func ReadHeads(f io.ReaderAt, size func() (int64, error)) (heads [2]Head, err error) {
	heads[0], err = readHead(f, 0)
	foreign := errors.Is(err, ErrForeign)
	if heads[0].Valid {
		heads[1], _ = readHead(f, int64(heads[0].PageSize))
	} else {
		for at := int64(1024); at <= 1024<<14 && !heads[1].Valid; at *= 2 {
			heads[1], err = readHead(f, at)
			foreign = foreign && errors.Is(err, ErrForeign)
		}
	}
	h, err := Newest(heads)
	if foreign && err != nil {
		return heads, ErrForeign
	} else if err != nil {
		return heads, err
	}
	n, err := size() // after the heads were read: a writer enlarges the file first
	if err == nil && h.Pages > uint64(n)/h.PageSize {
		err = ErrShort
	}
	return heads, err
}

// Newest returns the head that bbolt takes.
func Newest(heads [2]Head) (Head, error) {
	a, b := heads[0], heads[1]
	switch {
	case a.Valid && (!b.Valid || a.TxID > b.TxID):
		return a, nil
	case b.Valid:
		return b, nil
	}
	return Head{}, ErrHeads
}

func readHead(f io.ReaderAt, at int64) (Head, error) {
	var page [pageHeader + headSize]byte
	if _, err := f.ReadAt(page[:], at); errors.Is(err, io.EOF) {
		return Head{}, ErrForeign
	} else if err != nil {
		return Head{}, err
	}
	b := page[pageHeader:]
	if native.Uint32(b) != magic || native.Uint32(b[4:]) != version {
		return Head{}, ErrForeign
	}
	h := Head{
		PageSize: uint64(native.Uint32(b[8:])), Root: native.Uint64(b[16:]), Freelist: native.Uint64(b[32:]),
		Pages: native.Uint64(b[40:]), TxID: native.Uint64(b[48:]),
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:headSize-8])
	if h.Valid = sum.Sum64() == native.Uint64(b[headSize-8:]) && h.PageSize >= 1024; !h.Valid {
		return h, ErrHeads
	}
	return h, nil
}
