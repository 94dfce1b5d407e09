package program

import "os"

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
