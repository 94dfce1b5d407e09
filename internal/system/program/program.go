// Package program lets go of the pages of the program that runs. A start reads most of its code and tables once, which
// then stay resident, while what it does afterwards needs half of them.
package program

import (
	"fmt"
	"strings"
	"syscall"
)

// mapping is a range of addresses at which the program is mapped, to be read and never written.
type mapping struct{ from, to uintptr }

// letGo takes the pages out of the memory of this process; they stay in the cache of the system, and come back when they
// are needed again. After an error the system goes on as before.
func (m mapping) letGo() {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
}

// code returns where a file is mapped to be run, of the lines of /proc/self/maps. What was written would be lost: data
// that is read only now may have been relocated before.
func code(maps, path string) (all []mapping) {
	for line := range strings.Lines(maps) {
		f := strings.Fields(line)
		if len(f) < 6 || strings.Join(f[5:], " ") != path || f[1] != "r-xp" {
			continue
		}
		var m mapping
		if _, err := fmt.Sscanf(f[0], "%x-%x", &m.from, &m.to); err == nil {
			all = append(all, m)
		}
	}
	return all
}
