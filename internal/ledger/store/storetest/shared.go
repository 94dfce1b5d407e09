package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

const (
	long  = time.Minute // a lease that lasts as long as its test
	short = 150 * time.Millisecond
	wait  = 10 * time.Second // for what must come
)

// RunShared checks what a Shared promises beyond a Store. open returns n handles on one new, empty store and closes
// them when its test ends.
func RunShared(t *testing.T, open func(t *testing.T, n int) []store.Shared) {
	for _, c := range []struct {
		name string
		test func(*testing.T, []store.Shared)
	}{
		{"view is a snapshot", inTurns(testSnapshot)},
		{"model", inTurns(testModel)},
		{"no lost update", inTurns(testNoLostUpdate)},
		{"failing neighbours", inTurns(testFailingNeighbours)},
		{"strictly serialisable", inTurns(testSerialisable)},
		{"newest is what was committed", testNewest},
		{"the bell rings", testBell},
		{"several keys at once", testGetMany},
		{"one holds the lease", testOneHolder},
		{"a lease ends by itself", testExpiry},
		{"a lease is renewed", testRenewal},
		{"a lease is released", testRelease},
		{"many want the lease", testRace},
		{"a fenced update writes nothing", testFence},
		{"a fenced update and its neighbours", testFencedNeighbours},
		{"a takeover while an update runs", testTakeover},
		{"closing one handle", testCloseOne},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t, 3)) })
	}
}

// rotating sends each call to the next of several handles.
type rotating struct {
	handles []store.Shared
	calls   atomic.Int64
}

func inTurns(test func(*testing.T, store.Store)) func(*testing.T, []store.Shared) {
	return func(t *testing.T, all []store.Shared) { test(t, &rotating{handles: all}) }
}

func (r *rotating) next() store.Shared { return r.handles[r.calls.Add(1)%int64(len(r.handles))] }

func (r *rotating) View(ctx context.Context, fn func(store.Reader) error) error {
	return r.next().View(ctx, fn)
}

func (r *rotating) Update(ctx context.Context, fn func(store.Tx) error) error {
	return r.next().Update(ctx, fn)
}

func (r *rotating) Close() error {
	var errs []error
	for _, h := range r.handles {
		errs = append(errs, h.Close())
	}
	return errors.Join(errs...)
}

// testNewest asks every handle for a key after each acknowledged commit, while the others commit too.
func testNewest(t *testing.T, all []store.Shared) {
	absent, err := all[0].Newest(t.Context(), "t", "head")
	require.NoError(t, err)
	require.Nil(t, absent)
	var wg sync.WaitGroup
	for c := range all {
		wg.Go(func() {
			for range 25 {
				var mine int
				if err := all[c].Update(t.Context(), func(tx store.Tx) (err error) {
					mine, err = increment(tx)
					return err
				}); err != nil {
					t.Error(err)
					return
				}
				for _, other := range all {
					raw, err := other.Newest(t.Context(), "t", "head")
					if n, _ := strconv.Atoi(string(raw)); err != nil || n < mine {
						t.Errorf("%d was committed, the newest is %d: %v", mine, n, err)
					}
				}
			}
		})
	}
	wg.Wait()
	put(t, all[0], "t", "empty", "")
	empty, err := all[1].Newest(t.Context(), "t", "empty")
	require.NoError(t, err)
	require.NotNil(t, empty, "an empty value is not missing")
}

// testBell commits until the others have heard it: a ring may be lost, and not all of them.
func testBell(t *testing.T, all []store.Shared) {
	for _, other := range all[1:] {
		for len(other.Bell()) > 0 {
			<-other.Bell()
		}
		deadline := time.Now().Add(wait)
		for heard := false; !heard; {
			require.Less(t, time.Now(), deadline, "the bell is silent")
			put(t, all[0], "t", "a", "1")
			select {
			case <-other.Bell():
				heard = true
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

func testGetMany(t *testing.T, all []store.Shared) {
	put(t, all[0], "t", "a", "1")
	put(t, all[0], "t", "b", "")
	put(t, all[0], "u", "c", "of another table")
	want := [][]byte{[]byte(""), nil, []byte("1"), []byte("1"), []byte("of another table")}
	check := func(from store.Getter) error {
		values, err := store.GetMany(from, append(store.Places("t", "b", "c", "a", "a"), store.Places("u", "c")...))
		if err != nil || fmt.Sprintf("%#v", values) != fmt.Sprintf("%#v", want) {
			return fmt.Errorf("%#v %w", values, err)
		}
		if values, err = store.GetMany(from, nil); err != nil || len(values) != 0 {
			return fmt.Errorf("of no keys: %v %w", values, err)
		}
		return nil
	}
	require.NoError(t, viewing(t.Context(), all[1])(check))
	for range 3 {
		require.NoError(t, updating(t.Context(), all[2])(check))
	}
	require.NoError(t, all[1].Update(t.Context(), func(tx store.Tx) error {
		if err := errors.Join(tx.Put("t", "a", []byte("2")), tx.Delete("t", "b")); err != nil {
			return err
		}
		values, err := store.GetMany(tx, store.Places("t", "a", "b"))
		if err != nil || string(values[0]) != "2" || values[1] != nil {
			return fmt.Errorf("does not see its own writes: %q %w", values, err)
		}
		return nil
	}))
}

// testCloseOne closes one handle; the others go on.
func testCloseOne(t *testing.T, all []store.Shared) {
	lease := acquire(t, all[1], long)
	require.NoError(t, all[0].Close())
	_, err := all[0].Newest(t.Context(), "t", "a")
	require.ErrorIs(t, err, store.ErrClosed)
	_, err = all[0].Acquire(t.Context(), "other", "0", long)
	require.ErrorIs(t, err, store.ErrClosed)
	put(t, all[1], "t", "a", "1")
	require.Equal(t, "1", get(t, all[2], "t", "a"))
	require.NoError(t, all[1].Renew(t.Context(), lease, long))
}
