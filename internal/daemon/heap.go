package daemon

import (
	"runtime"
	"runtime/debug"

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

// settle gives back what only the start needed. It returns memory that counts as live and is never touched, so that it
// takes none. While that is kept the heap grows to heapFloor before it is collected.
func (h heap) settle() (ballast []byte) {
	debug.FreeOSMemory()
	program.LetGo()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return make([]byte, h.missing(m.HeapAlloc))
}

// missing returns how much more must count as live for a heap of so many live bytes to grow to heapFloor: all that
// counts grows by the percentage, and what is missing is never touched.
func (h heap) missing(live uint64) uint64 {
	grown := live * uint64(100+h.percent) / 100
	return (heapFloor - min(grown, heapFloor)) * 100 / uint64(h.percent)
}

// sparingly does what needs much memory once, beside requests: the garbage is collected early, and given back.
func (h heap) sparingly(do func()) {
	debug.SetGCPercent(besides)
	do()
	debug.SetGCPercent(h.percent)
	debug.FreeOSMemory()
}
