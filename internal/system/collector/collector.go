// Package collector has the heap of a process grow by an amount before it is collected. GOGC is a factor of what is in
// use: one that gives a small heap room lets a large one take many times its size.
package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// minHeap is what the runtime takes for the heap at least, times GOGC/100.
const minHeap = 4 << 20

// GrowTo lets the heap grow to floor bytes before it is collected, or by percent per cent where that is more, until
// stop is called. GOGC is percent then.
func GrowTo(floor uint64, percent int) (stop func()) {
	g := &growing{floor: floor, percent: percent}
	g.set(Live())
	runtime.SetFinalizer(&collected{g}, (*collected).finalize)
	return g.stop
}

// Live returns how many bytes the last collection has found in use.
func Live() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// growing is how the heap grows.
type growing struct {
	floor   uint64
	percent int

	mu    sync.Mutex
	ended bool
}

func (g *growing) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	debug.SetGCPercent(g.percent)
}

// set sets GOGC for a heap of which so many bytes are in use, and reports whether it has to be set again.
func (g *growing) set(live uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		debug.SetGCPercent(g.percentFor(live))
	}
	return !g.ended
}

func (g *growing) percentFor(live uint64) int {
	return max(g.percent, int(100*g.floor/max(live, minHeap))-100)
}

// collected is found unreachable by every collection.
type collected struct{ *growing }

func (c *collected) finalize() {
	if c.set(Live()) {
		runtime.SetFinalizer(c, (*collected).finalize)
	}
}
