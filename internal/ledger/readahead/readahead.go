// Package readahead reads records in a few round trips that are asked for one after the other: those that stand in a
// row in the log, and those about a subject, each of which names the one before it.
package readahead

import (
	"bytes"
	"strconv"
	"sync"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// How many records are read in one round trip: one at first, and more times as many where one leads to the next. After
// more bytes than large it is one again.
const (
	more  = 4
	most  = 256
	large = 1 << 20
)

// maxLinks is how many links each half of Links holds.
const maxLinks = 1 << 15

// Links remembers for each record the one before it about the same subject. A link is a hint: one that is missing or
// wrong costs a round trip. The zero value has none. It is safe for concurrent use.
type Links struct {
	mu         sync.Mutex
	young, old map[uint64]uint64 // the older half is forgotten when the younger is full
}

// Told remembers records.
func (l *Links) Told(records []audit.Record) {
	for _, r := range records {
		l.add(r.Seq, r.Prev)
	}
}

// add remembers that one record comes before another; 0 is none.
func (l *Links) add(seq, prev uint64) {
	if prev == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.young) >= maxLinks {
		l.young, l.old = nil, l.young
	}
	if l.young == nil {
		l.young = map[uint64]uint64{}
	}
	l.young[seq] = prev
}

// learn remembers what the row of a record says.
func (l *Links) learn(seq uint64, row []byte) {
	head, _, _ := bytes.Cut(rows.RecordOf(row), []byte(`,"data":`))
	_, after, found := bytes.Cut(head, []byte(`,"prev":`))
	number, _, _ := bytes.Cut(after, []byte(","))
	if prev, err := strconv.ParseUint(string(number), 10, 64); found && err == nil {
		l.add(seq, prev)
	}
}

// lead reports whether prev is known to be the record before seq about the same subject.
func (l *Links) lead(seq, prev uint64) bool {
	before := l.from(seq, 2)
	return len(before) == 2 && before[1] == prev
}

// from returns a record and those before it about the same subject, as far as they are known, n at most.
func (l *Links) from(seq uint64, n int) []uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []uint64{seq}
	for len(all) < n {
		prev, known := l.young[seq]
		if !known {
			prev, known = l.old[seq]
		}
		if !known {
			break
		}
		all, seq = append(all, prev), prev
	}
	return all
}

// Reader returns a reader that reads with a record those that are likely to be asked for next, and remembers what it
// reads. Where a call is no round trip, Reader returns r itself.
//
// Implements: ORC-389
func (l *Links) Reader(r store.Reader) store.Reader {
	if !isRemote(r) {
		return r
	}
	return &reader{Reader: r, links: l}
}

// isRemote reports whether each call of a reader is a round trip: who reads many at once says so.
func isRemote(r store.Reader) bool {
	_, many := r.(store.ManyGetter)
	return many
}

type reader struct {
	store.Reader
	links *Links
	last  uint64            // the record that was asked for last
	many  int               // how many records were read in the last round trip
	ahead map[string][]byte // the rows that were read in the last one, by key
}

// Get reads a record with those that are likely to be next, and everything else alone.
func (r *reader) Get(table, key string) ([]byte, error) {
	if table != rows.Table || len(key) != len(rows.Key(0)) {
		return r.Reader.Get(table, key)
	}
	before := r.last
	r.last = rows.SeqOf(key)
	if row, read := r.ahead[key]; read {
		return row, nil
	}
	wanted := r.wanted(before, r.last)
	places := make([]store.Place, len(wanted))
	for i, seq := range wanted {
		places[i] = store.Place{Table: table, Key: rows.Key(seq)}
	}
	found, err := store.GetMany(r.Reader, places)
	if err != nil {
		return nil, err
	}
	size := 0
	r.ahead, r.many = map[string][]byte{}, len(wanted)
	for i, row := range found {
		r.ahead[places[i].Key] = row
		r.links.learn(wanted[i], row)
		size += len(row)
	}
	if size > large {
		r.many = 0
	}
	return found[0], nil
}

// wanted returns a record and those that are likely to be asked for next: in the direction in which the log is being
// read, or else those before it about the same subject. A record to which the one before does not lead is read alone.
func (r *reader) wanted(before, seq uint64) (all []uint64) {
	many := uint64(max(1, min(more*r.many, most)))
	switch {
	case seq == before+1:
		for n := range many {
			all = append(all, seq+n)
		}
	case seq == before-1:
		for n := range min(many, seq+1) {
			all = append(all, seq-n)
		}
	case r.links.lead(before, seq):
		all = r.links.from(seq, int(many))
	default:
		all = []uint64{seq}
	}
	return all
}

// GetMany makes the reader a store.ManyGetter.
func (r *reader) GetMany(places []store.Place) ([][]byte, error) {
	return store.GetMany(r.Reader, places)
}

func (r *reader) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	if table != rows.Table {
		return r.Reader.Scan(table, from, to, visit)
	}
	return r.Reader.Scan(table, from, to, func(key string, row []byte) error {
		r.links.learn(rows.SeqOf(key), row)
		return visit(key, row)
	})
}
