package following

import (
	"encoding/binary"

	"orchestrator/internal/ledger/order"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// tableSpent has what actors have spent; who has is known anew when another process has charged them.
const tableSpent = "spent"

// slotOf returns the key of a commit in the ring.
func slotOf(number uint64) string { return rows.Key(number % ringSize) }

// slotRow returns the row of a commit in the ring.
func slotRow(number uint64, names []store.Place) []byte {
	row := binary.BigEndian.AppendUint64(nil, number)
	for _, n := range names {
		for _, part := range []string{n.Table, n.Key} {
			row = append(binary.AppendUvarint(row, uint64(len(part))), part...)
		}
	}
	return row
}

// namesIn returns the names in the row of a commit.
func namesIn(row []byte, number uint64) (names []store.Place, err error) {
	if len(row) < 8 || binary.BigEndian.Uint64(row) != number {
		return nil, store.Damaged("the names of what commit %d wrote are missing", number)
	}
	for rest := row[8:]; len(rest) > 0; {
		var n store.Place
		for _, part := range []*string{&n.Table, &n.Key} {
			size, read := binary.Uvarint(rest)
			if read <= 0 || size > uint64(len(rest)-read) {
				return nil, store.Damaged("the names of what commit %d wrote cannot be read", number)
			}
			*part, rest = string(rest[read:read+int(size)]), rest[read+int(size):]
		}
		names = append(names, n)
	}
	return names, nil
}

// namesOf returns the names of what a commit writes, each once.
func namesOf(c *order.Commit) []store.Place {
	seen := make(map[store.Place]bool, len(c.Writes)+1)
	names := make([]store.Place, 0, len(c.Writes)+1)
	add := func(n store.Place) {
		if !seen[n] {
			seen[n], names = true, append(names, n)
		}
	}
	for _, w := range c.Writes {
		add(store.Place{Table: w.Table, Key: w.Key})
	}
	if c.Spender != "" {
		add(store.Place{Table: tableSpent, Key: c.Spender})
	}
	return names
}

// slotsBetween returns where the names lie that the commits behind one, up to another, have left.
func slotsBetween(number, last uint64) (slots []store.Place) {
	for n := number + 1; n <= last; n++ {
		slots = append(slots, store.Place{Table: tableRing, Key: slotOf(n)})
	}
	return slots
}

// namesFrom returns the keys of what was written by the commits behind one, by table, from the rows that they left.
func namesFrom(found [][]byte, number uint64) (map[string][]string, error) {
	seen, keys := map[store.Place]bool{}, map[string][]string{}
	for i, row := range found {
		names, err := namesIn(row, number+1+uint64(i))
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if !seen[n] {
				seen[n], keys[n.Table] = true, append(keys[n.Table], n.Key)
			}
		}
	}
	return keys, nil
}
