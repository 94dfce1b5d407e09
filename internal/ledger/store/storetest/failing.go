package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

func testFailingUpdate(t *testing.T, s store.Store) {
	put(t, s, "t", "a", "old")
	err := s.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(tx.Put("t", "a", []byte("new")), tx.Put("u", "b", nil), tx.Delete("t", "a"), errRefused)
	})
	require.ErrorIs(t, err, errRefused)
	require.NotErrorIs(t, err, store.ErrCommit)
	require.Equal(t, []string{"a=old"}, dump(t, s, "t"))
	require.Empty(t, dump(t, s, "u"))
	require.ErrorIs(t, s.View(t.Context(), func(store.Reader) error { return errRefused }), errRefused)
}

func testPanics(t *testing.T, s store.Store) {
	boom := func(tx store.Tx) error {
		_ = tx.Put("t", "a", nil)
		panic(errRefused)
	}
	view := s.View(t.Context(), func(store.Reader) error { panic(errRefused) })
	for _, err := range []error{s.Update(t.Context(), boom), view} {
		require.ErrorIs(t, err, errRefused, "a panic with an error can be told")
		var p *store.Panic
		require.ErrorAs(t, err, &p)
		require.Contains(t, string(p.Stack), "storetest")
	}
	require.Error(t, s.Update(t.Context(), func(tx store.Tx) error { panic(42) }))
	require.Empty(t, dump(t, s, "t"))
	put(t, s, "t", "a", "the store lives on")
}

func testEndedContext(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fail := func(store.Getter) error { panic("called although the context has ended") }
	require.ErrorIs(t, viewing(ctx, s)(fail), context.Canceled)
	require.ErrorIs(t, updating(ctx, s)(fail), context.Canceled)
}

// testContextEndsWhileWaiting ends one context before its function starts, and one after.
func testContextEndsWhileWaiting(t *testing.T, s store.Store) {
	started, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	ctx, cancel := context.WithCancel(t.Context())
	running := make(chan error, 1)
	go func() {
		running <- s.Update(ctx, func(tx store.Tx) error {
			once.Do(func() { close(started) })
			<-release
			return tx.Put("t", "running", nil)
		})
	}()
	<-started
	waiting := make(chan error, 1)
	go func() { waiting <- s.Update(ctx, func(tx store.Tx) error { return tx.Put("t", "waiting", nil) }) }()
	cancel()
	require.ErrorIs(t, <-waiting, context.Canceled, "it does not wait for the one before it")
	go close(release)
	err := <-running
	put(t, s, "u", "after", "") // whatever is under way is over then
	if err == nil {
		require.Equal(t, []string{"running="}, dump(t, s, "t"), "once run, the outcome is the real one")
	} else {
		require.Empty(t, dump(t, s, "t"), "an error means that nothing happened")
	}
}

func testClosed(t *testing.T, s store.Store) {
	put(t, s, "t", "a", "1")
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	fail := func(store.Getter) error { panic("called although the store is closed") }
	require.ErrorIs(t, viewing(t.Context(), s)(fail), store.ErrClosed)
	require.ErrorIs(t, updating(t.Context(), s)(fail), store.ErrClosed)
}

func testCloseWaits(t *testing.T, s store.Store) {
	var wg sync.WaitGroup
	outcomes := make([]error, 32)
	for i := range outcomes {
		wg.Go(func() {
			outcomes[i] = s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("t", fmt.Sprint(i), nil) })
		})
	}
	require.NoError(t, s.Close())
	wg.Wait()
	for _, err := range outcomes {
		if err != nil {
			require.ErrorIs(t, err, store.ErrClosed)
		}
	}
}

// testFailingNeighbours runs many updates at once, of which every third fails and every third panics.
func testFailingNeighbours(t *testing.T, s store.Store) {
	const n = 192
	outcomes := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			outcomes[i] = s.Update(t.Context(), func(tx store.Tx) error {
				err := errors.Join(tx.Put("t", "shared", fmt.Append(nil, i)),
					tx.Put("t", fmt.Sprintf("own %03d", i), nil))
				switch {
				case err != nil || i%3 == 0:
					return err
				case i%3 == 1:
					return errRefused
				default:
					panic(errRefused)
				}
			})
		})
	}
	wg.Wait()
	var want []string
	for i, err := range outcomes {
		if i%3 == 0 {
			require.NoError(t, err)
			want = append(want, fmt.Sprintf("own %03d=", i))
		} else {
			require.ErrorIs(t, err, errRefused)
		}
	}
	rows := dump(t, s, "t")
	require.Equal(t, want, rows[:len(rows)-1])
	var last int
	_, err := fmt.Sscanf(rows[len(rows)-1], "shared=%d", &last)
	require.NoError(t, err)
	require.Zero(t, last%3, "written by an update that failed")
}
