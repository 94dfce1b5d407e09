package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU time in /proc.
const tick = 10 * time.Millisecond

// CPU returns the time that the child has computed so far, and 0 of one that has ended.
func (p *Process) CPU() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(b, []byte(") ")) // the name may hold anything
	f := strings.Fields(string(after))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * tick
}

// Memory returns a line of /proc/PID/status in MB: VmRSS is what is resident now, VmHWM what it was at most.
func Memory(pid int, line string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return kilobytes(string(b), line)
}

func kilobytes(status, name string) (float64, error) {
	for line := range strings.Lines(status) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name+":" && f[2] == "kB" {
			n, err := strconv.ParseFloat(f[1], 64)
			return n * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no line %s", name)
}
