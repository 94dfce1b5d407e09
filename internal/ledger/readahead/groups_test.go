package readahead

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/store"
)

// remote is a snapshot where each call is a round trip.
type remote struct {
	store.Reader
	trips int
	bytes int // that were scanned
	err   error
}

func (r *remote) Get(table, key string) ([]byte, error) {
	r.trips++
	if r.err != nil {
		return nil, r.err
	}
	return r.Reader.Get(table, key)
}

func (r *remote) GetMany(places []store.Place) ([][]byte, error) {
	r.trips++
	return store.GetMany(r.Reader, places)
}

func (r *remote) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	r.trips++
	if r.err != nil {
		return r.err
	}
	return r.Reader.Scan(table, from, to, func(key string, value []byte) error {
		r.bytes += len(value)
		return visit(key, value)
	})
}

// over calls fn with a remote snapshot of a store that has the keys in the table.
func over(t require.TestingT, keys []string, fn func(r *remote)) {
	m := store.NewMemory()
	require.NoError(t, m.Update(context.Background(), func(tx store.Tx) error {
		for _, key := range keys {
			if err := tx.Put(runs, key, []byte("of "+key)); err != nil {
				return err
			}
		}
		return tx.Put("other", "run/00000001", []byte("elsewhere"))
	}))
	require.NoError(t, m.View(context.Background(), func(r store.Reader) error {
		fn(&remote{Reader: r})
		return nil
	}))
}

// runs is a table with the rows of runs.
const runs = "ir"

// rowsOf are the keys of the rows of the run of a number.
func rowsOf(n uint64) (all []string) {
	run := fmt.Sprintf("run/%08x", n)
	for _, row := range []string{"", "cafecafe/request", "cafecafe/obligation/o1", "cafecafe/obligation/o2", "cafecafe/trace"} {
		all = append(all, run+row)
	}
	return all
}

// Whatever is read in whatever order, it is what the store has.
func TestWhatIsReadInGroupsIsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom([]uint64{0, 1, 2, 3, 4, 5, 6, 30, 1<<32 - 2, 1<<32 - 1})
		place := rapid.Custom(func(t *rapid.T) string {
			odd := []string{"run/", "run/x", "run/0000000", "run/0000000A", "run/+0000001", "run0/count/request", "held/a/b", "run/1/x"}
			if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				return rapid.SampledFrom(odd).Draw(t, "odd")
			}
			return rapid.SampledFrom(rowsOf(number.Draw(t, "n"))).Draw(t, "row")
		})
		over(t, rapid.SliceOf(place).Draw(t, "keys"), func(r *remote) {
			all := Groups(r, runs, "run/")
			for range rapid.IntRange(1, 30).Draw(t, "reads") {
				key := place.Draw(t, "key")
				if rapid.Bool().Draw(t, "get") {
					want, _ := r.Reader.Get(runs, key)
					got, err := all.Get(runs, key)
					require.NoError(t, err)
					require.Equal(t, want, got, key)
					continue
				}
				to := key + rapid.SampledFrom([]string{"/", "0", "zzz"}).Draw(t, "to")
				most := rapid.IntRange(1, 9).Draw(t, "most")
				require.Equal(t, scanned(t, r.Reader, key, to, most), scanned(t, all, key, to, most), "%s to %s", key, to)
			}
		})
	})
}

func scanned(t require.TestingT, r store.Reader, from, to string, most int) (found []string) {
	require.NoError(t, r.Scan(runs, from, to, func(key string, value []byte) error {
		found = append(found, key, string(value))
		if len(found) >= 2*most {
			return store.ErrStop
		}
		return nil
	}))
	return found
}

// What only looks like a row of a group is read as it is, and so is what lies in several.
func TestWhatIsNoGroupIsReadAsItIs(t *testing.T) {
	odd := []string{"run/0000000A", "run/+0000001", "run/0000000", "run/ffffffff"}
	over(t, slices.Concat(odd, rowsOf(1), rowsOf(2), rowsOf(10)), func(r *remote) {
		all := Groups(r, runs, "run/")
		for _, key := range odd {
			got, err := all.Get(runs, key)
			require.NoError(t, err)
			require.Equal(t, "of "+key, string(got))
		}
		require.Len(t, scanned(t, all, "run/00000001", "run/00000003", 100), 2*2*len(rowsOf(1)))
		require.Len(t, scanned(t, all, "run/00000001", "", 100), 2*(3*len(rowsOf(1))+2))
	})
}

// Verifies: ORC-389
func TestGroupsTakeFewTrips(t *testing.T) {
	var keys []string
	for n := range uint64(300) {
		keys = append(keys, rowsOf(n)...)
	}
	over(t, keys, func(r *remote) {
		all := Groups(r, runs, "run/")
		for n := 299; n >= 0; n-- {
			for _, place := range rowsOf(uint64(n)) {
				row, err := all.Get(runs, place)
				require.NoError(t, err)
				require.NotNil(t, row)
			}
		}
		require.LessOrEqual(t, r.trips, 15, "1, 2, 4, 8, 16, and then 32 at a time")
	})
	over(t, keys, func(r *remote) {
		all := Groups(r, runs, "run/")
		for _, n := range []uint64{7, 200, 3, 4} {
			_, err := all.Get(runs, rowsOf(n)[0])
			require.NoError(t, err)
		}
		require.Equal(t, 4, r.trips)
		require.Len(t, all.(*groups).rows, len(rowsOf(0)), "one run alone, where they are looked at in no order")
		other, err := all.Get("other", "run/00000001")
		require.NoError(t, err)
		require.Equal(t, "elsewhere", string(other))
	})
}

// Nobody who looks at a row of each of some large groups gets all of them: what was read ahead in vain is bounded.
func TestLargeGroupsAreNotReadAhead(t *testing.T) {
	m := store.NewMemory()
	require.NoError(t, m.Update(context.Background(), func(tx store.Tx) error {
		for n := range uint64(40) {
			for i, key := range rowsOf(n) {
				size := 10
				if n < 20 && i > 0 {
					size = large / 2
				}
				if err := tx.Put(runs, key, make([]byte, size)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	require.NoError(t, m.View(context.Background(), func(from store.Reader) error {
		r := &remote{Reader: from}
		all := Groups(r, runs, "run/").(*groups)
		for n := 39; n >= 0; n-- {
			row, err := all.Get(runs, rowsOf(uint64(n))[0])
			require.NoError(t, err)
			require.Len(t, row, 10)
			require.Len(t, scanned(t, all, rowsOf(uint64(n))[0], rowsOf(uint64(n))[0]+"z", 100), 2*len(rowsOf(0)))
		}
		require.Nil(t, all.rows)
		require.LessOrEqual(t, r.bytes, 20*4*large/2+2*large, "each was scanned once by itself")
		return nil
	}))
}

// Who visits a row may read another group meanwhile.
func TestAVisitMayReadAnotherGroup(t *testing.T) {
	over(t, slices.Concat(rowsOf(1), rowsOf(9)), func(r *remote) {
		read := func(from store.Reader) (found []string) {
			require.NoError(t, from.Scan(runs, "run/00000001", "run/00000001z", func(key string, _ []byte) error {
				found = append(found, key)
				_, err := from.Get(runs, "run/00000009cafecafe/request")
				return err
			}))
			return found
		}
		require.Equal(t, read(r.Reader), read(Groups(r, runs, "run/")))
	})
}

// A failure is told, and is not taken for a run without rows.
func TestAFailureLeavesNothingBehind(t *testing.T) {
	over(t, rowsOf(5), func(r *remote) {
		all := Groups(r, runs, "run/")
		r.err = errors.New("gone")
		_, err := all.Get(runs, rowsOf(5)[0])
		require.ErrorIs(t, err, r.err)
		require.ErrorIs(t, all.Scan(runs, rowsOf(5)[0], rowsOf(5)[0]+"0", nil), r.err)
		r.err = nil
		row, err := all.Get(runs, rowsOf(5)[0])
		require.NoError(t, err)
		require.NotNil(t, row)
	})
}
