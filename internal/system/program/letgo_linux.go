package program

import (
	"os"
	"unsafe"
)

// LetGo takes the program's pages out of memory as far as they can be brought back. Call it when a start is done.
func LetGo() {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for _, m := range code(string(maps), path) {
		m.letGo()
	}
}

// Empty takes the memory of a slice from this process until it is touched again: it holds zeros then. Nobody may use it
// meanwhile.
func Empty(b []byte) {
	page := uintptr(os.Getpagesize())
	first := uintptr(unsafe.Pointer(unsafe.SliceData(b))) //nolint:gosec // what is there belongs to b
	whole := mapping{(first + page - 1) &^ (page - 1), (first + uintptr(len(b))) &^ (page - 1)}
	if whole.from < whole.to {
		whole.letGo()
	}
}
