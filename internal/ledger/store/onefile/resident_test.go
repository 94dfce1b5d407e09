//go:build linux

package onefile_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

// residentFiles is how many bytes of files are mapped and in the memory of this process.
func residentFiles(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "RssFile:")
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(t, err)
	return kilobytes << 10
}

// entries of size bytes each make a file of 79 MB.
const entries, size = 1200, 64 << 10

func fill(t *testing.T, s store.Store) {
	t.Helper()
	for first := 0; first < entries; first += 200 {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			for i := range 200 {
				if err := tx.Put("t", fmt.Sprintf("%06d", first+i), bytes.Repeat([]byte{byte(first + i)}, size)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// Whoever reads the whole file does not end up with the whole file in memory.
func TestScanLetsGoOfThePagesItHasPassed(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	fill(t, s)
	require.NoError(t, s.Close())
	s, err := onefile.Open(path, onefile.Options{ReadOnly: true})
	require.NoError(t, err)
	before, most, sum := residentFiles(t), 0, 0
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		i := 0
		return r.Scan("t", "", "", func(_ string, value []byte) error {
			if len(value) != size || value[0] != byte(i) || value[size-1] != byte(i) {
				return fmt.Errorf("entry %d is another", i)
			}
			if i++; i%50 == 0 {
				most = max(most, residentFiles(t)-before)
			}
			sum += bytes.Count(value, value[:1])
			return nil
		})
	}))
	require.Equal(t, entries*size, sum)
	require.Less(t, most, 40<<20, "of a file of 79 MB")
	require.NoError(t, s.Close())
}

// Nor does whoever scans piece after piece, each in a View of its own.
func TestManyViewsLetGoOfTheirPages(t *testing.T) {
	s := open(t, newPath(t))
	fill(t, s)
	before, most := residentFiles(t), 0
	for i := range entries {
		key, sum := fmt.Sprintf("%06d", i), 0
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			return r.Scan("t", key, key+"\x00", func(_ string, value []byte) error {
				sum += bytes.Count(value, []byte{byte(i)})
				return nil
			})
		}))
		require.Equal(t, size, sum)
		most = max(most, residentFiles(t)-before)
	}
	require.Less(t, most, 40<<20, "of a file of 79 MB")
	require.NoError(t, s.Close())
}

// Nor does whoever reads entry after entry in one transaction.
func TestManyGetsLetGoOfTheirPages(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	fill(t, s)
	read := func(from store.Getter) error {
		before, most := residentFiles(t), 0
		for i := range entries {
			value, err := from.Get("t", fmt.Sprintf("%06d", i))
			if err != nil || bytes.Count(value, []byte{byte(i)}) != size {
				return fmt.Errorf("entry %d is another: %w", i, err)
			}
			if i%50 == 0 {
				most = max(most, residentFiles(t)-before)
			}
		}
		require.Less(t, most, 40<<20, "of a file of 79 MB")
		return nil
	}
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return read(tx) }))
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error { return read(r) }))
	require.NoError(t, s.Close())
}

// A large value that is read again brings no more pages, so that the pages of the others stay.
func TestALargeValueThatIsReadAgainCountsLittle(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	fill(t, s)
	require.NoError(t, s.Close())
	s, err := onefile.Open(path, onefile.Options{ReadOnly: true, LookEvery: time.Hour})
	require.NoError(t, err)
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		sum := 0
		for i := range 8 {
			value, err := r.Get("t", fmt.Sprintf("%06d", 100*i))
			require.NoError(t, err)
			sum += bytes.Count(value, value[:1])
		}
		require.Equal(t, 8*size, sum)
		before := residentFiles(t)
		for range 100 {
			value, err := r.Get("t", "000050")
			require.NoError(t, err)
			require.Equal(t, byte(50), value[0])
		}
		require.GreaterOrEqual(t, residentFiles(t), before, "the pages that were read have been let go")
		return nil
	}))
	require.NoError(t, s.Close())
}

// Whoever reads large values one after the other, or one that is written anew each time, has not many of them resident.
func TestLargeValuesDoNotPileUp(t *testing.T) {
	const large = 2 << 20
	value := strings.Repeat("\x01", large)
	t.Run("others", func(t *testing.T) {
		path := newPath(t)
		s := open(t, path)
		for i := range 24 {
			require.NoError(t, put(s, fmt.Sprint(i), value))
		}
		require.NoError(t, s.Close())
		s = open(t, path)
		before, most := residentFiles(t), 0
		for i := range 24 {
			most = max(most, readWhole(t, s, fmt.Sprint(i))-before)
		}
		require.Less(t, most, 4*large)
	})
	t.Run("new ones", func(t *testing.T) {
		s := open(t, newPath(t))
		require.NoError(t, put(s, "a", value))
		held, ended := make(chan struct{}), make(chan error)
		begun := make(chan struct{})
		go func() { // keeps the pages of all values from being used again
			ended <- s.View(context.Background(), func(store.Reader) error { close(begun); <-held; return nil })
		}()
		<-begun
		before, most := residentFiles(t), 0
		for range 24 {
			require.NoError(t, put(s, "a", value))
			most = max(most, readWhole(t, s, "a")-before)
		}
		close(held)
		require.NoError(t, <-ended)
		require.Less(t, most, 4*large)
	})
}

// readWhole reads all of a value, and returns how many bytes of files are resident then.
func readWhole(t *testing.T, s store.Store, key string) (resident int) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		value, err := r.Get("t", key)
		require.Equal(t, len(value), bytes.Count(value, []byte{1}))
		resident = residentFiles(t)
		return err
	}))
	return resident
}
