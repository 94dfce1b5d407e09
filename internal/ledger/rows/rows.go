// Package rows keeps the records of a log with the nodes of the tree that they complete.
package rows

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// The table audit has a row for each record, under its number:
//
//	the bytes of the record, which are what was hashed
//	32 bytes for each node of the tree that the record completes, from the leaf up
//	1 byte: how many nodes
//
// In a table of their own, the nodes would add two or three pages to what each update writes. Formats up to 6 have such
// a table, hashes, with each node under its number; a row of theirs is the record alone, which ends with a brace.
const (
	Table  = "audit"
	Hashes = "hashes"

	NodeSize  = len(audit.Hash{})
	MostNodes = 64 // the number of a record has 64 bits; a brace is 125
)

// Key orders numbers bytewise.
func Key(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func SeqOf(key string) uint64 { return binary.BigEndian.Uint64([]byte(key)) }

// Of returns the row of a record and of the nodes that it completes.
func Of(record []byte, nodes []audit.StoredHash) []byte {
	row := append(make([]byte, 0, len(record)+len(nodes)*NodeSize+1), record...)
	for _, n := range nodes {
		row = append(row, n.Hash[:]...)
	}
	return append(row, byte(len(nodes)))
}

// Split returns the record and the nodes of a row. A row of a format before 7 has no nodes. Of a damaged one all is
// the record, which has no hash that the tree knows.
func Split(row []byte) (record, nodes []byte) {
	last := len(row) - 1
	if last < 0 || row[last] > MostNodes || last < int(row[last])*NodeSize {
		return row, nil
	}
	end := last - int(row[last])*NodeSize
	return row[:end:end], row[end:last]
}

// RecordOf returns the bytes of the record that a row of the table audit has.
func RecordOf(row []byte) []byte {
	record, _ := Split(row)
	return record
}

// Places returns the places of the records from one number up to another.
func Places(from, to uint64) []store.Place {
	places := make([]store.Place, 0, to-from)
	for seq := from; seq < to; seq++ {
		places = append(places, store.Place{Table: Table, Key: Key(seq)})
	}
	return places
}

// Read returns a record as it is stored, and nil where there is none.
func Read(r store.Getter, seq uint64) ([]byte, error) {
	row, err := r.Get(Table, Key(seq))
	return RecordOf(row), err
}

// Scan visits the records from one number up to another, which is left out; 0 is the end of the log. raw is only
// valid during the visit.
func Scan(r store.Reader, from, to uint64, visit func(seq uint64, raw []byte) error) error {
	end := ""
	if to != 0 {
		end = Key(to)
	}
	return r.Scan(Table, Key(from), end, func(key string, row []byte) error {
		return visit(SeqOf(key), RecordOf(row))
	})
}

// Nodes reads the stored tree.
type Nodes struct{ From store.Getter }

// ReadHashes makes Nodes a tlog.HashReader.
func (n Nodes) ReadHashes(indexes []int64) ([]audit.Hash, error) {
	places := make([]store.Place, len(indexes))
	for i, index := range indexes {
		places[i] = store.Place{Table: Table, Key: rowWith(index)}
	}
	rows, err := store.GetMany(n.From, places)
	if err != nil {
		return nil, err
	}
	hashes := make([]audit.Hash, len(indexes))
	for i, index := range indexes {
		raw, err := n.nodeIn(rows[i], index)
		if err != nil {
			return nil, err
		}
		if len(raw) != NodeSize {
			return nil, fmt.Errorf("node %d of the tree is missing", index)
		}
		copy(hashes[i][:], raw)
	}
	return hashes, nil
}

// rowWith returns the key of the record that completes a node.
func rowWith(index int64) string {
	level, number := tlog.SplitStoredHashIndex(index)
	return Key(uint64(number+1)<<level - 1)
}

// nodeIn returns the bytes of a node, which its row has or which lie apart, and nil where it is not stored.
func (n Nodes) nodeIn(row []byte, index int64) ([]byte, error) {
	level, _ := tlog.SplitStoredHashIndex(index)
	_, stored := Split(row)
	if stored == nil {
		return n.From.Get(Hashes, Key(uint64(index)))
	}
	if len(stored) < (level+1)*NodeSize {
		return nil, nil
	}
	return stored[level*NodeSize : (level+1)*NodeSize], nil
}

// Check compares the nodes that a record completes with the stored ones. It reports whether they lie apart from the
// record, as formats before 7 keep them.
func Check(r store.Getter, seq uint64, stored []byte, completed []audit.StoredHash) (apart bool, err error) {
	if stored != nil && len(stored) != len(completed)*NodeSize {
		return false, store.Damaged(
			"record %d has %d nodes of the tree, not %d",
			seq,
			len(stored)/NodeSize,
			len(completed),
		)
	}
	for i, n := range completed {
		var raw []byte
		if stored != nil {
			raw = stored[i*NodeSize : (i+1)*NodeSize]
		} else if raw, err = r.Get(Hashes, Key(n.Index)); err != nil {
			return true, err
		}
		if !bytes.Equal(raw, n.Hash[:]) {
			return false, store.Damaged("record %d was changed: node %d of the tree does not match", seq, n.Index)
		}
	}
	return stored == nil, nil
}
