package report

import "strconv"

// ids are numbers by the ids of lines. Those that hooks write, 16 hexadecimal digits, take no room for their text.
type ids struct {
	hex   map[uint64]int32
	other map[string]int32
}

func newIDs() ids { return ids{map[uint64]int32{}, map[string]int32{}} }

func (i ids) len() int { return len(i.hex) + len(i.other) }

func (i ids) of(id string) (n int32, known bool) {
	if key, is := hexID(id); is {
		n, known = i.hex[key]
	} else {
		n, known = i.other[id]
	}
	return n, known
}

func (i ids) set(id string, n int32) {
	if key, is := hexID(id); is {
		i.hex[key] = n
	} else {
		i.other[id] = n
	}
}

// hexID returns the number that 16 lower-case hexadecimal digits are; any other id is none.
func hexID(id string) (n uint64, is bool) {
	if len(id) != 16 {
		return 0, false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(id, 16, 64)
	return n, err == nil
}
