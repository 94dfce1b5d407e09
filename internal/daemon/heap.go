package daemon

import "runtime"

// heapFloor is how far the heap of a small project may grow between two collections: by the collector's own rule it
// would be collected so often that this took a fifth of the time.
//
// The floor is an amount, and GOGC a factor: one that gives a small heap that room would let a heap that has grown
// since take many times its size.
const heapFloor = 40 << 20

// ballast returns memory that counts as live and is never touched, so that it takes none. While it is kept the heap
// grows to heapFloor before it is collected.
func ballast() []byte {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return make([]byte, heapFloor-min(2*m.HeapAlloc, heapFloor))
}
