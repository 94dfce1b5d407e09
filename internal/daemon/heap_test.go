package daemon

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A heap of few live bytes grows to the floor, and one of many by the percentage.
func TestAHeapGrowsToTheFloorAtLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := heap{rapid.IntRange(1, 400).Draw(t, "percent")}
		live := rapid.Uint64Range(1<<20, 1<<30).Draw(t, "live")
		missing := h.missing(live)
		grown := (live+missing)*uint64(100+h.percent)/100 - missing // in bytes that are touched
		want := max(uint64(heapFloor), live*uint64(100+h.percent)/100)
		if grown > want || grown < want-2*uint64(100+h.percent) {
			t.Fatalf("grows to %d, not to %d", grown, want)
		}
	})
}

func TestTheCollectorIsSetInOnePlace(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	h := newHeap()
	percent := func() int { now := debug.SetGCPercent(-1); debug.SetGCPercent(now); return now }
	require.Equal(t, h.percent, percent())
	h.sparingly(func() { require.Equal(t, besides, percent()) })
	require.Equal(t, h.percent, percent())
}
