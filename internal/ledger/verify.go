package ledger

import (
	"context"
	"fmt"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// Verify recomputes the whole log from the stored record bytes: numbers without gap, times that never go
// back, every node of the tree, the root, the threads of the subjects. replay is called with every record in
// order, as read made it of the record, and with the head of the log after it. Verify returns the head, or the first
// thing that is wrong. All but replay is done ahead, on a goroutine of its own. The log is read in short transactions:
// a long one would hold back the writers of a store that others use.
func Verify[T any](ctx context.Context, l *Ledger, read func(store.Getter, audit.Record) T,
	replay func(T, audit.Head) error) (audit.Head, error) {
	log := rebuilt{threads: audit.Threads{}}
	err := inTwoSteps(maxAhead, func(yield func(step[T]) bool) error {
		for {
			page, err := nextPage(ctx, l, &log, read)
			for _, s := range page {
				if err := log.threads.Follow(s.record); err != nil {
					return store.Damaged("%v", err)
				}
				if !yield(s) {
					return nil
				}
			}
			if err != nil || len(page) == 0 {
				return err
			}
		}
	}, func(s step[T]) error {
		return store.Call(func(s step[T]) error { return replay(s.read, s.head) }, s)
	})
	return log.head, err
}

// step is one record of Verify.
type step[T any] struct {
	record audit.Record
	read   T
	head   audit.Head // with the record
}

// nextPage reads the records that come next, a few, even with an error. After the last one, where there is none, it
// holds the end of the log and the tables against what was read.
func nextPage[T any](ctx context.Context, l *Ledger, log *rebuilt, read func(store.Getter, audit.Record) T) ([]step[T],
	error) {
	var page []step[T]
	var next rebuilt
	err := l.View(ctx, func(r store.Reader) error {
		page, next = nil, *log
		err := r.Scan(rows.Table, rows.Key(next.head.Size), "", func(key string, row []byte) error {
			record, err := next.next(r, key, row)
			if err != nil {
				return err
			}
			if page = append(page, step[T]{record, read(r, record), next.head}); len(page) == maxAhead {
				return store.ErrStop
			}
			return nil
		})
		if err == nil && len(page) == 0 {
			err = next.checkEnd(r)
		}
		return err
	})
	*log = next
	return page, err
}

// maxAhead is how many records Verify reads ahead of the one that is replayed.
const maxAhead = 64

// maxVerified is how many records VerifyFrom reads in one transaction: a long read holds pages back from all writers.
const maxVerified = 5000

// VerifyFrom checks the records from a head on that was verified before (the zero head is the whole log) against the
// stored tree, shows each to visit, and returns the head it got to. Tables are not looked at; Verify does that.
func (l *Ledger) VerifyFrom(ctx context.Context, from audit.Head, visit func(audit.Record)) (audit.Head, error) {
	for {
		log := rebuilt{head: from}
		var records []audit.Record
		err := l.View(ctx, func(r store.Reader) error {
			log.head, records = from, nil
			return log.readSome(ctx, r, func(record audit.Record) { records = append(records, record) })
		})
		for _, record := range records {
			visit(record)
		}
		if err != nil || len(records) < maxVerified {
			return log.head, err
		}
		from = log.head
	}
}

// readSome reads up to maxVerified records from the head on.
func (l *rebuilt) readSome(ctx context.Context, r store.Reader, visit func(audit.Record)) error {
	read := 0
	err := r.Scan(rows.Table, rows.Key(l.head.Size), "", func(key string, row []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := l.next(r, key, row)
		if err != nil {
			return err
		}
		visit(record)
		if read++; read == maxVerified {
			return store.ErrStop
		}
		return nil
	})
	if err == nil && read < maxVerified {
		err = l.checkEndOf(r)
	}
	return err
}

// checkEnd holds all that lies beside the records against them.
func (l *rebuilt) checkEnd(r store.Reader) error {
	if err := l.checkEndOf(r); err != nil {
		return err
	}
	return l.checkTables(r)
}

// checkEndOf holds the log that was read to its end against the stored head.
func (l *rebuilt) checkEndOf(r store.Getter) error {
	stored, err := storedMark(r)
	if err == nil && !l.head.Equal(stored.Head) {
		err = store.Damaged("the log amounts to %d records with root %s; the stored head of %d with %s is another",
			l.head.Size, l.head.Root, stored.Size, stored.Root)
	}
	return err
}

// rebuilt is the log as its record bytes amount to it.
type rebuilt struct {
	head    audit.Head
	threads audit.Threads
	apart   int // how many nodes of the tree lie apart from their records
}

// next adds the record whose row stands at a key, and checks it against the stored tree.
func (l *rebuilt) next(r store.Getter, key string, row []byte) (audit.Record, error) {
	raw, stored := rows.Split(row)
	record, head, nodes, err := l.head.Next(raw)
	if err == nil && key != rows.Key(record.Seq) {
		err = fmt.Errorf("record %d stands where another belongs", record.Seq)
	}
	if err != nil {
		return record, store.Damaged("%v", err)
	}
	l.head = head
	apart, err := rows.Check(r, record.Seq, stored, nodes)
	if apart {
		l.apart += len(nodes)
	}
	return record, err
}

// checkTables finds threads that differ, and nodes and threads that no record accounts for.
func (l *rebuilt) checkTables(r store.Reader) error {
	found := map[string]int{}
	if err := r.Scan(rows.Hashes, "", "", func(string, []byte) error { found[rows.Hashes]++; return nil }); err != nil {
		return err
	}
	err := threads.Scan(r, func(subject string, _ []byte, t audit.Thread) error {
		found[tableSubjects]++
		if t != l.threads[subject] {
			return store.Damaged("the last record about %q is %d of %d, not %d of %d", subject, l.threads[subject].Last,
				l.threads[subject].Count, t.Last, t.Count)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for table, want := range map[string]int{rows.Hashes: l.apart, tableSubjects: len(l.threads)} {
		if found[table] != want {
			return store.Damaged("table %s has %d entries; the log accounts for %d", table, found[table], want)
		}
	}
	return nil
}

// CheckSums holds the tables against their stored check sums. It says which table differs, and not where; call it
// when what the tables should hold has been compared.
func (l *Ledger) CheckSums(ctx context.Context) error {
	return l.View(ctx, func(r store.Reader) error {
		m, err := storedMark(r)
		if err != nil {
			return err
		}
		return m.Sums.check(r)
	})
}

// RootAt recomputes the root that the log had at an earlier size.
func (l *Ledger) RootAt(ctx context.Context, size uint64) (audit.Hash, error) {
	if head := l.Head(); size > head.Size {
		return audit.Hash{}, fmt.Errorf("the log has %d records, not %d", head.Size, size)
	}
	var root audit.Hash
	err := l.View(ctx, func(r store.Reader) error {
		h, err := audit.HeadAt(size, l.Head().At, rows.Nodes{From: r})
		root = h.Root
		return err
	})
	return root, err
}
