package ledger

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/audit"
	"orchestrator/internal/store"
)

// Verify recomputes the whole log from the stored record bytes: numbers without gap, times that never go
// back, every node of the tree, the root, the index by subject. replay is called with every
// record in order, and the head of the log after it.
// It returns the head, or the first thing that is wrong.
func (l *Ledger) Verify(ctx context.Context, replay func(store.Reader, audit.Record, audit.Head) error) (audit.Head, error) {
	var head audit.Head
	err := l.View(ctx, func(r store.Reader) error {
		stored, err := readHead(r)
		if err != nil {
			return err
		}
		var subjects uint64
		head, subjects, err = rebuild(ctx, r, replay)
		if err != nil {
			return err
		}
		if !head.Equal(stored) {
			return damaged("the log amounts to %d records with root %s; the stored head of %d with %s is another", head.Size, head.Root, stored.Size, stored.Root)
		}
		return checkCounts(r, head.Size, subjects)
	})
	return head, err
}

func rebuild(ctx context.Context, r store.Reader, replay func(store.Reader, audit.Record, audit.Head) error) (head audit.Head, subjects uint64, err error) {
	err = r.Scan(tableAudit, "", "", func(key string, raw []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := audit.Decode(raw)
		if err != nil {
			return damaged("record %d cannot be read", head.Size).Because(err)
		}
		if key != numberKey(head.Size) || record.Seq != head.Size {
			return damaged("record %d stands where record %d belongs", record.Seq, head.Size)
		}
		next, hashes, err := head.Seal(raw, record.At)
		if err != nil {
			return damaged("record %d", record.Seq).Because(err)
		}
		if err := checkNodes(r, record, hashes); err != nil {
			return err
		}
		if record.Subject != "" {
			subjects++
		}
		head = next
		return replay(r, record, head)
	})
	return head, subjects, err
}

func checkNodes(r store.Getter, record audit.Record, hashes []audit.StoredHash) error {
	for _, h := range hashes {
		raw, err := r.Get(tableHashes, numberKey(h.Index))
		if err != nil {
			return err
		}
		if string(raw) != string(h.Hash[:]) {
			return damaged("record %d was changed: node %d of the tree does not match", record.Seq, h.Index)
		}
	}
	if record.Subject == "" {
		return nil
	}
	entry, err := r.Get(tableSubjects, record.Subject+"\x00"+numberKey(record.Seq))
	if err == nil && entry == nil {
		err = damaged("record %d is missing from the index of %s", record.Seq, record.Subject)
	}
	return err
}

// checkCounts finds nodes and index entries that no record accounts for.
func checkCounts(r store.Reader, size, subjects uint64) error {
	for table, want := range map[string]uint64{
		tableHashes:   uint64(tlog.StoredHashCount(int64(size))),
		tableSubjects: subjects,
	} {
		var count uint64
		if err := r.Scan(table, "", "", func(string, []byte) error { count++; return nil }); err != nil {
			return err
		}
		if count != want {
			return damaged("table %s has %d entries; the log accounts for %d", table, count, want)
		}
	}
	return nil
}

// RootAt recomputes the root that the log had at an earlier size.
func (l *Ledger) RootAt(ctx context.Context, size uint64) (audit.Hash, error) {
	if head := l.Head(); size > head.Size {
		return audit.Hash{}, fmt.Errorf("the log has %d records, not %d", head.Size, size)
	}
	var root audit.Hash
	err := l.View(ctx, func(r store.Reader) error {
		h, err := audit.HeadAt(size, l.Head().At, nodes{r})
		root = h.Root
		return err
	})
	return root, err
}
