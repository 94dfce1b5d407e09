package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

var userTables = []Table[string]{{Name: "ones"}, {Name: "twos"}, {Name: "emptied"}}

// live draws one update of a ledger: writes and deletions, several records, some with data beside the log.
func live(rt *rapid.T, ctx context.Context, l *Ledger) error {
	type step struct {
		table   Table[string]
		key     string
		remove  bool
		value   string
		event   Event
		unsound bool
	}
	steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
		s := step{
			table:  rapid.SampledFrom(userTables).Draw(rt, "table"),
			key:    rapid.SampledFrom([]string{"a", "b", "c\x00d"}).Draw(rt, "key"),
			remove: rapid.IntRange(0, 2).Draw(rt, "remove") == 0,
			value:  rapid.StringN(0, 20, -1).Draw(rt, "value"),
			event: Event{Kind: "life", Actor: ada, RequestID: rapid.SampledFrom([]string{"", "r"}).Draw(rt, "request"),
				Subject: rapid.SampledFrom([]string{"", "A", "B", "C"}).Draw(rt, "subject"), Data: rapid.StringN(0, 9, -1).Draw(rt, "data")},
			unsound: rapid.IntRange(0, 9).Draw(rt, "unsound") == 0,
		}
		if size := rapid.SampledFrom([]int{0, 0, 0, maxInline - 2, maxInline - 1, 70_000}).Draw(rt, "size"); size > 0 {
			s.event.Data = strings.Repeat("x", size)
		}
		return s
	}), 0, 4).Draw(rt, "steps")
	return l.Update(ctx, func(tx *Tx) error {
		for _, s := range steps {
			err := tx.Append(s.event)
			switch {
			case err == nil && s.unsound:
				err = errUnsound
			case err == nil && s.remove:
				err = s.table.Delete(tx, s.key)
			case err == nil:
				_, err = s.table.Put(tx, s.key, s.value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

var errUnsound = errors.New("this update fails")

// rebuild fills an empty store from the records of another, and the tables that its head names.
func rebuild(ctx context.Context, from, to store.Store, change func(*Builder)) (audit.Head, error) {
	var head audit.Head
	return head, from.View(ctx, func(r store.Reader) error {
		b, err := NewBuilder(ctx, to, r)
		if err != nil {
			return err
		}
		change(b)
		var buffer []byte // used again, as a reader of a file would
		err = rows.Scan(r, 0, 0, func(_ uint64, raw []byte) error {
			buffer = append(buffer[:0], raw...)
			return b.Append(ctx, buffer)
		})
		if err != nil {
			return err
		}
		m, err := storedMark(r)
		if err != nil {
			return err
		}
		for table := range m.Sums {
			if err := b.Fill(ctx, table, tableEntries(r, table)); err != nil {
				return err
			}
		}
		head, err = b.Finish(ctx)
		return err
	})
}

func tableEntries(r store.Reader, table string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		_ = r.Scan(table, "", "", func(key string, value []byte) error {
			if !yield(key, bytes.Clone(value)) {
				return store.ErrStop
			}
			return nil
		})
	}
}

// TestARebuiltLedgerIsTheLedger compares every table of a ledger that lived at random with its copy, byte for byte.
func TestARebuiltLedgerIsTheLedger(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lived, copied := store.NewMemory(), store.NewMemory()
		l := open(t, lived)
		for range rapid.IntRange(0, 25).Draw(rt, "updates") {
			if err := live(rt, t.Context(), l); err != nil {
				require.ErrorIs(rt, err, errUnsound)
			}
		}
		head, err := rebuild(t.Context(), lived, copied, func(b *Builder) {
			b.maxEntries = rapid.IntRange(1, 40).Draw(rt, "batch")
			b.maxBytes = rapid.SampledFrom([]int{100, 100_000, 1 << 20}).Draw(rt, "bytes")
		})
		require.NoError(rt, err)
		require.True(rt, head.Equal(l.Head()))
		require.Equal(rt, lived.Dump(), copied.Dump())
		again := open(t, copied)
		require.NoError(rt, verify(t, again))
		require.NoError(rt, set(t.Context(), again, "A", 1), "it lives on")
		require.NoError(rt, verify(t, again))
	})
}

// TestALargeLogIsRebuiltInBatches reaches the real bounds of a batch.
func TestALargeLogIsRebuiltInBatches(t *testing.T) {
	lived, copied := store.NewMemory(), store.NewMemory()
	l := open(t, lived)
	for i := range 20 {
		require.NoError(t, l.Update(t.Context(), func(tx *Tx) error {
			for j := range 500 {
				data := any(j)
				if j < 20 {
					data = strings.Repeat("x", 100_000+i+j)
				}
				if err := tx.Append(Event{Kind: "life", Actor: ada, Subject: fmt.Sprint("S", j%70), Data: data}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	counting := &countingStore{Store: copied}
	_, err := rebuild(t.Context(), lived, counting, func(*Builder) {})
	require.NoError(t, err)
	require.Equal(t, lived.Dump(), copied.Dump())
	require.Equal(t, 6, counting.updates, "10,001 records and 41 MB: batches of 4,096 records or 8 MiB, what is left, and the end")
}

type countingStore struct {
	store.Store
	updates int
}

func (c *countingStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	c.updates++
	return c.Store.Update(ctx, fn)
}

// recordsOf are the records of a store, decoded.
func recordsOf(t *testing.T, s store.Store) (records []audit.Record) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		found := []audit.Record{}
		err := rows.Scan(r, 0, 0, func(_ uint64, raw []byte) error {
			record, err := audit.Decode(bytes.Clone(raw))
			found = append(found, record)
			return err
		})
		records = found
		return err
	}))
	return records
}

// TestABuilderRefuses what no ledger would have written, and leaves nothing that could be opened.
func TestABuilderRefuses(t *testing.T) {
	from := grown(t)
	require.NoError(t, set(t.Context(), open(t, from), "b", 1))
	require.NoError(t, open(t, from).Update(t.Context(), func(tx *Tx) error {
		return tx.Append(Event{Kind: "large", Actor: ada, Data: strings.Repeat("x", audit.MaxRecord)})
	}))
	for name, c := range map[string]struct {
		change func([]audit.Record) []audit.Record
		want   string
	}{
		"nothing":         {func(r []audit.Record) []audit.Record { return nil }, "the log is empty"},
		"a gap":           {func(r []audit.Record) []audit.Record { return slices.Delete(r, 4, 5) }, "record 5 stands where record 4 belongs"},
		"another first":   {func(r []audit.Record) []audit.Record { r[0].Kind = "x"; return r }, "record 0 is of kind"},
		"an old format":   {func(r []audit.Record) []audit.Record { r[0].Data = []byte(`{"format":2}`); return r }, "format 2"},
		"a newer format":  {func(r []audit.Record) []audit.Record { r[0].Data = []byte(`{"format":99}`); return r }, "format 99"},
		"another thread":  {func(r []audit.Record) []audit.Record { r[5].Prev = 3; return r }, "names record 3 as the one before it"},
		"another subject": {func(r []audit.Record) []audit.Record { r[11].Subject = "a"; return r }, "names record 0"},
		"data that is away": {func(r []audit.Record) []audit.Record {
			r[12].Data = bytes.Replace(r[12].Data, []byte(`":"`), []byte(`":"0`), 1)
			return r
		}, "data that is not there"},
		"a table given twice": {func(r []audit.Record) []audit.Record { return r }, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			to := store.NewMemory()
			err := from.View(t.Context(), func(r store.Reader) error {
				b, err := NewBuilder(t.Context(), to, r)
				if err != nil {
					return err
				}
				b.maxEntries = 2
				for _, record := range c.change(recordsOf(t, from)) {
					raw, err := audit.Encode(record)
					require.NoError(t, err)
					if err := b.Append(t.Context(), raw); err != nil {
						return err
					}
				}
				if strings.Contains(c.want, "twice") {
					for range 2 {
						if err := b.Fill(t.Context(), "things", maps.All(map[string][]byte{"a": []byte("1")})); err != nil {
							return err
						}
					}
				}
				_, err = b.Finish(t.Context())
				return err
			})
			require.ErrorContains(t, err, c.want)
			require.NotEmpty(t, errorFix(err))
			if len(to.Dump()) > 0 {
				_, err = Open(t.Context(), to, ticking())
				require.ErrorContains(t, err, "does not say which format")
			}
		})
	}
	_, err := NewBuilder(t.Context(), from, nil)
	require.ErrorContains(t, err, "not empty")
}

func errorFix(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Fix
	}
	return ""
}

// TestABuilderBreaksOff: wherever a commit fails, what is left is refused, or whole.
func TestABuilderBreaksOff(t *testing.T) {
	from := grown(t)
	for at := range 20 {
		for _, apply := range []bool{false, true} {
			to := store.NewMemory()
			_, err := rebuild(t.Context(), from, &failingAt{Faulty: storetest.NewFaulty(to), at: at, apply: apply}, func(b *Builder) { b.maxEntries = 1 })
			if err == nil {
				require.Equal(t, from.Dump(), to.Dump())
				require.Greater(t, at, 10, "every step was a commit")
				continue
			}
			require.ErrorIs(t, err, store.ErrCommit)
			if _, err := OpenReadOnly(t.Context(), to); err == nil {
				require.Equal(t, from.Dump(), to.Dump())
			} else {
				require.NotEmpty(t, errorFix(err))
			}
		}
	}
}

// failingAt fails one commit.
type failingAt struct {
	*storetest.Faulty
	at    int
	apply bool
}

func (f *failingAt) Update(ctx context.Context, fn func(store.Tx) error) error {
	if f.at--; f.at == -1 {
		f.Next(storetest.Fault{Apply: f.apply})
	}
	return f.Faulty.Update(ctx, fn)
}
