package wal

import "encoding/binary"

// AppendWrite appends one write of a payload: the lengths of table, key and value as varints, each before its bytes. A
// nil value, which deletes, has the length 0, and any other one more than it is long.
func AppendWrite(b []byte, table, key string, value []byte) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(table))), table...)
	b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
	if value == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(value))+1), value...)
}

// EachWrite visits the writes of a payload in their order. The values are parts of it. The error wraps ErrDamaged.
func (b Batch) EachWrite(visit func(table, key string, value []byte)) error {
	for rest := b.Payload; len(rest) > 0; {
		table, rest1, ok := cut(rest, 0)
		key, rest2, ok2 := cut(rest1, 0)
		if !ok || !ok2 || len(table) == 0 || len(key) == 0 || len(rest2) == 0 {
			return b.damaged(rest)
		}
		if rest2[0] == 0 {
			visit(string(table), string(key), nil)
			rest = rest2[1:]
			continue
		}
		value, rest3, ok := cut(rest2, 1)
		if !ok {
			return b.damaged(rest)
		}
		visit(string(table), string(key), value)
		rest = rest3
	}
	return nil
}

// damaged returns the error of a payload that is wrong where rest begins.
func (b Batch) damaged(rest []byte) error {
	return damaged("batch %d has a malformed write at byte %d", b.Number, len(b.Payload)-len(rest))
}

// cut takes a varint off b, and as many bytes as it says less extra.
func cut(b []byte, extra uint64) (part, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n < extra || n-extra > uint64(len(b)-size) {
		return nil, nil, false
	}
	end := size + int(n-extra)
	return b[size:end:end], b[end:], true
}
