// Package storetest holds stores to the contract of package store, and makes commits fail on purpose.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

var errRefused = errors.New("storetest: refused")

// Run checks the whole contract. open returns a new, empty store and closes it when its test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store.Store)
	}{
		{"get put delete", testGetPutDelete},
		{"empty is not missing", testEmptyIsNotMissing},
		{"binary keys in order", testBinaryKeys},
		{"scan bounds", testScanBounds},
		{"scan ends with the error of visit", testScanError},
		{"impossible keys", testImpossibleKeys},
		{"reads its own writes", testReadsItsOwnWrites},
		{"bytes got may be put", testBytesGotMayBePut},
		{"failing update leaves nothing", testFailingUpdate},
		{"panics are errors", testPanics},
		{"ended context", testEndedContext},
		{"context ends while waiting", testContextEndsWhileWaiting},
		{"closed store", testClosed},
		{"close waits for updates", testCloseWaits},
		{"model", testModel},
		{"view is a snapshot", testSnapshot},
		{"no lost update", testNoLostUpdate},
		{"failing neighbours", testFailingNeighbours},
		{"strictly serialisable", testSerialisable},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func testGetPutDelete(t *testing.T, s store.Store) {
	require.Empty(t, dump(t, s, "t"), "a table exists as soon as it is named")
	put(t, s, "t", "a", "1")
	put(t, s, "u", "a", "other table")
	require.Equal(t, []string{"a=1"}, dump(t, s, "t"))
	put(t, s, "t", "a", "2")
	require.Equal(t, "2", get(t, s, "t", "a"))
	for range 2 {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("t", "a") }))
	}
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("never", "a") }))
	require.Empty(t, dump(t, s, "t"))
	require.Equal(t, "other table", get(t, s, "u", "a"))
}

func testEmptyIsNotMissing(t *testing.T, s store.Store) {
	for key, value := range map[string][]byte{"nil": nil, "empty": {}} {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			if err := tx.Put("t", key, value); err != nil {
				return err
			}
			return wantEmpty(tx, key)
		}))
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error { return wantEmpty(r, key) }))
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return wantEmpty(tx, key) }))
	}
	require.Equal(t, []string{"empty=", "nil="}, dump(t, s, "t"))
}

func wantEmpty(g store.Getter, key string) error {
	got, err := g.Get("t", key)
	missing, err2 := g.Get("t", "missing")
	if err != nil || err2 != nil || got == nil || len(got) != 0 || missing != nil {
		return fmt.Errorf("present: %v %w, missing: %v %w", got, err, missing, err2)
	}
	return nil
}

func testBinaryKeys(t *testing.T, s store.Store) {
	keys := []string{"\x00", "\x00\x00", "\x00\xff", "a", "a\x00", "a/b", "ab", "\xc3\xa9", "\xff", "\xff\xff"}
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		for i := range keys {
			if err := tx.Put("t\x00\xff", keys[len(keys)-1-i], []byte("\x00\xff")); err != nil {
				return err
			}
		}
		return tx.Put("t\x00", "a", nil)
	}))
	var want []string
	for _, k := range keys {
		want = append(want, k+"=\x00\xff")
	}
	require.Equal(t, want, dump(t, s, "t\x00\xff"))
	require.Equal(t, []string{"a="}, dump(t, s, "t\x00"))
}

func testScanBounds(t *testing.T, s store.Store) {
	for _, k := range []string{"b", "d", "f"} {
		put(t, s, "t", k, k)
	}
	put(t, s, "u", "a", "next table")
	for _, c := range []struct{ from, to, want string }{
		{"", "", "b d f"}, {"a", "g", "b d f"}, {"b", "f", "b d"}, {"c", "", "d f"}, {"b\x00", "d\x00", "d"},
		{"", "b", ""}, {"d", "d", ""}, {"f", "b", ""}, {"g", "", ""}, {"", "\xff", "b d f"},
	} {
		var got []string
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			got = nil
			return r.Scan("t", c.from, c.to, func(key string, value []byte) error {
				got = append(got, string(value))
				return nil
			})
		}))
		require.Equal(t, c.want, strings.Join(got, " "), "from %q to %q", c.from, c.to)
	}
}

func testScanError(t *testing.T, s store.Store) {
	put(t, s, "t", "a", "1")
	put(t, s, "t", "b", "2")
	for _, c := range []struct{ visit, want error }{{store.ErrStop, nil}, {errRefused, errRefused}} {
		var visits int
		err := s.View(t.Context(), func(r store.Reader) error {
			visits = 0
			return r.Scan("t", "", "", func(string, []byte) error { visits++; return c.visit })
		})
		require.Equal(t, c.want, err)
		require.Equal(t, 1, visits)
	}
}

func testImpossibleKeys(t *testing.T, s store.Store) {
	random := make([]byte, store.MaxKeySize) // repeated letters would be compressed
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	table, long := string(random[:store.MaxKeySize/2]), string(random[store.MaxKeySize/2:])
	for _, c := range []struct {
		table, key string
		value      int
	}{
		{"", "k", 0}, {"t", "", 0}, {table, long + "x", 0}, {table + "x", long, 0}, {"t", "k", store.MaxValueSize + 1},
	} {
		value := make([]byte, c.value)
		require.Error(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put(c.table, c.key, value) }))
		if c.value > 0 {
			continue
		}
		require.Error(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete(c.table, c.key) }))
		for _, view := range []func(func(store.Getter) error) error{viewing(t.Context(), s), updating(t.Context(), s)} {
			require.Error(t, view(func(g store.Getter) error { _, err := g.Get(c.table, c.key); return err }))
		}
	}
	put(t, s, table, long, "longest")
	require.Equal(t, "longest", get(t, s, table, long))
	put(t, s, "t", string(random[1:]), "longest")
	require.Equal(t, "longest", get(t, s, "t", string(random[1:])))
}

func viewing(ctx context.Context, s store.Store) func(func(store.Getter) error) error {
	return func(fn func(store.Getter) error) error {
		return s.View(ctx, func(r store.Reader) error { return fn(r) })
	}
}

func updating(ctx context.Context, s store.Store) func(func(store.Getter) error) error {
	return func(fn func(store.Getter) error) error {
		return s.Update(ctx, func(tx store.Tx) error { return fn(tx) })
	}
}

func testReadsItsOwnWrites(t *testing.T, s store.Store) {
	put(t, s, "t", "a", "old")
	var got [][]byte
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		got = make([][]byte, 4)
		read := func(i int, key string) error {
			value, err := tx.Get("t", key)
			got[i] = bytes.Clone(value)
			return err
		}
		return errors.Join(
			read(0, "a"), tx.Put("t", "a", []byte("new")), read(1, "a"),
			tx.Delete("t", "a"), read(2, "a"), tx.Put("t", "b", []byte("b")), read(3, "b"))
	}))
	require.Equal(t, [][]byte{[]byte("old"), []byte("new"), nil, []byte("b")}, got)
	require.Equal(t, []string{"b=b"}, dump(t, s, "t"))
}

func testBytesGotMayBePut(t *testing.T, s store.Store) {
	put(t, s, "t", "a", "kept")
	for range 4 {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			value, err := tx.Get("t", "a")
			if err != nil {
				return err
			}
			return errors.Join(tx.Put("t", "b", value), tx.Delete("t", "a"), tx.Put("t", "a", value))
		}))
	}
	require.Equal(t, []string{"a=kept", "b=kept"}, dump(t, s, "t"))
}

func put(t *testing.T, s store.Store, table, key, value string) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put(table, key, []byte(value)) }))
}

func get(t *testing.T, s store.Store, table, key string) string {
	t.Helper()
	var value string
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		b, err := r.Get(table, key)
		value = string(b)
		return err
	}))
	return value
}

// dump returns the whole table, one "key=value" a row.
func dump(t *testing.T, s store.Store, table string) []string {
	t.Helper()
	var rows []string
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		rows = nil
		return r.Scan(table, "", "", func(key string, value []byte) error {
			rows = append(rows, key+"="+string(value))
			return nil
		})
	}))
	return rows
}
