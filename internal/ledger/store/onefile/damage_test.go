package onefile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

const pageSize = 4096

// filled is the bytes of a database of some size: tables, deep trees, overflow pages, free pages.
func filled(t *testing.T) []byte {
	path := newPath(t)
	db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: pageSize})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	s := open(t, path)
	for round := range 3 {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			for i := range 120 {
				key := fmt.Sprintf("%d %03d", round, i)
				if err := errors.Join(tx.Put("t", key, bytes.Repeat([]byte(key), 12)), tx.Put("inline", "a", nil)); err != nil {
					return err
				}
			}
			return errors.Join(tx.Put("large", key(round), make([]byte, 3*pageSize)), tx.Delete("large", key(round-1)))
		}))
	}
	require.NoError(t, s.Check())
	require.NoError(t, s.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	db, err = bolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	tx, err := db.Begin(false)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	return b[:tx.Size()]
}

func key(i int) string { return fmt.Sprint("key ", i) }

// A damaged head may stand for a commit that is lost, and bbolt says nothing of it: Open does, and Check. Who accepts
// it has the state of the other head, and both heads again after the next commit.
func TestOneHeadDamaged(t *testing.T) {
	good := filled(t)
	for _, at := range []int{16, pageSize + 16, 40, pageSize + 40} {
		b := bytes.Clone(good)
		b[at] ^= 0xFF
		path := write(t, b)
		wantRefused(t, path, "store_head_damaged", onefile.Options{})
		wantRefused(t, path, "store_head_damaged", onefile.Options{ReadOnly: true})
		s, err := onefile.Open(path, onefile.Options{AcceptDamagedHead: true})
		require.NoError(t, err)
		require.ErrorContains(t, s.Check(), "damaged head page")
		_, err = s.Compact(t.Context(), accepting)
		require.NoError(t, err, "whoever accepted it may do so")
		require.NoError(t, s.Close())

		path = write(t, b)
		s, err = onefile.Open(path, onefile.Options{AcceptDamagedHead: true})
		require.NoError(t, err)
		require.NoError(t, put(s, "a", "b"))
		require.NoError(t, s.Check())
		require.NoError(t, s.Close())
		require.NoError(t, open(t, path).Check())
	}
}

// Where the newer head was lost, the state is that of the commit before; where the older one was, nothing is lost.
func TestWhatADamagedHeadLoses(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	require.NoError(t, put(s, "a", "first"))
	require.NoError(t, put(s, "a", "second"))
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	var found []string
	for page := range 2 {
		b := bytes.Clone(whole)
		b[page*os.Getpagesize()+60] ^= 1
		s, err := onefile.Open(write(t, b), onefile.Options{AcceptDamagedHead: true, ReadOnly: true})
		require.NoError(t, err)
		value, err := get(s, "a")
		require.NoError(t, err)
		require.NoError(t, s.Close())
		found = append(found, value)
	}
	require.ElementsMatch(t, []string{"first", "second"}, found)
}

// Whatever page is damaged in whatever way: an error or an answer, never a crash.
func TestDamagedPages(t *testing.T) {
	good := filled(t)
	path := newPath(t)
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for page := 2; page < len(good)/pageSize; page++ {
		for _, damage := range []func(b []byte){
			func(b []byte) { clear(b) },
			func(b []byte) { copy(b, bytes.Repeat([]byte{0xFF}, len(b))) },
			func(b []byte) { copy(b[8:], bytes.Repeat([]byte{0xFF}, 8)) },                   // the page's kind and length
			func(b []byte) { copy(b[16:], bytes.Repeat([]byte{0xFF}, 64)) },                 // its first entries
			func(b []byte) { copy(b[10:16], []byte{0xFF, 0xFF, 0, 0, 0, 0}) },               // as many entries as there can be
			func(b []byte) { b[16+random.IntN(64)] ^= byte(1 + random.IntN(255)) },          // one byte of them
			func(b []byte) { copy(b[random.IntN(len(b)-8):], []byte{9, 9, 9, 9, 9, 9, 9}) }, // some bytes of a value
		} {
			b := bytes.Clone(good)
			damage(b[page*pageSize : (page+1)*pageSize])
			require.NoError(t, os.WriteFile(path, b, 0o600))
			if use(path) != nil {
				found++
			}
		}
	}
	require.Greater(t, found, len(good)/pageSize, "most damage must be found, or this test looks at nothing")
}

// use does everything that can be done with a file, and returns what Open and Check say.
func use(path string) error {
	s, err := onefile.Open(path, onefile.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	err = s.Check()
	for _, table := range []string{"t", "large", "inline"} {
		_ = s.View(context.Background(), func(r store.Reader) error {
			return r.Scan(table, "", "", func(_ string, value []byte) error { _ = bytes.Clone(value); return nil })
		})
	}
	_ = s.Update(context.Background(), func(tx store.Tx) error {
		return errors.Join(tx.Put("t", "1 060", make([]byte, 999)), tx.Delete("large", key(2)), tx.Put("new", "a", nil))
	})
	return err
}

// A file that is cut while it is open makes errors, not a crash.
func TestCutWhileOpen(t *testing.T) {
	path := write(t, filled(t))
	s := open(t, path)
	require.NoError(t, os.Truncate(path, 3*pageSize))
	require.Error(t, s.Check())
	require.Error(t, s.View(t.Context(), func(r store.Reader) error {
		return r.Scan("t", "", "", func(string, []byte) error { return nil })
	}))
	require.Error(t, put(s, "1 060", "x"))
}

func TestCheckDuringUpdates(t *testing.T) {
	s := open(t, newPath(t))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := put(s, fmt.Sprint(c, i%300), strings.Repeat("x", i%2000)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 100 {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	wg.Wait()
}

func TestCheckFindsWhatIsNotOurs(t *testing.T) {
	path := newPath(t)
	db, err := bolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("t"))
		if err == nil {
			_, err = b.CreateBucket([]byte("nested"))
		}
		return err
	}))
	require.NoError(t, db.Close())
	s := open(t, path)
	require.ErrorContains(t, s.Check(), "nested")
	require.NoError(t, put(s, "a", "x"))
	require.ErrorIs(t, put(s, "nested", "x"), store.ErrCommit, "damage that a change meets ends the store")
	require.Error(t, put(s, "a", "x"))
}
