package ledger

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// Damage to a table that no record of the log shows is found at the next start.
func TestAStartFindsChangedTables(t *testing.T) {
	values := Table[string]{Name: "values"}
	write := func(t *testing.T, l *Ledger, fn func(*Tx) error) {
		t.Helper()
		require.NoError(t, l.Update(t.Context(), func(tx *Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return tx.Append(Event{Kind: "test", Actor: System()})
		}))
	}
	put := func(key, value string) func(*Tx) error {
		return func(tx *Tx) error { _, err := values.Put(tx, key, value); return err }
	}
	for name, spoil := range map[string]func(store.Tx) error{
		"nothing":   func(store.Tx) error { return nil },
		"changed":   func(tx store.Tx) error { return tx.Put("values", "a", []byte(`"three"`)) },
		"dropped":   func(tx store.Tx) error { return tx.Delete("values", "a") },
		"added":     func(tx store.Tx) error { return tx.Put("values", "c", []byte(`"one"`)) },
		"exchanged": func(tx store.Tx) error { return swap(tx, "values", "a", "b") },
		"the sum": func(tx store.Tx) error {
			raw, err := tx.Get(tableMeta, keyHead)
			if err != nil {
				return err
			}
			return tx.Put(tableMeta, keyHead, bytes.Replace(raw, []byte(`"values":`), []byte(`"values":1,"values-too":`), 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			l, err := Open(t.Context(), s, ticking())
			require.NoError(t, err)
			write(t, l, put("a", "one"))
			write(t, l, put("b", "two"))
			write(t, l, put("a", "three times"))
			write(t, l, put("gone", "gone"))
			write(t, l, func(tx *Tx) error { return values.Delete(tx, "gone") })
			write(t, l, func(tx *Tx) error { return values.Delete(tx, "never there") })
			require.NoError(t, l.CheckSums(t.Context()))
			tamper(t, s, spoil)
			_, err = Open(t.Context(), s, ticking())
			if name == "nothing" {
				require.NoError(t, err)
				return
			}
			var f *fault.Error
			require.ErrorAs(t, err, &f)
			require.Equal(t, "store_damaged", string(f.Code))
			require.Contains(t, f.Detail, "table values")
		})
	}
}

func swap(tx store.Tx, table, one, other string) error {
	first, err := tx.Get(table, one)
	if err != nil {
		return err
	}
	second, err := tx.Get(table, other)
	if err != nil {
		return err
	}
	first, second = bytes.Clone(first), bytes.Clone(second)
	if err := tx.Put(table, one, second); err != nil {
		return err
	}
	return tx.Put(table, other, first)
}

// TestMarkEncode holds the bytes of marks to those of the library.
func TestMarkEncode(t *testing.T) {
	types := jsonobjecttest.Types{reflect.TypeFor[sums](): rapid.Custom(func(t *rapid.T) any {
		return sums(rapid.MapOf(rapid.StringMatching(`[a-z-]+`), rapid.Uint64()).Draw(t, "sums"))
	})}
	jsonobjecttest.Like(t, types, func(m *mark) ([]byte, error) { return m.encode() })
}
