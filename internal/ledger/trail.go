package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sync/atomic"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// On a store that several processes share, each commit leaves a trail by which the others follow it: where the log
// stands, and what was written. As the table spent, it says nothing of the state, is not accounted for by the log, and
// has no check sum. A store of one process has none of it.
//
//	meta, trail        the trail of the last commit
//	meta, needs        what a program must know to write to this log
//	ring, slot number  the number of a commit and the names of what it wrote; ringSize commits have slots
const (
	keyTrail  = "trail"
	keyNeeds  = "needs"
	tableRing = "ring"

	ringSize = 4096
)

// trail says which commit was the last, and has what the next one needs of the tree.
type trail struct {
	Size     uint64       // of the log after the commit
	Number   uint64       // of the commit; the first that left a trail has the number 1
	Writer   uint64       // the process that made it
	Since    uint64       // the number of the first commit in a row that this process has made
	Frontier []audit.Hash // of the head of the log
}

const trailNumbers = 4 * 8 // bytes

func (t trail) encode() []byte {
	raw := make([]byte, 0, trailNumbers+len(t.Frontier)*nodeSize)
	for _, n := range []uint64{t.Size, t.Number, t.Writer, t.Since} {
		raw = binary.BigEndian.AppendUint64(raw, n)
	}
	for _, h := range t.Frontier {
		raw = append(raw, h[:]...)
	}
	return raw
}

// decodeTrail reads what encode has returned; nil is the zero trail.
func decodeTrail(raw []byte) (t trail, err error) {
	if raw == nil {
		return t, nil
	}
	if len(raw) < trailNumbers || (len(raw)-trailNumbers)%nodeSize != 0 {
		return t, damaged("table meta, key %q cannot be read", keyTrail)
	}
	for i, n := range []*uint64{&t.Size, &t.Number, &t.Writer, &t.Since} {
		*n = binary.BigEndian.Uint64(raw[8*i:])
	}
	for node := range slices.Chunk(raw[trailNumbers:], nodeSize) {
		t.Frontier = append(t.Frontier, audit.Hash(node))
	}
	return t, nil
}

// ReadHashes makes a trail the tlog.HashReader of its own frontier.
func (t trail) ReadHashes(indexes []int64) ([]audit.Hash, error) {
	if !slices.Equal(indexes, audit.FrontierIndexes(t.Size)) || len(t.Frontier) != len(indexes) {
		return nil, errors.New("it has no such nodes of the tree")
	}
	return t.Frontier, nil
}

// next returns the trail of a writer's commit that comes after t.
func (t trail) next(writer uint64, head audit.Head) trail {
	after := trail{Size: head.Size, Number: t.Number + 1, Writer: writer, Since: t.Since, Frontier: head.Frontier}
	if t.Writer != writer || t.Number == 0 {
		after.Since = after.Number
	}
	return after
}

// name is where an entry lies.
type name struct{ table, key string }

// slotOf returns the key of a commit in the ring.
func slotOf(number uint64) string { return numberKey(number % ringSize) }

// slotRow returns the row of a commit in the ring.
func slotRow(number uint64, names []name) []byte {
	row := binary.BigEndian.AppendUint64(nil, number)
	for _, n := range names {
		for _, part := range []string{n.table, n.key} {
			row = append(binary.AppendUvarint(row, uint64(len(part))), part...)
		}
	}
	return row
}

// namesIn returns the names in the row of a commit.
func namesIn(row []byte, number uint64) (names []name, err error) {
	if len(row) < 8 || binary.BigEndian.Uint64(row) != number {
		return nil, damaged("the names of what commit %d wrote are missing", number)
	}
	for rest := row[8:]; len(rest) > 0; {
		var n name
		for _, part := range []*string{&n.table, &n.key} {
			size, read := binary.Uvarint(rest)
			if read <= 0 || size > uint64(len(rest)-read) {
				return nil, damaged("the names of what commit %d wrote cannot be read", number)
			}
			*part, rest = string(rest[read:read+int(size)]), rest[read+int(size):]
		}
		names = append(names, n)
	}
	return names, nil
}

// namesOf returns the names of what an update wrote, each once.
func namesOf(writes []Write, spender string) []name {
	seen := make(map[name]bool, len(writes)+1)
	names := make([]name, 0, len(writes)+1)
	add := func(n name) {
		if !seen[n] {
			seen[n], names = true, append(names, n)
		}
	}
	for _, w := range writes {
		add(name{w.Table, w.Key})
	}
	if spender != "" {
		add(name{tableSpent, spender})
	}
	return names
}

// place is where the log stands. In a store of one process it is the mark alone.
type place struct {
	mark
	trail
	needs needs
}

// readPlace reads all that a commit left of itself on a store that is shared, at once. last is what an update of this
// process wrote last, and may hold nil. An empty store has the zero place.
func readPlace(from store.Getter, last *atomic.Pointer[encodedMark]) (p place, err error) {
	raws, err := store.GetMany(from, tableMeta, []string{keyHead, keyTrail, keyNeeds})
	if err != nil {
		return p, err
	}
	if known := last.Load(); known != nil && bytes.Equal(known.raw, raws[0]) {
		return known.place, nil
	}
	if p.trail, err = decodeTrail(raws[1]); err != nil {
		return p, err
	}
	if p.needs, err = decodeNeeds(raws[2]); err != nil || raws[0] == nil {
		return p, err
	}
	p.mark, err = p.bearOut(from, raws[0])
	return p, err
}

// bearOut decodes a mark, of which it has the frontier; before the first commit that left a trail, the tree has it.
func (t trail) bearOut(from store.Getter, raw []byte) (mark, error) {
	if t.Number == 0 {
		return decodeMark(nodes{from}, raw)
	}
	m, err := decodeMark(t, raw)
	if err != nil {
		err = damaged("the head of the log and what the last commit left of itself differ").Because(err)
	}
	return m, err
}

// leave leaves the trail of an update that has appended its records, and returns where the log stands with it.
func (p *pursuit) leave(tx *Tx, c *Commit) (after place, err error) {
	after = place{mark: mark{Head: tx.head, Sums: tx.sums}, trail: tx.before.next(p.me, tx.head)}
	c.number, c.foreign = after.Number, tx.before.Writer != p.me
	if err := tx.store.Put(tableMeta, keyTrail, after.encode()); err != nil {
		return after, err
	}
	row := slotRow(after.Number, namesOf(c.Writes, c.spender))
	if err := tx.store.Put(tableRing, slotOf(after.Number), row); err != nil {
		return after, err
	}
	var grown bool
	if after.needs, grown = tx.before.needs.with(p.knows.rules, tx.records); grown {
		err = putNeeds(tx.store, after.needs)
	}
	return after, err
}
