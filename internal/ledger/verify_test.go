package ledger

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// grown is a store with a log of a dozen records, one of them with data beside the log.
func grown(t *testing.T) *store.Memory {
	t.Helper()
	s := store.NewMemory()
	l := open(t, s)
	for i := range 10 {
		require.NoError(t, set(t.Context(), l, "a", i))
	}
	return s
}

func tamper(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), fn))
}

// everyEntry lists what the ledger's own tables hold.
func everyEntry(t *testing.T, s store.Store) (entries [][2]string) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		found := [][2]string{}
		for _, table := range []string{rows.Table, rows.Hashes, tableSubjects, tableMeta} {
			if err := r.Scan(table, "", "", func(key string, _ []byte) error {
				found = append(found, [2]string{table, key})
				return nil
			}); err != nil {
				return err
			}
		}
		entries = found
		return nil
	}))
	return entries
}

func openAndVerify(ctx context.Context, s store.Store) error {
	l, err := Open(ctx, s, ticking())
	if err != nil {
		return err
	}
	_, err = Verify(ctx, l, justRead, replayNothing)
	return err
}

// TestEveryChangeOfTheLogIsFound changes, drops and adds one entry at a time.
//
// Verifies: ORC-043
func TestEveryChangeOfTheLogIsFound(t *testing.T) {
	entries := everyEntry(t, grown(t))
	require.Greater(t, len(entries), 12, "11 records, subjects and the head")
	for _, e := range entries {
		table, key := e[0], e[1]
		name := fmt.Sprintf("%s %x", table, key)
		t.Run(name, func(t *testing.T) {
			dropped := grown(t)
			tamper(t, dropped, func(tx store.Tx) error { return tx.Delete(table, key) })
			require.Error(t, openAndVerify(t.Context(), dropped), "dropped")

			changed := grown(t)
			tamper(t, changed, func(tx store.Tx) error {
				raw, err := tx.Get(table, key)
				if err != nil {
					return err
				}
				raw = append([]byte(nil), raw...)
				raw[len(raw)/2] ^= 1
				return tx.Put(table, key, raw)
			})
			require.Error(t, openAndVerify(t.Context(), changed), "changed")
		})
	}
	for table, key := range map[string]string{rows.Table: rows.Key(11), rows.Hashes: "n", tableSubjects: "b"} {
		added := grown(t)
		tamper(t, added, func(tx store.Tx) error { return tx.Put(table, key, []byte("{}")) })
		require.Error(t, openAndVerify(t.Context(), added), "added to %s", table)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(store.Tx) error
		code  string
	}{
		"a format of long ago":     {func(tx store.Tx) error { return putFormat(tx, Oldest-1) }, "store_format"},
		"an older format":          {func(tx store.Tx) error { return putFormat(tx, Format-1) }, "store_format_older"},
		"a newer format":           {func(tx store.Tx) error { return putFormat(tx, Format+1) }, "store_format"},
		"no format":                {func(tx store.Tx) error { return tx.Delete(tableMeta, keyFormat) }, "store_damaged"},
		"no head":                  {func(tx store.Tx) error { return tx.Delete(tableMeta, keyHead) }, "store_damaged"},
		"a head that is no JSON":   {func(tx store.Tx) error { return tx.Put(tableMeta, keyHead, []byte(`{`)) }, "store_damaged"},
		"no last record":           {func(tx store.Tx) error { return tx.Delete(rows.Table, rows.Key(10)) }, "store_damaged"},
		"another last record":      {func(tx store.Tx) error { return tx.Put(rows.Table, rows.Key(10), []byte(`{}`)) }, "store_damaged"},
		"a record beyond the head": {func(tx store.Tx) error { return tx.Put(rows.Table, rows.Key(11), []byte(`{}`)) }, "store_damaged"},
		"a head with another time": {func(tx store.Tx) error {
			raw, err := tx.Get(tableMeta, keyHead)
			if err != nil {
				return err
			}
			return tx.Put(tableMeta, keyHead, bytes.Replace(raw, []byte(`"at":"2026`), []byte(`"at":"2036`), 1))
		}, "store_damaged"},
		"another node": {func(tx store.Tx) error {
			row, err := tx.Get(rows.Table, rows.Key(4))
			if err != nil {
				return err
			}
			row = bytes.Clone(row)
			row[len(row)-2] ^= 1
			return tx.Put(rows.Table, rows.Key(4), row)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := grown(t)
			tamper(t, s, c.spoil)
			_, err := Open(t.Context(), s, ticking())
			if c.code == "" {
				require.NoError(t, err, "not on the way from the head to the last record; Verify finds it")
				require.Error(t, openAndVerify(t.Context(), s))
				return
			}
			var f *fault.Error
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.code, string(f.Code))
			require.NotEmpty(t, f.Fix)
		})
	}
	_, err := OpenReadOnly(t.Context(), store.NewMemory())
	require.ErrorContains(t, err, "holds nothing yet")
	l, err := OpenReadOnly(t.Context(), grown(t))
	require.NoError(t, err)
	require.Equal(t, uint64(11), l.Head().Size)
}
