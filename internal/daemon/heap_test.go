package daemon

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

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

// What traffic has taken is given back when there is none, and that is all.
func TestMemoryIsGivenBackAtRest(t *testing.T) {
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	debug.FreeOSMemory()
	before := forced()
	go heap{50}.rest(t.Context())
	garbage := make([][]byte, 0, 64)
	for range cap(garbage) {
		garbage = append(garbage, make([]byte, 4<<20))
		time.Sleep(often / 10)
	}
	runtime.KeepAlive(garbage)
	require.Eventually(t, func() bool { return forced() > before }, time.Minute, often)
	require.Eventually(t, func() bool {
		last := forced()
		time.Sleep(3 * seldom)
		return forced() == last
	}, time.Minute, often, "there is no end to it")
}

// What is done alone may make much garbage before it is collected.
func TestWhatIsDoneAloneIsCollectedSeldom(t *testing.T) {
	h := newHeap()
	goal := func() uint64 {
		runtime.GC()
		return read("/gc/heap/goal:bytes")
	}
	before, alone := goal(), uint64(0)
	h.alone(func() { alone = goal() })
	require.Greater(t, alone, before+reserve)
	require.Less(t, goal(), before+reserve/2)
}
