package daemon

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/system/program"
)

const (
	// heapFloor is how far the heap of a small project may grow between two collections: by the collector's own rule it
	// would be collected so often that this took a fifth of the time.
	//
	// The floor is an amount, and GOGC a factor: one that gives a small heap that room would let a heap that has grown
	// since take many times its size.
	heapFloor = 40 << 20

	// The heap is looked at seldom until a collection is worthwhile, and then often until less than quiet is allocated
	// from one look to the next.
	seldom = 500 * time.Millisecond
	often  = 100 * time.Millisecond
	quiet  = 512 << 10

	// reserve counts as live while documents are imported before any request. Without it, the collector would take a
	// fifth of the time of an import into a small heap.
	reserve = 64 << 20

	// besides is by how many per cent the heap may grow between collections while documents are read beside requests.
	besides = 10
)

// heap decides how far the heap grows between two collections. Nothing else in the process does.
type heap struct{ percent int }

// newHeap returns the heap of a process that opens a project, and then serves it.
func newHeap() heap {
	h := heap{documents.GCPercent}
	debug.SetGCPercent(h.percent)
	return h
}

// settle gives back what only the start needed. While the ballast is kept, the heap grows to heapFloor before it is
// collected.
func (h heap) settle() (ballast []byte) {
	debug.FreeOSMemory()
	program.LetGo()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return newBallast(h.missing(m.HeapAlloc))
}

// newBallast returns memory that counts as live and is never touched, so that it takes none.
func newBallast(bytes uint64) []byte {
	ballast := make([]byte, bytes)
	program.Empty(ballast) // where others have lain, it was filled with zeros
	return ballast
}

// rest gives back what traffic has needed, when there is little for a moment, until ctx ends: the heap has then grown
// to its goal, and would stay so. It makes at most one collection for each that allocating makes.
func (h heap) rest(ctx context.Context) {
	wait, before := seldom, allocated()
	for given := before; ; {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		now := allocated()
		switch wait = seldom; {
		case now-given < h.growth():
		case now-before < quiet:
			debug.FreeOSMemory()
			program.LetGo()
			given = now
		default:
			wait = often
		}
		before = now
	}
}

// growth returns how much is allocated from one collection to the next.
func (h heap) growth() uint64 { return read("/gc/heap/live:bytes") * uint64(h.percent) / 100 }

// allocated returns how many bytes were allocated so far.
func allocated() uint64 { return read("/gc/heap/allocs:bytes") }

func read(metric string) uint64 {
	sample := []metrics.Sample{{Name: metric}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// missing returns how much more must count as live for a heap of so many live bytes to grow to heapFloor: all that
// counts grows by the percentage, and what is missing is never touched.
func (h heap) missing(live uint64) uint64 {
	grown := live * uint64(100+h.percent) / 100
	return (heapFloor - min(grown, heapFloor)) * 100 / uint64(h.percent)
}

// alone does what needs much memory once, before there are requests.
func (h heap) alone(do func()) {
	defer runtime.KeepAlive(newBallast(reserve))
	do()
}

// sparingly does what needs much memory once, beside requests: the garbage is collected early, and given back.
func (h heap) sparingly(do func()) {
	debug.SetGCPercent(besides)
	do()
	debug.SetGCPercent(h.percent)
	debug.FreeOSMemory()
}
