// Package lookup finds requirements in the published state, and records in the log.
package lookup

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/thread"
)

// How much of the log one call looks through, and how much it returns: who asks for what is rare does not keep others
// waiting.
const (
	mostLooked      = 20_000   // records
	mostLookedBytes = 32 << 20 // of them
	mostPage        = 4 << 20  // bytes that are returned
)

// Records selects records of the log. A zero member selects all.
type Records struct {
	Kinds       []string        // any of them
	Actor       string          // the name of who acted; of folded refusals also of who was refused
	Requirement string          // that they are about
	Threads     []thread.Thread // under which it stands in the log; none is all records about Requirement
	Code        fault.Code
	Since       uint64    // the number of the first record that counts
	SinceTime   time.Time // the first record of then or later counts, and all behind it

	Newest bool   // newest first
	At     uint64 // the Next of the page before: the first record to look at or, newest first, the one behind it
	Limit  int    // records of a page, at least 1
}

// Find reads a page. What it looks through is bounded, so a page that has a Next may have few records, or none. How
// many match in all is not known: Total is 0.
//
// Implements: ORC-140
func (q Records) Find(ctx context.Context, l *ledger.Ledger) (ledger.Page, error) {
	s := search{Records: q, page: ledger.Page{Head: l.Head()}, needles: q.needles()}
	if q.Newest && q.At == 0 {
		s.At = s.page.Head.Size
	}
	var page ledger.Page
	err := l.View(ctx, func(r store.Reader) error {
		one := s
		one.from = r
		err := one.run()
		page = one.page
		return err
	})
	return page, err
}

// search is a search under way.
type search struct {
	Records
	from    store.Reader
	page    ledger.Page
	needles [][][]byte

	size          int // bytes of the page
	looked, bytes int // records and their bytes
}

func (s *search) run() error {
	if err := s.begin(); err != nil {
		return err
	}
	if s.Newest {
		return s.backward(min(s.At, s.page.Head.Size))
	}
	for at := max(s.At, s.Since); at < s.page.Head.Size; at++ {
		if s.full() {
			s.page.Next = at
			return nil
		}
		if _, err := s.look(at); err != nil {
			return err
		}
	}
	return nil
}

// begin finds the first record since a time. It halves the log, as if times never went back.
func (s *search) begin() (err error) {
	if s.SinceTime.IsZero() {
		return nil
	}
	first := sort.Search(int(s.page.Head.Size), func(i int) bool {
		_, rec, failed := ledger.RecordAt(s.from, uint64(i))
		if failed != nil {
			err = failed
		}
		return !rec.At.Before(s.SinceTime)
	})
	s.Since = max(s.Since, uint64(first))
	return err
}

// backward goes through the log, or straight from one record about the requirement that is looked for to the one
// before.
func (s *search) backward(at uint64) error {
	if s.Requirement != "" {
		return s.along(at)
	}
	for at > s.Since {
		if s.full() {
			s.page.Next = at
			return nil
		}
		at--
		if _, err := s.look(at); err != nil {
			return err
		}
	}
	return nil
}

// along goes through the records about a requirement.
func (s *search) along(at uint64) error {
	if at == 0 {
		return nil
	}
	walk, err := thread.NewWalk(s.from, s.threads(), at)
	for err == nil {
		var seq uint64
		if seq, err = walk.Next(); err != nil || seq == 0 || seq < s.Since {
			return err
		}
		if s.full() {
			s.page.Next = seq + 1
			return nil
		}
		_, err = s.look(seq)
	}
	return err
}

func (s *search) full() bool {
	return len(s.page.Records) >= s.Limit || s.size >= mostPage || s.looked >= mostLooked || s.bytes >= mostLookedBytes
}

// look adds a record to the page if it matches. It returns the zero value for one that is not decoded, since it cannot
// match.
func (s *search) look(at uint64) (audit.Record, error) {
	raw, err := ledger.BytesAt(s.from, at)
	if err != nil {
		return audit.Record{}, err
	}
	s.looked, s.bytes = s.looked+1, s.bytes+len(raw)
	for _, needles := range s.needles {
		if !slices.ContainsFunc(needles, func(needle []byte) bool { return bytes.Contains(raw, needle) }) {
			return audit.Record{}, nil
		}
	}
	rec, err := audit.Decode(raw)
	if err != nil {
		return rec, err
	}
	is, err := s.matches(s.from, rec)
	if is && err == nil {
		s.page.Records, s.size = append(s.page.Records, raw), s.size+len(raw)
	}
	return rec, err
}

// needles returns lists of texts. A record that matches has one of each list in its bytes, which are deterministic:
// most records can be told not to match without being decoded.
func (q Records) needles() (all [][][]byte) {
	add := func(texts ...[]byte) { all = append(all, texts) }
	if q.Requirement != "" {
		var subjects [][]byte
		for _, t := range q.threads() {
			subjects = append(subjects, member("subject", t.Subject))
		}
		add(subjects...)
	}
	if len(q.Kinds) > 0 {
		var kinds [][]byte
		for _, kind := range q.Kinds {
			kinds = append(kinds, member("kind", kind))
		}
		add(kinds...)
	}
	if q.Actor != "" {
		add(member("name", q.Actor))
	}
	if q.Code != "" {
		add(member("code", string(q.Code)), []byte(`"data":{"blob":`))
	}
	return all
}

func member(name, value string) []byte {
	raw, err := jsonv2.Marshal(value)
	if err != nil {
		raw = nil // a text that is not UTF-8 is in no record: what is left is compared in full
	}
	return append([]byte(`"`+name+`":`), raw...)
}

// matches reports whether a record is looked for.
func (q Records) matches(from store.Getter, rec audit.Record) (bool, error) {
	switch {
	case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, rec.Kind), q.Requirement != "" && !q.about(rec):
		return false, nil
	case q.Code == "" && (q.Actor == "" || q.Actor == rec.Actor.Name):
		return true, nil
	}
	refused, err := RefusalIn(from, rec)
	if err != nil || refused == nil {
		return false, err
	}
	return (q.Actor == "" || q.Actor == rec.Actor.Name || q.Actor == refused.By) &&
		(q.Code == "" || q.Code == refused.Code), nil
}

// about reports whether a record is about the requirement that is looked for.
func (q Records) about(rec audit.Record) bool {
	return slices.ContainsFunc(q.threads(), func(t thread.Thread) bool { return t.Has(rec) })
}

func (q Records) threads() []thread.Thread {
	if len(q.Threads) == 0 {
		return []thread.Thread{{Subject: q.Requirement}}
	}
	return q.Threads
}
