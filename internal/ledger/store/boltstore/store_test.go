package boltstore_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/ledger/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, newPath(t)) })
}

func TestReopen(t *testing.T) {
	path := newPath(t)
	for i := range 3 {
		s := open(t, path)
		for j := range i {
			value, err := get(s, fmt.Sprint(j))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint("value ", j), value)
		}
		require.NoError(t, put(s, fmt.Sprint(i), fmt.Sprint("value ", i)))
		require.NoError(t, s.Check())
		require.NoError(t, s.Close())
	}
}

func appendForEver(path string) error {
	s, err := boltstore.Open(path, boltstore.Options{})
	for i := 0; err == nil; i++ {
		if err = put(s, fmt.Sprint(i), fmt.Sprint("value ", i)); err == nil {
			fmt.Println(i)
		}
	}
	return err
}

// What another process was told to be durable is there after it was killed.
func TestKilled(t *testing.T) {
	path := newPath(t)
	for range 3 {
		cmd, lines := start(t, "append", path)
		told := -1
		for told < 40 && lines.Scan() {
			told++
			require.Equal(t, fmt.Sprint(told), lines.Text())
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		s := open(t, path)
		require.NoError(t, s.Check())
		for i := range told + 1 {
			value, err := get(s, fmt.Sprint(i))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint("value ", i), value)
		}
		require.NoError(t, s.Close())
	}
}

// pileUp keeps the writer busy until n more updates wait, and returns when all are answered.
func pileUp(t *testing.T, s *boltstore.Store, n int, update func(i int) error) (outcomes []error) {
	busy, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Update(t.Context(), func(store.Tx) error { close(busy); <-release; return nil })
	})
	<-busy
	outcomes = make([]error, n)
	for i := range n {
		wg.Go(func() { outcomes[i] = update(i) })
	}
	require.Eventually(t, func() bool { return s.Waiting() == n }, time.Minute, time.Millisecond)
	close(release)
	wg.Wait()
	return outcomes
}

func TestGroupCommit(t *testing.T) {
	for n, batches := range map[int]uint64{1: 1, 64: 1, boltstore.MaxBatchUpdates: 1, boltstore.MaxBatchUpdates + 1: 2} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := open(t, newPath(t))
			for _, err := range pileUp(t, s, n, func(i int) error { return put(s, fmt.Sprint(i), "") }) {
				require.NoError(t, err)
			}
			st := s.Stats()
			require.Equal(t, batches, st.Batches)
			require.Equal(t, uint64(n+1), st.Updates)
			require.Zero(t, st.Failed)
			require.Positive(t, st.Size)
			require.NoError(t, s.Check())
		})
	}
}

func TestBatchIsBoundedInBytes(t *testing.T) {
	s := open(t, newPath(t))
	big := string(make([]byte, 6<<20))
	for _, err := range pileUp(t, s, 4, func(i int) error { return put(s, fmt.Sprint(i), big) }) {
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, s.Stats().Batches, "three reach the bound of 16 MiB")
}

func TestNothingWrittenIsNotCommitted(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	require.NoError(t, put(s, "a", "1"))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	errRefused := errors.New("refused")
	outcomes := pileUp(t, s, 9, func(i int) error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			switch i % 3 {
			case 0:
				return errors.Join(tx.Put("t", "a", nil), errRefused)
			case 1:
				_ = tx.Put("t", "a", nil)
				panic(errRefused)
			}
			_, err := tx.Get("t", "a")
			return err
		})
	})
	for i, err := range outcomes {
		require.Equal(t, i%3 != 2, errors.Is(err, errRefused), "%v", err)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.EqualValues(t, 1, s.Stats().Batches)
	require.EqualValues(t, 6, s.Stats().Failed)
}

// A function that ends its goroutine, as require does in a test, must not stop the store.
func TestGoexit(t *testing.T) {
	s := open(t, newPath(t))
	outcomes := pileUp(t, s, 3, func(i int) error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			if i == 1 {
				runtime.Goexit()
			}
			return tx.Put("t", fmt.Sprint(i), nil)
		})
	})
	require.Error(t, outcomes[1])
	require.NoError(t, put(s, "a", "alive"))
	for i, err := range outcomes {
		require.Equal(t, err == nil, has(t, s, fmt.Sprint(i)), "an error means that nothing happened")
	}
}

func has(t *testing.T, s store.Store, key string) (found bool) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		value, err := r.Get("t", key)
		found = value != nil
		return err
	}))
	return found
}
