package logcmd

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// verifyGC is by how many per cent the heap may grow between collections: what a verification holds on to is the state
// of the whole project, and there is no need to have it nearly twice.
const verifyGC = 50

// verifyHeap is how large a heap may grow before it is collected at all. Of a log that holds on to little, the
// collections would take a fifth of the time otherwise.
const verifyHeap = 112 << 20

// minHeap is what the runtime takes for the heap at least, times GOGC/100.
const minHeap = 4 << 20

// collectSeldom has the heap collected when it has grown by verifyGC per cent, and to verifyHeap. GOGC is a factor: it
// is set anew after each collection.
func collectSeldom() {
	debug.SetGCPercent(100 * verifyHeap / minHeap)
	runtime.SetFinalizer(&collected{}, (*collected).finalize)
}

// collected is found unreachable by every collection.
type collected struct{ live [1]metrics.Sample }

func (c *collected) finalize() {
	c.live[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.live[:])
	debug.SetGCPercent(percentFor(c.live[0].Value.Uint64()))
	runtime.SetFinalizer(c, (*collected).finalize)
}

// percentFor returns GOGC for a heap of which so many bytes are in use.
func percentFor(live uint64) int {
	return max(verifyGC, int(100*verifyHeap/max(live, minHeap))-100)
}
