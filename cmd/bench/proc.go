package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU time in /proc.
const tick = 10 * time.Millisecond

// cpu returns the time that the process has computed so far.
func (s *server) cpu() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Pid()))
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

// memory returns a line of /proc/PID/status in MB: VmRSS is what is resident now, VmHWM what it was at most.
func (s *server) memory(line string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Pid()))
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

// calm waits until the product has exported what it committed, so that its work does not weigh on another's
// round. A floor is calm at once.
func (s *server) calm(ctx context.Context) error {
	end := time.Now().Add(calmPatience)
	for time.Now().Before(end) && ctx.Err() == nil {
		if !s.exports {
			return nil
		}
		var size [2]float64
		for i, name := range []string{"log_records", "export_log_records"} {
			value, err := s.metric("orchestrator_" + name)
			if err != nil {
				return err
			}
			size[i] = value
		}
		if size[0] == size[1] {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the export did not catch up in %v", calmPatience)
}

func (s *server) metric(name string) (float64, error) {
	page, err := fetch(s.addr, s.get("viewer", "/metrics")(nil, 0))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(page)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			return strconv.ParseFloat(f[1], 64)
		}
	}
	return 0, fmt.Errorf("/metrics does not show %s", name)
}
