package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"orchestrator/internal/system/child"
)

// cost is what a command took: its CPU time may be more than the seconds that went by; peak is resident memory in MB.
type cost struct{ seconds, cpu, peak float64 }

func (c cost) wall() float64   { return c.seconds }
func (c cost) memory() float64 { return c.peak }

// timed runs a command of the product once.
func (b *bench) timed(ctx context.Context, dir string, args ...string) (cost, error) {
	return timedCommand(ctx, dir, append([]string{b.binary}, args...)...)
}

// timedCommand runs a program once.
func timedCommand(ctx context.Context, dir string, args ...string) (cost, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	ended, peak := make(chan struct{}), make(chan float64)
	go func() { peak <- watchPeak(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	took := time.Since(begun).Seconds()
	close(ended)
	most := <-peak
	if err != nil {
		return cost{}, fmt.Errorf("%s %s: %w: %s", filepath.Base(args[0]), args[1], err, &out)
	}
	state := cmd.ProcessState
	return cost{took, (state.UserTime() + state.SystemTime()).Seconds(), most}, nil
}

// watchPeak returns the most resident memory of a process in MB, as it was seen until it ended. What wait4 says of it
// is at least that of the process that started it.
func watchPeak(pid int, ended <-chan struct{}) (most float64) {
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for {
		select {
		case <-ended:
			return most
		case <-every.C:
		}
		if now, err := child.Memory(pid, "VmHWM"); err == nil {
			most = max(most, now)
		}
	}
}
