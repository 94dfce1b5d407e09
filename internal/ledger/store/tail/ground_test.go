package tail

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
)

// file counts how often each entry is read of a file that has some.
type file struct {
	has  map[store.Place]string
	read map[store.Place]int
	err  error
}

func (f *file) Get(table, key string) ([]byte, error) {
	at := store.Place{Table: table, Key: key}
	f.read[at]++
	if value, is := f.has[at]; is {
		return []byte(value), f.err
	}
	return nil, f.err
}

// The changes of a batch look at the same entries of the file, each of which is read once; what they write counts from
// then on.
func TestABatchReadsAnEntryOfTheFileOnce(t *testing.T) {
	at := func(table, key string) store.Place { return store.Place{Table: table, Key: key} }
	f := &file{has: map[store.Place]string{at("t", "a"): "1", at("t", "b"): "2", at("other", "a"): "3"},
		read: map[store.Place]int{}}
	on := remember(f)
	g := &inWAL{layers: layers{young: overlay.New(), old: overlay.New()}, file: on}
	is := func(table, key, want string) {
		t.Helper()
		value, err := g.Get(table, key)
		require.NoError(t, err)
		require.Equal(t, want, string(value))
	}
	for range 3 {
		is("t", "a", "1")
		is("t", "b", "2")
		is("t", "none", "")
		is("other", "a", "3")
	}
	require.NoError(t, g.Put([]overlay.Write{{Table: "t", Key: "a", Value: []byte("new")}, {Table: "t", Key: "b"},
		{Table: "other", Key: "none", Value: []byte("x")}}))
	is("t", "a", "new")
	is("t", "b", "")
	is("t", "none", "")
	is("other", "a", "3")
	require.Equal(t,
		map[store.Place]int{at("t", "a"): 1, at("t", "b"): 1, at("t", "none"): 1, at("other", "a"): 1}, f.read)

	f.err = errors.New("the disk")
	_, err := g.Get("t", "c")
	require.ErrorIs(t, err, f.err)
	f.err, f.has[at("t", "c")] = nil, "4"
	is("t", "c", "4")
	for i := range 2 * mostKnown {
		is("t", fmt.Sprint(i), "")
	}
	require.Len(t, on.known, mostKnown)
}
