package collector

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A small heap grows to the floor, a large one by the percentage.
func TestAHeapGrowsToTheFloorAtLeast(t *testing.T) {
	g := &growing{floor: 112 << 20, percent: 50}
	for _, live := range []uint64{0, 1 << 20, minHeap, 20 << 20, 60 << 20, 64 << 20, 200 << 20, 4 << 30} {
		goal := max(live, minHeap) / 100 * uint64(100+g.percentFor(live))
		want := max(g.floor, live/100*150)
		require.InEpsilon(t, want, goal, 0.02, "%d bytes in use", live)
	}
}

// GOGC is set at once, and anew after each collection, until it is to stop.
func TestTheCollectorIsSetAfterEachCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	setTo := func(percent int) (before int) { return debug.SetGCPercent(percent) }
	stop := GrowTo(1<<30, 50)
	require.Greater(t, setTo(17), 100)
	for range 2 {
		setTo(17)
		require.Eventually(t, func() bool {
			runtime.GC()
			return setTo(17) != 17
		}, 10*time.Second, 10*time.Millisecond)
	}
	stop()
	require.Equal(t, 50, setTo(17))
	for range 10 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	require.Equal(t, 17, setTo(17))
}
