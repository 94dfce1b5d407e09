package onefile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

func accepting(*onefile.Store) error { return nil }

// steps are those that Compact goes through.
var steps = []string{"created", "copied", "synced", "checked", "renamed"}

// grown is a database with many free pages: entries came, grew and went.
func grown(t *testing.T) string {
	path := newPath(t)
	s := open(t, path)
	random := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			for range 40 {
				at := key(random.IntN(300))
				if err := tx.Put("t", at, bytes.Repeat([]byte(at), 1+random.IntN(300))); err != nil {
					return err
				}
			}
			return errors.Join(tx.Delete("t", key(random.IntN(300))), tx.Put("inline", "empty", nil), tx.Put("gone", "a", nil))
		}))
	}
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("gone", "a") }))
	require.NoError(t, s.Check())
	require.NoError(t, s.Close())
	return path
}

// content is all that a file holds, read by bbolt itself.
func content(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	require.NoError(t, err)
	all := map[string]map[string]string{}
	require.NoError(t, db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			all[string(name)] = map[string]string{}
			return b.ForEach(func(k, v []byte) error { all[string(name)][string(k)] = string(v); return nil })
		})
	}))
	require.NoError(t, db.Close())
	return all
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

// left are the names in a file's folder.
func left(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCompactKeepsEveryEntry(t *testing.T) {
	path := grown(t)
	require.NoError(t, os.Chmod(path, 0o640))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(path, 123, 456))
	}
	before, size := content(t, path), sizeOf(t, path)
	s := open(t, path)
	var shown string
	c, err := s.Compact(t.Context(), func(compacted *onefile.Store) error {
		value, err := get(compacted, key(7))
		shown = value
		return errors.Join(err, onlyReads(compacted))
	})
	require.NoError(t, err)
	require.Equal(t, size, c.Before)
	require.Equal(t, sizeOf(t, path), c.After)
	require.Less(t, c.After, size/2, "more than half of it was free")
	require.Equal(t, map[string]int{"t": len(before["t"]), "inline": 1, "gone": 0}, c.Entries)
	require.Equal(t, before["t"][key(7)], shown)
	require.Equal(t, before, content(t, path))
	require.Equal(t, []string{"state.db"}, left(t, path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	if os.Getuid() == 0 {
		require.EqualValues(t, 123, info.Sys().(*syscall.Stat_t).Uid)
		require.EqualValues(t, 456, info.Sys().(*syscall.Stat_t).Gid)
	}

	// The old file, which is still open, takes nothing more.
	requireReplaced(t, put(s, "a", "b"))
	_, err = get(s, key(7))
	requireReplaced(t, err)
	require.NoError(t, s.Close())
	again := open(t, path)
	require.NoError(t, again.Check())
	require.NoError(t, put(again, "a", "b"), "it lives on")
	require.NoError(t, again.Check())
}

func onlyReads(s store.Store) error {
	if put(s, "a", "b") == nil {
		return errors.New("the copy can be written to")
	}
	return nil
}

func requireReplaced(t *testing.T, err error) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, "store_replaced", string(f.Code))
	require.NotEmpty(t, f.Fix)
}

// What is compact already is left as it is, down to the file itself.
func TestCompactWhereNothingIsToBeWon(t *testing.T) {
	path := grown(t)
	_, err := open(t, path).Compact(t.Context(), accepting)
	require.NoError(t, err)
	before, err := os.Stat(path)
	require.NoError(t, err)
	s := open(t, path)
	c, err := s.Compact(t.Context(), accepting)
	require.NoError(t, err)
	require.Equal(t, c.Before, c.After)
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
	require.Equal(t, []string{"state.db"}, left(t, path))
	require.NoError(t, put(s, "a", "b"), "it can still be used")
}

// A failure at any step leaves the old file, or after the rename the new one, and nothing beside it.
func TestCompactFails(t *testing.T) {
	boom := errors.New("boom")
	for _, step := range append([]string{"accept", "cancel"}, steps...) {
		t.Run(step, func(t *testing.T) {
			path := grown(t)
			before := content(t, path)
			old, err := os.ReadFile(path)
			require.NoError(t, err)
			s := open(t, path)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err = s.CompactReaching(ctx, func(*onefile.Store) error {
				switch step {
				case "accept":
					return boom
				case "cancel":
					cancel()
				}
				return nil
			}, func(reached string) error {
				if reached == step {
					return boom
				}
				return nil
			})
			if step == "cancel" {
				require.ErrorIs(t, err, context.Canceled)
			} else {
				require.ErrorIs(t, err, boom)
				require.NotEmpty(t, err.(*fault.Error).Fix)
			}
			require.Equal(t, []string{"state.db"}, left(t, path))
			now, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, step != "renamed", bytes.Equal(old, now))
			if step != "renamed" {
				require.NoError(t, put(s, "later", "x"), "the store goes on")
				before["t"]["later"] = "x"
			}
			require.NoError(t, s.Close())
			require.Equal(t, before, content(t, path))
		})
	}
}

// A copy that is not the same is not taken.
func TestCompactComparesEveryEntry(t *testing.T) {
	for name, spoil := range map[string]func(*bolt.Bucket) error{
		"changed":  func(b *bolt.Bucket) error { return b.Put([]byte(key(7)), []byte("x")) },
		"dropped":  func(b *bolt.Bucket) error { return b.Delete([]byte(key(7))) },
		"last":     func(b *bolt.Bucket) error { k, _ := b.Cursor().Last(); return b.Delete(k) },
		"added":    func(b *bolt.Bucket) error { return b.Put([]byte("zzz"), nil) },
		"a table":  func(b *bolt.Bucket) error { _, err := b.Tx().CreateBucket([]byte("zzz")); return err },
		"no table": func(b *bolt.Bucket) error { return b.Tx().DeleteBucket([]byte("inline")) },
	} {
		t.Run(name, func(t *testing.T) {
			path := grown(t)
			old, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = open(t, path).CompactReaching(t.Context(), accepting, func(step string) error {
				if step != "synced" {
					return nil
				}
				db, err := bolt.Open(filepath.Join(filepath.Dir(path), ".state.db.compact"), 0o600, nil)
				if err != nil {
					return err
				}
				return errors.Join(db.Update(func(tx *bolt.Tx) error { return spoil(tx.Bucket([]byte("t"))) }), db.Close())
			})
			require.ErrorContains(t, err, "not compacted")
			now, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(old, now))
		})
	}
}

// A copy whose structure is not sound is not taken, even when all entries can still be read from it.
func TestCompactChecksTheCopy(t *testing.T) {
	path := grown(t)
	damaged := 0
	_, err := open(t, path).CompactReaching(t.Context(), accepting, func(step string) error {
		if step != "synced" {
			return nil
		}
		copied := filepath.Join(filepath.Dir(path), ".state.db.compact")
		b, err := os.ReadFile(copied)
		for at := 2 * pageSize; at < len(b); at += pageSize {
			if branch := b[at : at+pageSize]; branch[8] == 1 { // the key of its first entry follows its two or more entries
				first := 16 + int(branch[16]) + int(branch[17])<<8
				branch[first] ^= 0xFF
				damaged++
			}
		}
		return errors.Join(err, os.WriteFile(copied, b, 0o600))
	})
	require.NotZero(t, damaged)
	require.ErrorContains(t, err, "was not compacted, and is as it was")
	require.ErrorContains(t, err.(*fault.Error).Cause(), "damaged")
}

// compactAndDie compacts, and ends at the step that stands behind the path, as a crash would.
func compactAndDie(arg string) error {
	path, step, _ := strings.Cut(arg, "\n")
	s, err := onefile.Open(path, onefile.Options{})
	if err != nil {
		return err
	}
	_, err = s.CompactReaching(context.Background(), accepting, func(reached string) error {
		if reached == step {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	return fmt.Errorf("it lived on: %w", err)
}

// Killed at any step: the file is whole, and what was left beside it is gone after the next run.
func TestCompactKilled(t *testing.T) {
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			path := grown(t)
			before, size := content(t, path), sizeOf(t, path)
			out, err := child(t, "compact", path+"\n"+step).CombinedOutput()
			require.ErrorContains(t, err, "killed", "%s", out)
			require.Equal(t, before, content(t, path))
			if step != "renamed" {
				require.Equal(t, []string{".state.db.compact", "state.db"}, left(t, path))
				require.Equal(t, size, sizeOf(t, path))
			}
			s := open(t, path)
			require.NoError(t, s.Check())
			_, err = s.Compact(t.Context(), accepting)
			require.NoError(t, err)
			require.NoError(t, s.Close())
			require.Equal(t, before, content(t, path))
			require.Equal(t, []string{"state.db"}, left(t, path))
			require.Less(t, sizeOf(t, path), size)
		})
	}
}

func TestCompactThroughALink(t *testing.T) {
	path := grown(t)
	before := content(t, path)
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(path, link))
	c, err := open(t, link).Compact(t.Context(), accepting)
	require.NoError(t, err)
	require.Less(t, c.After, c.Before)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type(), "the link stays")
	require.Equal(t, before, content(t, path))
	require.Equal(t, []string{"link.db"}, left(t, link))
}

// Whoever waited for the lock of the old file gets the new one, and not one that has no name any more.
func TestOpenWaitsForCompact(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		t.Run(fmt.Sprint(readOnly), func(t *testing.T) { openWaitsForCompact(t, readOnly) })
	}
}

func openWaitsForCompact(t *testing.T, readOnly bool) {
	path := grown(t)
	s := open(t, path)
	type opened struct {
		s   *onefile.Store
		err error
	}
	waiting := make(chan opened)
	go func() {
		s, err := onefile.Open(path, onefile.Options{LockTimeout: time.Minute, ReadOnly: readOnly})
		waiting <- opened{s, err}
	}()
	time.Sleep(200 * time.Millisecond) // it waits for the lock now; if it does not yet, it cannot fail
	c, err := s.Compact(t.Context(), accepting)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	next := <-waiting
	require.NoError(t, next.err)
	require.Equal(t, c.After, next.s.Size())
	require.NoError(t, next.s.Close())
}

// An update that came while the file was compacted is refused, and not lost unseen.
func TestUpdateDuringCompact(t *testing.T) {
	path := grown(t)
	s := open(t, path)
	answered := make(chan error)
	_, err := s.Compact(t.Context(), func(*onefile.Store) error {
		go func() { answered <- put(s, "later", "x") }()
		time.Sleep(50 * time.Millisecond) // it waits for the writer now
		return nil
	})
	require.NoError(t, err)
	requireReplaced(t, <-answered)
	require.NotContains(t, content(t, path)["t"], "later")
}

func TestCompactRefuses(t *testing.T) {
	path := grown(t)
	s, err := onefile.Open(path, onefile.Options{ReadOnly: true})
	require.NoError(t, err)
	_, err = s.Compact(t.Context(), accepting)
	require.ErrorContains(t, err, "for reading only")
	require.NoError(t, s.Close())
	_, err = s.Compact(t.Context(), accepting)
	require.Error(t, err)
}
