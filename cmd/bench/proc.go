package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/system/child"
)

// memory returns a line of /proc/PID/status in MB.
func (s *server) memory(line string) (float64, error) { return child.Memory(s.Pid(), line) }

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
