package storetest

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/store"
)

// testModel compares the store with a map over random updates, of which some fail.
func testModel(t *testing.T, s store.Store) {
	var tables atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		table := fmt.Sprint("table", tables.Add(1))
		model := map[string]string{}
		for range rapid.IntRange(1, 8).Draw(rt, "updates") {
			writes := rapid.SliceOfN(rapid.Custom(drawWrite), 0, 12).Draw(rt, "writes")
			fails := rapid.IntRange(0, 3).Draw(rt, "fails") == 0
			next := maps.Clone(model)
			err := s.Update(t.Context(), func(tx store.Tx) error {
				next = maps.Clone(model)
				return apply(tx, table, writes, next, fails)
			})
			if fails {
				require.ErrorIs(rt, err, errRefused)
			} else {
				require.NoError(rt, err)
				model = next
			}
			from, to := drawBound(rt), drawBound(rt)
			require.Equal(rt, rows(model, from, to), scan(rt, t, s, table, from, to))
		}
	})
}

type write struct {
	key, value string
	remove     bool
}

func drawKey(rt *rapid.T) string { return rapid.StringMatching(`[ab\x00]{0,3}`).Draw(rt, "key") }

func drawBound(rt *rapid.T) string {
	return rapid.OneOf(rapid.Just(""), rapid.StringMatching(`k[ab\x00]{0,3}`)).Draw(rt, "bound")
}

func drawWrite(rt *rapid.T) write {
	return write{
		key:    "k" + drawKey(rt),
		value:  rapid.StringN(0, 300, -1).Draw(rt, "value"),
		remove: rapid.IntRange(0, 3).Draw(rt, "remove") == 0,
	}
}

// apply writes to the store and to the model, and reads each key back.
func apply(tx store.Tx, table string, writes []write, model map[string]string, fails bool) error {
	for _, w := range writes {
		var err error
		if w.remove {
			err = tx.Delete(table, w.key)
			delete(model, w.key)
		} else {
			err = tx.Put(table, w.key, []byte(w.value))
			model[w.key] = w.value
		}
		if err != nil {
			return err
		}
		got, err := tx.Get(table, w.key)
		if err != nil || (got == nil) != w.remove || string(got) != model[w.key] {
			return fmt.Errorf("after %+v it reads %q, %w", w, got, err)
		}
	}
	if fails {
		return errRefused
	}
	return nil
}

func rows(model map[string]string, from, to string) []string {
	var rows []string
	for _, key := range slices.Sorted(maps.Keys(model)) {
		if key >= from && (to == "" || key < to) {
			rows = append(rows, key+"="+model[key])
		}
	}
	return rows
}

func scan(rt *rapid.T, t *testing.T, s store.Store, table, from, to string) []string {
	var rows []string
	require.NoError(rt, s.View(t.Context(), func(r store.Reader) error {
		rows = nil
		return r.Scan(table, from, to, func(key string, value []byte) error {
			rows = append(rows, key+"="+string(value))
			return nil
		})
	}))
	return rows
}
