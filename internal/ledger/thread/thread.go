// Package thread reads the records about a subject that had other names: several threads of the log as one.
package thread

import (
	"context"
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Thread selects records about a subject: those from the number From on, and before the number Until if that is not 0.
// A subject can have had its name from another one, and lose it again.
type Thread struct {
	Subject     string
	From, Until uint64
}

// All reports whether the thread has every record about its subject.
func (t Thread) All() bool { return t.From == 0 && t.Until == 0 }

// Has reports whether a record is one of the thread.
func (t Thread) Has(r audit.Record) bool {
	return r.Subject == t.Subject && r.Seq >= t.From && (t.Until == 0 || r.Seq < t.Until)
}

// Walk goes through the records of several threads, newest first.
type Walk struct {
	from store.Getter
	of   []Thread
	at   []uint64 // the next record of each thread; 0 where there is none
}

// NewWalk begins at the newest records with a number below end, or at the newest of all if end is 0.
func NewWalk(from store.Getter, of []Thread, end uint64) (*Walk, error) {
	w := &Walk{from: from, of: of, at: make([]uint64, len(of))}
	var before audit.Record // where a page begins is most often one of the records
	if end > 1 {
		var err error
		if _, before, err = ledger.RecordAt(from, end-1); err != nil {
			return nil, err
		}
	}
	for i, t := range of {
		last, err := ledger.LastAbout(from, t.Subject)
		if err != nil {
			return nil, err
		}
		if w.at[i] = last; before.Subject == t.Subject {
			w.at[i] = before.Seq
		}
		for w.at[i] != 0 && (w.at[i] < t.From || end != 0 && w.at[i] >= end || t.Until != 0 && w.at[i] >= t.Until) {
			if err := w.step(i); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// step moves a thread on to the record before.
func (w *Walk) step(i int) error {
	if w.at[i] <= w.of[i].From {
		w.at[i] = 0
		return nil
	}
	_, record, err := ledger.RecordAt(w.from, w.at[i])
	if w.at[i] = record.Prev; record.Prev < w.of[i].From {
		w.at[i] = 0
	}
	return err
}

// Next returns the number of the next record; 0 when there is none left.
func (w *Walk) Next() (seq uint64, err error) {
	newest := 0
	for i, at := range w.at {
		if at > w.at[newest] {
			newest = i
		}
	}
	if seq = w.at[newest]; seq != 0 {
		err = w.step(newest)
	}
	return seq, err
}

// mostPage is how many bytes a page has before it ends.
const mostPage = 4 << 20

// History reads limit records of several threads, newest first, as the ledger reads those about one subject.
func History(ctx context.Context, l *ledger.Ledger, of []Thread, before uint64, limit int) (ledger.Page, error) {
	if len(of) == 1 && of[0].All() {
		return l.History(ctx, of[0].Subject, before, limit)
	}
	page := ledger.Page{Head: l.Head()}
	err := l.View(ctx, func(r store.Reader) (err error) {
		p := page
		if before != 0 {
			err = checkCursor(r, of, before, p.Head.Size)
		}
		if err == nil {
			p.Total, err = count(r, of, p.Head.Size)
		}
		if err == nil {
			err = fill(&p, r, of, before, limit)
		}
		page = p
		return err
	})
	return page, err
}

// fill adds to a page the records before a number.
func fill(p *ledger.Page, r store.Reader, of []Thread, before uint64, limit int) error {
	w, err := NewWalk(r, of, before)
	if err != nil {
		return err
	}
	for size := 0; ; {
		seq, err := w.Next()
		switch {
		case err != nil || seq == 0:
			p.Next = 0
			return err
		case len(p.Records) == limit || size >= mostPage:
			return nil
		case seq >= p.Head.Size:
			continue // it is not published yet
		}
		raw, err := ledger.BytesAt(r, seq)
		if err != nil {
			return err
		}
		p.Records, p.Next, size = append(p.Records, raw), seq, size+len(raw)
	}
}

// count counts the published records of threads.
func count(r store.Reader, of []Thread, size uint64) (n uint64, err error) {
	w, err := NewWalk(r, of, size)
	for err == nil {
		var seq uint64
		if seq, err = w.Next(); seq == 0 {
			break
		}
		n++
	}
	return n, err
}

func checkCursor(r store.Reader, of []Thread, before, size uint64) error {
	if before < size {
		_, record, err := ledger.RecordAt(r, before)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(of, func(t Thread) bool { return t.Has(record) }) {
			return nil
		}
	}
	return fault.New(fault.Malformed, ledger.CodeCursor, "before names no record about %s", of[0].Subject).
		WithFix("follow next of the page before, or start without before")
}

// Numbers returns the numbers of a thread's records, oldest first, those that are not published yet included. It reads
// no record before the thread begins.
func Numbers(r store.Getter, of Thread) (seqs []uint64, err error) {
	w, err := NewWalk(r, []Thread{of}, 0)
	if err != nil {
		return nil, err
	}
	for { // a record names the one before it
		seq, err := w.Next()
		if err != nil {
			return nil, err
		}
		if seq == 0 {
			slices.Reverse(seqs)
			return seqs, nil
		}
		seqs = append(seqs, seq)
	}
}
