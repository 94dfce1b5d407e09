package tail

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
)

// file counts how often each key is read of a file that has some.
type file struct {
	has  map[string]string
	read map[string]int
	err  error
}

func (f *file) Get(_, key string) ([]byte, error) {
	f.read[key]++
	if value, is := f.has[key]; is {
		return []byte(value), f.err
	}
	return nil, f.err
}

// The changes of a batch look at the same entries of the file, each of which is read once; what they write counts from
// then on.
func TestABatchReadsAnEntryOfTheFileOnce(t *testing.T) {
	f := &file{has: map[string]string{"a": "1", "b": "2"}, read: map[string]int{}}
	known := map[store.Place][]byte{}
	g := &inWAL{layers: layers{young: overlay.New(), old: overlay.New()}, file: &remembering{from: f, known: known}}
	is := func(key, want string) {
		t.Helper()
		value, err := g.Get("t", key)
		require.NoError(t, err)
		require.Equal(t, want, string(value))
	}
	for range 3 {
		is("a", "1")
		is("b", "2")
		is("none", "")
	}
	require.NoError(t, g.Put([]overlay.Write{{Table: "t", Key: "a", Value: []byte("new")}, {Table: "t", Key: "b"},
		{Table: "other", Key: "none", Value: []byte("x")}}))
	is("a", "new")
	is("b", "")
	is("none", "")
	require.Equal(t, map[string]int{"a": 1, "b": 1, "none": 1}, f.read)

	f.err = errors.New("the disk")
	_, err := g.Get("t", "c")
	require.ErrorIs(t, err, f.err)
	f.err = nil
	is("c", "")
	for i := range 2 * mostKnown {
		is(fmt.Sprint(i), "")
	}
	require.Len(t, known, mostKnown)
}
