package ledger

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
	tableAudit  = "audit"
	tableHashes = "hashes"

	nodeSize  = len(audit.Hash{})
	mostNodes = 64 // the number of a record has 64 bits; a brace is 125
)

// numberKey orders numbers bytewise.
func numberKey(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func seqOf(key string) uint64 { return binary.BigEndian.Uint64([]byte(key)) }

// rowOf returns the row of a record and of the nodes that it completes.
func rowOf(record []byte, nodes []audit.StoredHash) []byte {
	row := append(make([]byte, 0, len(record)+len(nodes)*nodeSize+1), record...)
	for _, n := range nodes {
		row = append(row, n.Hash[:]...)
	}
	return append(row, byte(len(nodes)))
}

// splitRow returns the record and the nodes of a row. A row of a format before 7 has no nodes. Of a damaged one all is
// the record, which has no hash that the tree knows.
func splitRow(row []byte) (record, nodes []byte) {
	last := len(row) - 1
	if last < 0 || row[last] > mostNodes || last < int(row[last])*nodeSize {
		return row, nil
	}
	end := last - int(row[last])*nodeSize
	return row[:end:end], row[end:last]
}

// RecordOf returns the bytes of the record that a row of the table audit has.
func RecordOf(row []byte) []byte {
	record, _ := splitRow(row)
	return record
}

// readRow returns a record as it is stored, and nil where there is none.
func readRow(r store.Getter, seq uint64) ([]byte, error) {
	row, err := r.Get(tableAudit, numberKey(seq))
	return RecordOf(row), err
}

// scanRows visits the records from one number up to another, which is left out; 0 is the end of the log. raw is only
// valid during the visit.
func scanRows(r store.Reader, from, to uint64, visit func(seq uint64, raw []byte) error) error {
	end := ""
	if to != 0 {
		end = numberKey(to)
	}
	return r.Scan(tableAudit, numberKey(from), end, func(key string, row []byte) error {
		return visit(seqOf(key), RecordOf(row))
	})
}

// nodes reads the stored tree.
type nodes struct{ from store.Getter }

// ReadHashes makes nodes a tlog.HashReader.
func (n nodes) ReadHashes(indexes []int64) ([]audit.Hash, error) {
	keys := make([]string, len(indexes))
	for i, index := range indexes {
		keys[i] = rowWith(index)
	}
	rows, err := store.GetMany(n.from, tableAudit, keys)
	if err != nil {
		return nil, err
	}
	hashes := make([]audit.Hash, len(indexes))
	for i, index := range indexes {
		raw, err := n.nodeIn(rows[i], index)
		if err != nil {
			return nil, err
		}
		if len(raw) != nodeSize {
			return nil, fmt.Errorf("node %d of the tree is missing", index)
		}
		copy(hashes[i][:], raw)
	}
	return hashes, nil
}

// rowWith returns the key of the record that completes a node.
func rowWith(index int64) string {
	level, number := tlog.SplitStoredHashIndex(index)
	return numberKey(uint64(number+1)<<level - 1)
}

// nodeIn returns the bytes of a node, which its row has or which lie apart, and nil where it is not stored.
func (n nodes) nodeIn(row []byte, index int64) ([]byte, error) {
	level, _ := tlog.SplitStoredHashIndex(index)
	_, stored := splitRow(row)
	if stored == nil {
		return n.from.Get(tableHashes, numberKey(uint64(index)))
	}
	if len(stored) < (level+1)*nodeSize {
		return nil, nil
	}
	return stored[level*nodeSize : (level+1)*nodeSize], nil
}

// checkRow compares the nodes that a record completes with the stored ones. It reports whether they lie apart from the
// record, as formats before 7 keep them.
func checkRow(r store.Getter, seq uint64, stored []byte, completed []audit.StoredHash) (apart bool, err error) {
	if stored != nil && len(stored) != len(completed)*nodeSize {
		return false, damaged("record %d has %d nodes of the tree, not %d", seq, len(stored)/nodeSize, len(completed))
	}
	for i, n := range completed {
		var raw []byte
		if stored != nil {
			raw = stored[i*nodeSize : (i+1)*nodeSize]
		} else if raw, err = r.Get(tableHashes, numberKey(n.Index)); err != nil {
			return true, err
		}
		if !bytes.Equal(raw, n.Hash[:]) {
			return false, damaged("record %d was changed: node %d of the tree does not match", seq, n.Index)
		}
	}
	return stored == nil, nil
}
