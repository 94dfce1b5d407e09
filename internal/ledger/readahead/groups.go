package readahead

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"orchestrator/internal/ledger/store"
)

// maxGroups is how many groups are read in one round trip.
const maxGroups = 32

// Groups returns a reader for visiting groups of rows in descending order. It reads all rows of a group, and then those
// of several groups, in one round trip. The keys of a group begin with the prefix and the number of the group, in eight
// hexadecimal digits. After more bytes than large it reads nothing ahead. Where a call is no round trip, Groups returns
// r itself.
//
// Implements: ORC-389
func Groups(r store.Reader, table, prefix string) store.Reader {
	if !isRemote(r) {
		return r
	}
	return &groups{Reader: r, table: table, prefix: prefix, next: 1}
}

type groups struct {
	store.Reader
	table, prefix string

	first, end uint64 // the numbers of the groups whose rows are here; the end is left out
	rows       []row  // of these, in the order of their keys
	next       int    // how many groups are read next, if it is the one before
	off        bool   // they were large
}

type row struct {
	key   string
	value []byte
}

// GetMany makes groups a store.ManyGetter.
func (g *groups) GetMany(places []store.Place) ([][]byte, error) {
	return store.GetMany(g.Reader, places)
}

func (g *groups) Get(table, key string) ([]byte, error) {
	rows, held, err := g.groupOf(table, key)
	if err != nil {
		return nil, err
	}
	if !held {
		return g.Reader.Get(table, key)
	}
	if at := find(rows, key); at < len(rows) && rows[at].key == key {
		return rows[at].value, nil
	}
	return nil, nil
}

func (g *groups) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	first, _ := g.numberOf(table, from)
	if last, is := g.numberOf(table, to); !is || last != first {
		return g.Reader.Scan(table, from, to, visit)
	}
	rows, held, err := g.groupOf(table, from)
	if err != nil {
		return err
	}
	if !held {
		return g.Reader.Scan(table, from, to, visit)
	}
	for at := find(rows, from); at < len(rows) && rows[at].key < to; at++ {
		if err := visit(rows[at].key, rows[at].value); errors.Is(err, store.ErrStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// groupOf returns rows that include those of the group of a key. held is false where they are read one by one.
func (g *groups) groupOf(table, key string) (rows []row, held bool, err error) {
	n, is := g.numberOf(table, key)
	if !is {
		return nil, false, nil
	}
	rows, err = g.load(n)
	return rows, err == nil && !g.off, err
}

// find returns where the first row is whose key is not before another.
func find(rows []row, key string) int {
	return sort.Search(len(rows), func(i int) bool { return rows[i].key >= key })
}

// load returns the rows of a group, and of those before it that are likely to be looked at next. There are none where
// the reader reads ahead no more.
func (g *groups) load(n uint64) ([]row, error) {
	if g.off || n >= g.first && n < g.end {
		return g.rows, nil
	}
	if n+1 != g.first {
		g.next = 1
	}
	size := 0
	first, end, rows := n-min(n, uint64(g.next-1)), n+1, []row(nil)
	err := g.Reader.Scan(g.table, g.begin(first), g.begin(end), func(key string, value []byte) error {
		rows, size = append(rows, row{key, value}), size+len(key)+len(value)
		if g.off = size > large; g.off {
			return store.ErrStop
		}
		return nil
	})
	if err != nil || g.off {
		g.first, g.end, g.rows = 0, 0, nil
		return nil, err
	}
	g.first, g.end, g.rows, g.next = first, end, rows, min(2*g.next, maxGroups)
	return rows, nil
}

// begin returns where the keys of a group begin.
func (g *groups) begin(n uint64) string { return fmt.Sprintf("%s%08x", g.prefix, n) }

// numberOf returns the number of the group that a key belongs to, if it belongs to one.
func (g *groups) numberOf(table, key string) (n uint64, is bool) {
	const digits = 8
	rest, is := strings.CutPrefix(key, g.prefix)
	if table != g.table || !is || len(rest) < digits {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[:digits], 16, 32)
	// The last number has no group after it at which a Scan could end.
	return n, err == nil && n != math.MaxUint32 && strings.HasPrefix(key, g.begin(n))
}
