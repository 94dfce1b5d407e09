package logcmd

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A small heap grows to verifyHeap, a large one by verifyGC per cent.
func TestPercentFor(t *testing.T) {
	for _, live := range []uint64{0, 1 << 20, minHeap, 20 << 20, 60 << 20, 64 << 20, 200 << 20, 4 << 30} {
		goal := max(live, minHeap) / 100 * uint64(100+percentFor(live))
		want := max(uint64(verifyHeap), live/100*(100+verifyGC))
		require.InEpsilon(t, want, goal, 0.02, "%d bytes in use", live)
	}
}

// GOGC is set anew after a collection, and after the next one.
func TestCollectSeldom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	collectSeldom()
	for range 2 {
		debug.SetGCPercent(17)
		require.Eventually(t, func() bool {
			runtime.GC()
			now := debug.SetGCPercent(17)
			return now != 17
		}, 10*time.Second, 10*time.Millisecond)
	}
}
