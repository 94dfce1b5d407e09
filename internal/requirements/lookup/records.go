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
	Kinds       []string // any of them
	Actor       string   // the name of who acted; of folded refusals also of who was refused
	Requirement string   // that they are about
	Code        fault.Code
	Since       uint64    // the number of the first record that counts
	SinceTime   time.Time // the first record of then or later counts, and all behind it

	Newest bool   // newest first
	At     uint64 // the Next of the page before: the first record to look at or, newest first, the one behind it
	Limit  int    // records of a page, at least 1
}

// Find reads a page. What it looks through is bounded, so a page that has a Next may have few records, or none. How many
// match in all is not known: Total is 0.
func (q Records) Find(ctx context.Context, l *ledger.Ledger) (ledger.Page, error) {
	s := search{Records: q, page: ledger.Page{Head: l.Head()}, needles: q.needles()}
	if q.Newest && q.At == 0 {
		last, err := lastRecord(ctx, l, q.Requirement)
		if err != nil {
			return ledger.Page{}, err
		}
		s.At = last
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

// lastRecord returns the number behind the last record, or behind the last one about a requirement.
func lastRecord(ctx context.Context, l *ledger.Ledger, requirement string) (uint64, error) {
	if requirement == "" {
		return l.Head().Size, nil
	}
	page, err := l.History(ctx, requirement, 0, 1)
	if err != nil || len(page.Records) == 0 {
		return 0, err
	}
	last, err := audit.Decode(page.Records[0])
	return last.Seq + 1, err
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
		rec, failed := ledger.RecordAt(s.from, uint64(i))
		if failed != nil {
			err = failed
		}
		return !rec.At.Before(s.SinceTime)
	})
	s.Since = max(s.Since, uint64(first))
	return err
}

// backward goes from a record about the requirement that is looked for straight to the one before it.
func (s *search) backward(at uint64) error {
	for at > s.Since {
		if s.full() {
			s.page.Next = at
			return nil
		}
		at--
		rec, err := s.look(at)
		if err != nil {
			return err
		}
		if s.Requirement != "" && rec.Subject == s.Requirement {
			if rec.Prev == 0 { // it is the first: record 0 is about nothing
				return nil
			}
			at = rec.Prev + 1
		}
	}
	return nil
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
	if q.Requirement != "" { // by decoding those it is found which one was before
		add(member("subject", q.Requirement))
		return all
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
	case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, rec.Kind), q.Requirement != "" && rec.Subject != q.Requirement:
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
