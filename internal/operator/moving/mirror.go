package moving

import (
	"bytes"
	"context"

	"orchestrator/internal/ledger/store"
)

// Bounds of what is read in one transaction, which also bound the memory that is needed: a page ends when it has
// reached one of them.
const (
	pageBytes   = 4 << 20
	pageEntries = 4096
)

// entry is one entry of a table, with bytes of its own.
type entry struct {
	key   string
	value []byte
}

// mirror makes tables of one store equal to those of another, page by page. What is equal already is left alone, so
// that after an interruption it goes on where it was.
type mirror struct {
	from, to store.Store
	most     int                                       // entries of a page
	compare  bool                                      // find differences, and write nothing
	pages    func(table string, entries []entry) error // is told of every page that is equal from then on

	entries map[string]int // by table
	bytes   int64
}

// table makes one table equal.
func (m *mirror) table(ctx context.Context, name string) error {
	m.entries[name] = 0
	for from, more := "", true; more; {
		entries, next, err := page(ctx, m.from, name, from, m.most)
		if err != nil {
			return err
		}
		if err := m.page(ctx, name, from, next, entries); err != nil {
			return err
		}
		from, more = next, next != ""
	}
	return nil
}

// page makes the entries of a table from one key up to another those that are given; "" is the end of the table.
func (m *mirror) page(ctx context.Context, table, from, next string, entries []entry) error {
	puts, extra, err := m.differences(ctx, table, from, next, entries)
	switch {
	case err != nil:
		return err
	case len(puts)+len(extra) == 0:
	case m.compare:
		return differs("%d entries of table %s", len(puts)+len(extra), table)
	default:
		if err := m.write(ctx, table, puts, extra); err != nil {
			return err
		}
	}
	m.entries[table] += len(entries)
	for _, e := range entries {
		m.bytes += int64(len(e.key) + len(e.value))
	}
	return m.pages(table, entries)
}

// page reads entries of a table from a key on. next is where the next page begins, and "" after the last one.
func page(ctx context.Context, s store.Store, table, from string, most int) (entries []entry, next string, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		entries, next = nil, ""
		size := 0
		return r.Scan(table, from, "", func(key string, value []byte) error {
			if size >= pageBytes || len(entries) >= most {
				next = key
				return store.ErrStop
			}
			entries = append(entries, entry{key, bytes.Clone(value)})
			size += len(key) + len(value)
			return nil
		})
	})
	return entries, next, err
}

// differences returns what a range of a table lacks or has otherwise, and the keys that it has besides.
func (m *mirror) differences(ctx context.Context, table, from, next string, want []entry) (puts []entry, extra []string,
	err error) {
	err = m.to.View(ctx, func(r store.Reader) error {
		puts, extra = nil, nil
		rest := want
		err := r.Scan(table, from, next, func(key string, value []byte) error {
			for len(rest) > 0 && rest[0].key < key {
				puts, rest = append(puts, rest[0]), rest[1:]
			}
			switch {
			case len(rest) == 0 || rest[0].key != key:
				extra = append(extra, key)
				return nil
			case !bytes.Equal(rest[0].value, value):
				puts = append(puts, rest[0])
			}
			rest = rest[1:]
			return nil
		})
		puts = append(puts, rest...)
		return err
	})
	return puts, extra, err
}

func (m *mirror) write(ctx context.Context, table string, puts []entry, extra []string) error {
	return m.to.Update(ctx, func(tx store.Tx) error {
		for _, e := range puts {
			if err := tx.Put(table, e.key, e.value); err != nil {
				return err
			}
		}
		for _, key := range extra {
			if err := tx.Delete(table, key); err != nil {
				return err
			}
		}
		return nil
	})
}
