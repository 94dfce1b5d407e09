// Package readahead reads the records about a subject in a few round trips. Each names the one before it alone: without
// this they would be read one after the other, a round trip each.
package readahead

import (
	"bytes"
	"strconv"
	"sync"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// How many records are read at first, and at most, in one round trip.
const (
	first = 8
	most  = 64
)

// maxLinks is how many links each half of Links holds.
const maxLinks = 1 << 15

// Links remember of records which one comes before them about the same subject. They are hints: one that is missing or
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

// Reader returns a reader that reads with a record those before it that are known, and remembers what it reads.
//
// Implements: ORC-389
func (l *Links) Reader(r store.Reader) store.Reader { return &reader{Reader: r, links: l, next: first} }

type reader struct {
	store.Reader
	links *Links
	next  int               // how many records are read in the next round trip
	ahead map[string][]byte // the rows that were read in the last one, by key
}

// Get reads a record with those before it about the same subject, and everything else alone.
func (r *reader) Get(table, key string) ([]byte, error) {
	if table != rows.Table || len(key) != len(rows.Key(0)) {
		return r.Reader.Get(table, key)
	}
	if row, read := r.ahead[key]; read {
		return row, nil
	}
	known := r.links.from(rows.SeqOf(key), r.next)
	var places []store.Place
	for _, seq := range known {
		places = append(places, store.Place{Table: table, Key: rows.Key(seq)})
	}
	found, err := store.GetMany(r.Reader, places)
	if err != nil {
		return nil, err
	}
	r.next = min(2*r.next, most)
	r.ahead = map[string][]byte{}
	for i, row := range found {
		r.ahead[places[i].Key] = row
		r.links.learn(known[i], row)
	}
	return found[0], nil
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
