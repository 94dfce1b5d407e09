package ledger

import (
	"bytes"
	"context"
	"iter"
	"maps"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/store"
)

// Builder fills an empty store with a log that was kept elsewhere, record by record, and with the tables that the
// log amounts to. What it leaves is what the ledger itself would have left, byte for byte: records, nodes of the
// tree, threads of the subjects, data beside the log, tables with their check sums, head and format. The format is that
// of this program, in whichever one the log began.
//
// It checks what the ledger must be able to rely on (numbers without gap, times that never go back, the chain of each
// subject, data that has its digest), and nothing of what the records mean: who builds replays them. The store can
// be opened only after Finish; Open refuses what a Builder left unfinished. Memory is bounded by one batch. After
// an error the Builder is of no further use. It is not safe for concurrent use.
type Builder struct {
	store store.Store
	blobs store.Getter

	head  audit.Head // of what was written
	sums  sums
	kinds following.Kinds // of the records

	records []pending
	entries []Write
	size    int // bytes of both

	maxEntries, maxBytes int // of a batch
}

// pending is a record that waits to be written, with the data that lies beside it.
type pending struct {
	raw    []byte
	record audit.Record
	digest string
	data   []byte
}

// NewBuilder begins to fill a store, which must be empty. Data too large for a record is read from blobs: table
// "blobs", keyed by its SHA-256 in hexadecimal.
func NewBuilder(ctx context.Context, s store.Store, blobs store.Getter) (*Builder, error) {
	err := s.View(ctx, func(r store.Reader) error {
		if checkEmpty(r) != nil {
			return fault.New(fault.Conflict, "store_not_empty", "the database that is to be filled is not empty").
				WithFix("give a place where there is no database yet")
		}
		return nil
	})
	return &Builder{store: s, blobs: blobs, sums: sums{}, maxEntries: 4096, maxBytes: 8 << 20}, err
}

// Append adds the next record of the log, given as the bytes that were hashed. They are copied.
func (b *Builder) Append(ctx context.Context, raw []byte) error {
	raw = bytes.Clone(raw)
	seq := b.head.Size + uint64(len(b.records))
	record, err := audit.Decode(raw)
	if err != nil {
		return unfit("record %d cannot be read", seq).Because(err)
	}
	if record.Seq != seq {
		return unfit("record %d stands where record %d belongs", record.Seq, seq)
	}
	if seq == 0 {
		if err := CheckFirst(record); err != nil {
			return err
		}
	}
	p := pending{raw: raw, record: record}
	if p.digest = BlobOf(record); p.digest != "" {
		if p.data, err = blob(b.blobs, p.digest); err != nil {
			return unfit("record %d names data that is not there", seq).Because(err)
		}
	}
	b.records = append(b.records, p)
	b.kinds.Add(record)
	return b.grow(ctx, len(raw)+len(p.data))
}

// CheckFirst makes sure that the first record of a log says that the log began in a format that this program knows.
// fault.Unavailable means that it began in another.
func CheckFirst(record audit.Record) error {
	var f format
	if record.Kind != KindCreated || decode(record.Data, &f) != nil {
		return unfit("record 0 is of kind %q, not %s", record.Kind, KindCreated)
	}
	return checkFormat("log", f.Format, Oldest)
}

// Fill writes the entries of one table, each key once. A table that has no entry left is named all the same, since
// the ledger keeps the check sum of every table that was ever written to. Keys in ascending order make the smallest
// file. The values become the store's; do not change them.
func (b *Builder) Fill(ctx context.Context, table string, entries iter.Seq2[string, []byte]) error {
	if _, named := b.sums[table]; !named {
		b.sums[table] = 0
	}
	for key, value := range entries {
		b.entries = append(b.entries, Write{Table: table, Key: key, Value: value})
		if err := b.grow(ctx, len(key)+len(value)); err != nil {
			return err
		}
	}
	return nil
}

// grow counts an entry, and writes the batch when that has filled it.
func (b *Builder) grow(ctx context.Context, size int) error {
	b.size += size
	if b.size < b.maxBytes && len(b.records)+len(b.entries) < b.maxEntries {
		return nil
	}
	return b.flush(ctx)
}

// flush writes the batch in one transaction.
func (b *Builder) flush(ctx context.Context) error {
	var head audit.Head
	var after sums
	err := b.store.Update(ctx, func(stx store.Tx) error {
		tx := &Tx{store: stx, head: b.head, sums: maps.Clone(b.sums)}
		for _, p := range b.records {
			if err := tx.takeOver(p); err != nil {
				return err
			}
		}
		for _, w := range b.entries {
			if err := tx.takeEntry(w); err != nil {
				return err
			}
		}
		head, after = tx.head, tx.sums
		return nil
	})
	if err != nil {
		return err
	}
	b.head, b.sums = head, after
	clear(b.records)
	clear(b.entries)
	b.records, b.entries, b.size = b.records[:0], b.entries[:0], 0
	return nil
}

// takeOver adds a record that has its bytes already.
func (tx *Tx) takeOver(p pending) error {
	prev, err := tx.follow(p.record.Subject)
	if err != nil {
		return err
	}
	if prev != p.record.Prev {
		return unfit("record %d names record %d as the one before it about %q, which is record %d", p.record.Seq,
			p.record.Prev, p.record.Subject, prev)
	}
	if p.data != nil {
		if err := tx.store.Put(tableBlobs, p.digest, p.data); err != nil {
			return err
		}
	}
	if err := tx.add(p.record, p.raw); err != nil {
		return unfit("record %d", p.record.Seq).Because(err)
	}
	return nil
}

// takeEntry puts an entry that must not be there yet.
func (tx *Tx) takeEntry(w Write) error {
	before, err := tx.store.Get(w.Table, w.Key)
	if err == nil && before != nil {
		err = unfit("table %s is to have %q twice, or was not empty", w.Table, w.Key)
	}
	if err != nil {
		return err
	}
	tx.sums.replace(w.Table, w.Key, nil, w.Value)
	return tx.store.Put(w.Table, w.Key, w.Value)
}

// Finish writes what is left, and last the format and the head, which is returned. From then on the store can be
// opened.
func (b *Builder) Finish(ctx context.Context) (audit.Head, error) {
	if err := b.flush(ctx); err != nil {
		return b.head, err
	}
	if b.head.Size == 0 {
		return b.head, unfit("the log is empty")
	}
	return b.head, b.store.Update(ctx, func(stx store.Tx) error {
		if err := putFormat(stx, Format); err != nil {
			return err
		}
		if err := b.kinds.Put(b.store, stx); err != nil {
			return err
		}
		_, err := putMark(stx, mark{Head: b.head, Sums: b.sums})
		return err
	})
}

func unfit(format string, args ...any) *fault.Error {
	return fault.New(fault.Conflict, "log_unfit", "the log cannot be taken over: "+format, args...).
		WithFix("verify the copy of the log, and take another one when it is not in order; what was filled so far is of no use")
}
