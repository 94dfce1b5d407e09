// Package following follows the log of a store that several processes share. What the others have committed is
// published in one order with what this process commits, and whoever asks learns whether that is all there is.
//
// Each commit leaves a trail by which the others follow it: where the log stands, and what was written. It says nothing
// of the state, the log does not account for it, and it has no check sum. A store of one process has none of it.
//
//	meta, trail        where the log stands after the last commit; of a log that was moved, its head
//	meta, needs        what a program must know to write to this log
//	ring, slot number  the number of a commit and the names of what it wrote; ringSize commits have slots
package following

import (
	"encoding/binary"
	"errors"
	"slices"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

const (
	tableMeta = "meta"
	keyHead   = "head"
	keyTrail  = "trail"
	keyNeeds  = "needs"
	tableRing = "ring"

	ringSize = 4096
)

// Trail says which commit was the last, and has what the next one needs to know.
type Trail struct {
	Size     uint64       // of the log after the commit
	Number   uint64       // of the commit; the first that left a trail has the number 1
	Writer   uint64       // the process that made it
	Since    uint64       // the number of the first commit in a row that this process has made
	Frontier []audit.Hash // of the head of the log

	needs needs
}

const trailNumbers = 4 * 8 // bytes

func (t Trail) encode() []byte {
	raw := make([]byte, 0, trailNumbers+len(t.Frontier)*rows.NodeSize)
	for _, n := range []uint64{t.Size, t.Number, t.Writer, t.Since} {
		raw = binary.BigEndian.AppendUint64(raw, n)
	}
	for _, h := range t.Frontier {
		raw = append(raw, h[:]...)
	}
	return raw
}

// decodeTrail reads what encode has returned; nil is the zero trail. A log that was moved has its head in place of the
// trail, so that all who follow it learn where it went.
func decodeTrail(raw []byte) (t Trail, err error) {
	if raw == nil {
		return t, nil
	}
	if len(raw) > 0 && raw[0] == '{' { // no log has so many records that its trail begins so
		head, err := moved.ReadHead(raw)
		if err == nil {
			err = moved.Elsewhere(head.Moved)
		}
		return t, err
	}
	if len(raw) < trailNumbers || (len(raw)-trailNumbers)%rows.NodeSize != 0 {
		return t, store.Damaged("table meta, key %q cannot be read", keyTrail)
	}
	for i, n := range []*uint64{&t.Size, &t.Number, &t.Writer, &t.Since} {
		*n = binary.BigEndian.Uint64(raw[8*i:])
	}
	for node := range slices.Chunk(raw[trailNumbers:], rows.NodeSize) {
		t.Frontier = append(t.Frontier, audit.Hash(node))
	}
	return t, nil
}

// ReadHashes makes a trail the tlog.HashReader of its own frontier.
func (t Trail) ReadHashes(indexes []int64) ([]audit.Hash, error) {
	if !slices.Equal(indexes, audit.FrontierIndexes(t.Size)) || len(t.Frontier) != len(indexes) {
		return nil, errors.New("the trail of the last commit has no such nodes of the tree")
	}
	return t.Frontier, nil
}

// Stored is the head of a log and the trail of its last commit, as they are stored.
type Stored struct{ Head, trail, needs []byte }

// Read reads the head and the trail, and the values of other places, at once.
func Read(from store.Getter, others ...store.Place) (Stored, [][]byte, error) {
	raws, err := store.GetMany(from, append(store.Places(tableMeta, keyHead, keyTrail, keyNeeds), others...))
	if err != nil {
		return Stored{}, nil, err
	}
	return Stored{raws[0], raws[1], raws[2]}, raws[3:], nil
}

// Trail returns the trail, with what the log needs; the zero Trail before the first commit.
func (s Stored) Trail() (t Trail, err error) {
	if t, err = decodeTrail(s.trail); err == nil {
		t.needs, err = decodeNeeds(s.needs)
	}
	return t, err
}

// Leave leaves the trail of a commit of this process that comes after t, and returns it.
func (p *Pursuit) Leave(tx store.Tx, t Trail, c *order.Commit) (Trail, error) {
	next := Trail{Size: c.Head.Size, Number: t.Number + 1, Writer: p.me, Since: t.Since, Frontier: c.Head.Frontier}
	c.Number, c.Foreign = next.Number, t.Writer != p.me
	if c.Foreign {
		next.Since = next.Number
	}
	if err := tx.Put(tableMeta, keyTrail, next.encode()); err != nil {
		return next, err
	}
	if err := tx.Put(tableRing, slotOf(next.Number), slotRow(next.Number, namesOf(c))); err != nil {
		return next, err
	}
	grown := false
	if next.needs, grown = t.needs.with(p.knows.rules, c.Records); grown {
		return next, next.needs.put(tx)
	}
	return next, nil
}
