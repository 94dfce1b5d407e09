package ledger

import (
	"context"
	"crypto/sha256"
	"iter"
	"maps"
	"slices"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Replay works out again what the records of one subsystem amount to. Records come in the order of the log; those of
// other subsystems are left out.
type Replay interface {
	// Kinds returns the kinds of the subsystem's records.
	Kinds() []string
	// Read reads the data of a record of one of these kinds, and what else needs nothing of the records before it: it
	// is called ahead of the record's turn, on another goroutine. blobs has data too large for a record.
	Read(blobs store.Getter, record audit.Record) (any, error)
	// Apply takes over a record with the data that Read has returned, or says why the record cannot be true.
	Apply(record audit.Record, data any) error
	// Tables returns the subsystem's tables as the records amount to them.
	Tables() ([]Contents, error)
}

// Contents is what a log amounts to in one table.
type Contents struct {
	Table string
	// Sums has the digest of each entry by its key. nil is a table that was never written to, which is not the same as
	// one that was emptied.
	Sums  map[string]Sum
	Entry func(key string) []byte // an entry that has a digest
}

// Sum is the SHA-256 of an entry.
type Sum = [sha256.Size]byte

// ContentsOf returns the contents of a table that has the given values; nil was never written to.
func ContentsOf[T any](t Table[T], values map[string]T) (Contents, error) {
	if values == nil {
		return Contents{Table: t.Name}, nil
	}
	entries := make(map[string][]byte, len(values))
	for key, value := range values {
		raw, err := Encode(value)
		if err != nil {
			return Contents{}, err
		}
		entries[key] = raw
	}
	return StoredContents(t.Name, entries), nil
}

// StoredContents returns the contents of a table that has the given entries; nil was never written to.
func StoredContents(table string, entries map[string][]byte) Contents {
	c := Contents{Table: table, Entry: func(key string) []byte { return entries[key] }}
	if entries == nil {
		return c
	}
	c.Sums = make(map[string]Sum, len(entries))
	for key, raw := range entries {
		c.Sums[key] = sha256.Sum256(raw)
	}
	return c
}

// Compare holds the stored table against its contents. It uses Sums up.
func (c Contents) Compare(r store.Reader) error {
	left := c.Sums
	err := r.Scan(c.Table, "", "", func(key string, raw []byte) error {
		expected, found := left[key]
		switch {
		case !found:
			return store.Damaged("table %s has %q, which the log does not account for", c.Table, key)
		case sha256.Sum256(raw) != expected:
			return store.Damaged("table %s, %q is not what the log amounts to", c.Table, key)
		}
		delete(left, key)
		return nil
	})
	if err == nil && len(left) > 0 {
		err = store.Damaged("table %s lacks %q, which the log accounts for", c.Table,
			slices.Min(slices.Collect(maps.Keys(left))))
	}
	return err
}

// Difference counts the entries in which a stored table differs from what the log amounts to.
type Difference struct {
	Table   string `json:"table"`
	Changed int    `json:"changed"` // have another value
	Added   int    `json:"added"`   // the table lacks them
	Removed int    `json:"removed"` // the log does not account for them
}

// None reports whether nothing differs.
func (d Difference) None() bool { return d == Difference{Table: d.Table} }

// Difference compares the stored table with its contents, entry by entry.
func (c Contents) Difference(r store.Reader) (Difference, error) {
	d := Difference{Table: c.Table, Added: len(c.Sums)}
	err := r.Scan(c.Table, "", "", func(key string, raw []byte) error {
		expected, found := c.Sums[key]
		if !found {
			d.Removed++
			return nil
		}
		d.Added--
		if sha256.Sum256(raw) != expected {
			d.Changed++
		}
		return nil
	})
	return d, err
}

// Fill writes the contents with a builder that has the records of the log. A table that was never written to stays so.
func (c Contents) Fill(ctx context.Context, b *Builder) error {
	if c.Sums == nil {
		return nil
	}
	return b.Fill(ctx, c.Table, c.entries())
}

// entries returns the entries in the order of their keys.
func (c Contents) entries() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, key := range slices.Sorted(maps.Keys(c.Sums)) {
			if !yield(key, c.Entry(key)) {
				return
			}
		}
	}
}
