package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/overlay"
)

type model map[[2]string]string

// random writes to a layer and to its model.
func random(r *rand.Rand, l *overlay.Layer, m model) {
	for range r.IntN(60) {
		at := [2]string{fmt.Sprint("t", r.IntN(3)), fmt.Sprint(r.IntN(40))}
		if r.IntN(4) == 0 {
			l.Set(overlay.Write{Table: at[0], Key: at[1]})
			m[at] = "deleted"
		} else {
			value := fmt.Sprint("v", r.Uint32())
			l.Set(overlay.Write{Table: at[0], Key: at[1], Value: []byte(value)})
			m[at] = value
		}
	}
}

func say(w overlay.Write) string {
	if w.Value == nil {
		return "deleted"
	}
	return string(w.Value)
}

func TestALayerIsAnOrderedMap(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		l, m := overlay.New(), model{}
		random(r, l, m)
		copied, unchanged := l.Copy(), l
		before := slices.Collect(unchanged.All())
		random(r, copied, m)
		require.Equal(t, before, slices.Collect(unchanged.All()), "a copy changes nothing of the other")
		require.Equal(t, len(m), copied.Len())
		for at, want := range m {
			value, written := copied.Get(at[0], at[1])
			require.True(t, written)
			require.Equal(t, want, say(overlay.Write{Value: value}))
		}
		_, written := copied.Get("t0", "none")
		require.False(t, written)
		all := slices.Collect(copied.All())
		require.True(t, slices.IsSortedFunc(all, overlay.Write.Compare))
		require.Len(t, all, len(m))
	}
}

func TestMerged(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		newer, older := overlay.New(), overlay.New()
		m, above := model{}, model{}
		random(r, older, m)
		random(r, newer, above)
		for at, value := range above {
			m[at] = value
		}
		from := fmt.Sprint(r.IntN(40))
		var want []string
		for at, value := range m {
			if at[0] == "t1" && at[1] >= from {
				want = append(want, at[1]+"="+value)
			}
		}
		slices.Sort(want)
		var got []string
		next := overlay.Merged(newer, older, "t1", from)
		for w, found := next(); found; w, found = next() {
			got = append(got, w.Key+"="+say(w))
		}
		require.True(t, slices.IsSortedFunc(got, func(a, b string) int {
			return slices.Compare([]byte(a[:slices.Index([]byte(a), '=')]), []byte(b[:slices.Index([]byte(b), '=')]))
		}))
		slices.Sort(got)
		require.Equal(t, want, got)
	}
}

func TestNoLayerIsEmpty(t *testing.T) {
	var none *overlay.Layer
	require.Zero(t, none.Len())
	require.Empty(t, slices.Collect(none.All()))
	_, written := none.Get("t", "a")
	require.False(t, written)
	_, found := overlay.Merged(none, none, "t", "")()
	require.False(t, found)
}
