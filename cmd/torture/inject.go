package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const attachPatience = 10 * time.Second

// injector is a strace that gives system calls of a running process another outcome.
type injector struct {
	cmd   *exec.Cmd
	trace string // the file that it writes
	ended chan struct{}
}

// inject attaches strace to every thread of a process and waits until it has them all. Each fault is an expression of
// strace, such as fdatasync:error=EIO:when=3; it counts the calls of each thread. What it sees it writes to trace.
func inject(ctx context.Context, pid int, trace string, faults ...string) (*injector, error) {
	args := []string{"-f", "-qq", "-o", trace, "-p", fmt.Sprint(pid)}
	var calls []string
	for _, fault := range faults {
		call, _, _ := strings.Cut(fault, ":")
		calls = append(calls, call)
		args = append(args, "-e", "inject="+fault)
	}
	args = append(args, "-e", "trace="+strings.Join(calls, ","))
	i := &injector{cmd: exec.Command("strace", args...), trace: trace, ended: make(chan struct{})}
	i.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said strings.Builder
	i.cmd.Stderr = &said
	if err := i.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = i.cmd.Wait(); close(i.ended) }()
	ctx, cancel := context.WithTimeout(ctx, attachPatience)
	defer cancel()
	for !traced(pid, i.cmd.Process.Pid) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-i.ended:
			return nil, errors.New("strace ended: " + said.String())
		case <-ctx.Done():
			i.detach()
			return nil, fmt.Errorf("strace did not attach: %w", ctx.Err())
		}
	}
	return i, nil
}

// traced reports whether every thread of a process is traced by another.
func traced(pid, by int) bool {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, task := range tasks {
		if status, err := os.ReadFile(task); err != nil ||
			!strings.Contains(string(status), fmt.Sprintf("\nTracerPid:\t%d\n", by)) {
			return false
		}
	}
	return len(tasks) > 0
}

// detach lets the process go on without faults.
func (i *injector) detach() {
	_ = i.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-i.ended:
	case <-time.After(attachPatience):
		_ = i.cmd.Process.Kill()
		<-i.ended
	}
}

// injected counts the calls that were given another outcome, once strace has ended.
func (i *injector) injected() (int, error) {
	i.detach()
	trace, err := os.ReadFile(i.trace)
	return strings.Count(string(trace), "(INJECTED)"), err
}
