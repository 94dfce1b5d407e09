package ledger

import (
	"context"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// Record returns the stored bytes of one record of the published log; fault.NotFound when it is not there (yet).
func (l *Ledger) Record(ctx context.Context, seq uint64) ([]byte, error) {
	if size := l.Head().Size; seq >= size {
		return nil, fault.New(fault.NotFound, "unknown_record",
			"the log has no record %d yet; it has %d records, the first is 0", seq, size).
			WithFix("GET /audit/checkpoint tells how many there are")
	}
	var raw []byte
	err := l.View(ctx, func(r store.Reader) (err error) {
		raw, _, err = RecordAt(r, seq)
		return err
	})
	return raw, err
}

// Inclusion proves that a record is in the published log as it was at a size.
func (l *Ledger) Inclusion(ctx context.Context, index, size uint64) (audit.Inclusion, error) {
	var proof audit.Inclusion
	if index >= size {
		return proof, fault.New(fault.Malformed, "invalid_parameter", "index %d is not below size %d", index, size).
			WithFix("the first record has the index 0, the last one size-1")
	}
	err := inPublished(ctx, l, size, func(r store.Reader) (err error) {
		proof, err = audit.ProveInclusion(index, size, rows.Nodes{From: r})
		return err
	})
	return proof, err
}

// Consistency proves that the published log at one size is the beginning of the log at another.
func (l *Ledger) Consistency(ctx context.Context, old, size uint64) (audit.Consistency, error) {
	var proof audit.Consistency
	if old < 1 || old > size {
		return proof, fault.New(fault.Malformed, "invalid_parameter",
			"old is %d; it must be at least 1 and at most new, %d", old, size).
			WithFix("old is the size of the checkpoint that you have kept, new that of the one to hold against it")
	}
	err := inPublished(ctx, l, size, func(r store.Reader) (err error) {
		proof, err = audit.ProveConsistency(old, size, rows.Nodes{From: r})
		return err
	})
	return proof, err
}

// Tile returns the bytes of a tile of the published log; fault.NotFound when the log is not that large (yet).
func (l *Ledger) Tile(ctx context.Context, t audit.Tile) ([]byte, error) {
	var data []byte
	err := inPublished(ctx, l, t.Needs(), func(r store.Reader) (err error) {
		if t.Entries {
			data, err = entries(r, t)
		} else {
			data, err = t.Hashes(rows.Nodes{From: r})
		}
		return err
	})
	return data, err
}

func entries(r store.Reader, t audit.Tile) ([]byte, error) {
	first := t.Number * audit.TileWidth
	var bundle []byte
	n := 0
	err := rows.Scan(r, first, first+uint64(t.Width), func(_ uint64, raw []byte) error {
		bundle = audit.AppendEntry(bundle, raw)
		n++
		return nil
	})
	if err == nil && n != t.Width {
		err = store.Damaged("a record of %d to %d is missing", first, first+uint64(t.Width)-1)
	}
	return bundle, err
}

// inPublished reads what needs the log to have a size.
func inPublished(ctx context.Context, l *Ledger, size uint64, read func(store.Reader) error) error {
	if now := l.Head().Size; size > now {
		return fault.New(fault.NotFound, "beyond_log", "the log has %d records; this needs %d", now, size).
			WithFix("GET /audit/checkpoint tells how many there are; a full tile needs all of its %d", audit.TileWidth)
	}
	return l.View(ctx, read)
}
