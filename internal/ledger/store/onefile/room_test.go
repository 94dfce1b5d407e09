package onefile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

const mega = 1 << 20

// small is a disk that has room for files up to end, and free bytes besides.
type small struct{ free, end atomic.Int64 }

func onSmall(s *onefile.Store, free, end int64) *small {
	d := &small{}
	d.free.Store(free)
	d.end.Store(end)
	s.OnDisk(func(_ func() (int64, error), allocate func(int64) error) (func() (int64, error), func(int64) error) {
		return func() (int64, error) { return d.free.Load(), nil }, func(end int64) error {
			if end > d.end.Load() {
				return syscall.ENOSPC
			}
			return allocate(end)
		}
	})
	return d
}

func wantFull(t *testing.T, err error) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, "disk_full", string(f.Code))
	require.ErrorIs(t, err, fault.InsufficientStorage)
	require.NotErrorIs(t, err, store.ErrCommit, "nothing is unknown")
	require.NotEmpty(t, f.Fix)
}

// On a full disk changes are refused and reads go on; with room they are taken again.
func TestFullDisk(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, s.Full())
	full := onSmall(s, 0, 1<<40)
	for _, free := range []int64{0, mega - 1} {
		full.free.Store(free)
		wantFull(t, put(s, "a", "2"))
		wantFull(t, s.Full())
		value, err := get(s, "a")
		require.NoError(t, err)
		require.Equal(t, "1", value)
		require.NoError(t, s.Check())
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { _, err := tx.Get("t", "a"); return err }), "it writes nothing")
		full.free.Store(mega)
	}
	require.NoError(t, put(s, "a", "2"))
	require.NoError(t, s.Full())
	require.NoError(t, s.Err())
}

// That the disk is full, and that it no longer is, is noticed without a change.
func TestFullDiskIsNoticed(t *testing.T) {
	s := open(t, newPath(t))
	d := onSmall(s, 0, 1<<40)
	s.Look()
	wantFull(t, s.Full())
	d.free.Store(2 * mega)
	s.Look()
	require.NoError(t, s.Full())

	before := s.Size()
	s.Look()
	require.Equal(t, before, s.Size(), "a look takes no room")
}

// A batch that needs more than was set aside runs again with more, and is refused whole where there is none.
func TestRoomForALargeBatch(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	runs := 0
	large := func(key string, size int) error {
		return s.Update(t.Context(), func(tx store.Tx) error { runs++; return tx.Put("t", key, make([]byte, size)) })
	}
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, large("large", 5*mega))
	require.Greater(t, runs, 1, "the first attempt finds too little")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.GreaterOrEqual(t, info.Sys().(*syscall.Stat_t).Blocks*512, int64(5*mega), "its blocks are there")

	d := onSmall(s, 1<<40, s.Size()+4*mega)
	wantFull(t, large("larger", 20*mega))
	require.NoError(t, s.Check())
	require.NoError(t, put(s, "b", "fits"))
	d.end.Store(1 << 40)
	require.NoError(t, large("larger", 20*mega))
	require.NoError(t, s.Check())
	require.NoError(t, s.Close())
	s = open(t, path)
	require.True(t, has(t, s, "larger"))
	require.True(t, has(t, s, "b"))
}

// Whatever is refused for want of room, what is in the file is what was confirmed, and no page is lost.
func TestRefusalsLeaveTheFileSound(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	require.NoError(t, put(s, "a", "1"))
	d := onSmall(s, 1<<40, 3*mega)
	random := rand.New(rand.NewPCG(1, 2))
	model := map[string][]byte{"a": []byte("1")}
	refused := 0
	for i := 0; i < 600 || refused <= 20 && i < 6000; i++ { // which pages are free, and so how many are refused, is up to chance
		next := map[string][]byte{}
		for range 1 + random.IntN(8) {
			next[fmt.Sprint(random.IntN(60))] = bytes.Repeat([]byte{byte(i)}, random.IntN(1<<random.IntN(19)))
		}
		err := s.Update(t.Context(), func(tx store.Tx) error {
			for key, value := range next {
				if len(value)%3 == 0 {
					if err := tx.Delete("t", key); err != nil {
						return err
					}
					continue
				}
				if err := tx.Put("t", key, value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			wantFull(t, err)
			refused++
			if refused%8 == 0 { // seldom, so that hundreds are refused however the pages happen to lie
				d.end.Add(mega / 32)
			}
			continue
		}
		for key, value := range next {
			if delete(model, key); len(value)%3 != 0 {
				model[key] = value
			}
		}
	}
	require.Greater(t, refused, 20)
	require.NoError(t, s.Check())
	require.NoError(t, s.Close())
	s = open(t, path)
	require.NoError(t, s.Check())
	found := map[string][]byte{}
	require.NoError(t, s.View(context.Background(), func(r store.Reader) error {
		return r.Scan("t", "", "", func(key string, value []byte) error { found[key] = bytes.Clone(value); return nil })
	}))
	require.Equal(t, model, found)
}

// Where no blocks can be set aside, as much must be free as the file may still take.
func TestThinFile(t *testing.T) {
	s := open(t, newPath(t))
	free := atomic.Int64{}
	free.Store(mega + 100)
	s.OnDisk(func(_ func() (int64, error), allocate func(int64) error) (func() (int64, error), func(int64) error) {
		return func() (int64, error) { return free.Load(), nil }, func(end int64) error { return errors.Join(allocate(end), onefile.ErrThin) }
	})
	wantFull(t, put(s, "a", "1"))
	free.Store(3 * mega)
	require.NoError(t, put(s, "a", "1"))
}

// An error of the file system itself is no full disk that anybody could mend, and still begins nothing.
func TestDiskThatCannotBeAsked(t *testing.T) {
	s := open(t, newPath(t))
	broken := errors.New("stale file handle")
	s.OnDisk(func(func() (int64, error), func(int64) error) (func() (int64, error), func(int64) error) {
		return func() (int64, error) { return 0, broken }, func(int64) error { t.Error("asked for room"); return nil }
	})
	err := put(s, "a", "1")
	wantFull(t, err)
	require.ErrorIs(t, err, broken)
}
