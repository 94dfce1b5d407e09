package audit

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// maxSize is the most records that a log can have: beyond it the arithmetic of trees overflows, and tlog would not
// return. No log gets there, but a server can say so.
const maxSize = 1 << 62

var errTooLarge = errors.New("no log has so many records")

// Inclusion is the audit path of RFC 6962, section 2.1.1: that a record is in a log of a size.
type Inclusion struct {
	Index  uint64 `json:"index"`
	Size   uint64 `json:"size"`
	Hashes []Hash `json:"hashes"`
}

// Consistency is the proof of RFC 6962, section 2.1.2: that a log of one size is the beginning of one of another.
type Consistency struct {
	Old    uint64 `json:"old"`
	New    uint64 `json:"new"`
	Hashes []Hash `json:"hashes"`
}

// ProveInclusion reads a proof from the nodes of a log. index must be below size, and size in the log.
//
// Implements: ORC-101
func ProveInclusion(index, size uint64, nodes tlog.HashReader) (Inclusion, error) {
	proof, err := tlog.ProveRecord(int64(size), int64(index), nodes)
	return Inclusion{index, size, append([]Hash{}, proof...)}, err
}

// Check recomputes the root from the bytes of the record and every hash of the proof.
func (p Inclusion) Check(record []byte, root Hash) error {
	if p.Size > maxSize || p.Index > maxSize {
		return errTooLarge
	}
	if err := tlog.CheckRecord(p.Hashes, int64(p.Size), root, int64(p.Index), tlog.RecordHash(record)); err != nil {
		return fmt.Errorf("the proof does not show that record %d is in the log of %d records with root %s", p.Index,
			p.Size, root)
	}
	return nil
}

// ProveConsistency reads a proof from the nodes of a log; 1 <= old <= size <= the size of the log.
//
// Implements: ORC-101
func ProveConsistency(old, size uint64, nodes tlog.HashReader) (Consistency, error) {
	proof, err := tlog.ProveTree(int64(size), int64(old), nodes)
	return Consistency{old, size, append([]Hash{}, proof...)}, err
}

// Check recomputes both roots from every hash of the proof.
func (p Consistency) Check(oldRoot, newRoot Hash) error {
	if p.Old > maxSize || p.New > maxSize {
		return errTooLarge
	}
	if err := tlog.CheckTree(p.Hashes, int64(p.New), newRoot, int64(p.Old), oldRoot); err != nil {
		return fmt.Errorf("the proof does not show that the log of %d records with root %s is the beginning of the one of %d with %s",
			p.Old, oldRoot, p.New, newRoot)
	}
	return nil
}
