// Package sandbox runs programs without a network, within a time, and leaves none of their children behind.
package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Command is a program to run.
type Command struct {
	Dir   string
	Args  []string // the first is the program
	Env   []string // all of it
	Limit time.Duration
	Mark  string // part of an environment variable of everything that the program starts, and of nothing else
}

// maxOutput bounds what is kept of a program's output.
const maxOutput = 8 << 20

// Result is how a program ended.
type Result struct {
	Output []byte // standard output and standard error
	Exit   int
	Late   bool // it was ended because it took too long
	Took   time.Duration
}

// Run runs a program to its end. An error is one that could not be started.
func Run(ctx context.Context, c Command) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	program := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	output := &bounded{}
	program.Dir, program.Env, program.Stdout, program.Stderr = c.Dir, c.Env, output, output
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, syscall.SIGKILL) }
	program.WaitDelay = time.Second
	begun := time.Now()
	err := program.Run()
	if program.Process != nil {
		_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL) // what is left of its group
	}
	endMarked(c.Mark)
	result := Result{Output: output.Bytes(), Late: ctx.Err() != nil, Took: time.Since(begun), Exit: -1}
	if program.ProcessState == nil {
		return result, fmt.Errorf("%s cannot be started: %w", c.Args[0], err)
	}
	result.Exit = program.ProcessState.ExitCode()
	return result, nil
}

// Start starts a program that runs until it is stopped. Stopping it twice does nothing.
func Start(c Command) (stop func(), err error) {
	program := exec.Command(c.Args[0], c.Args[1:]...)
	program.Dir, program.Env = c.Dir, c.Env
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := program.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", c.Args[0], err)
	}
	return sync.OnceFunc(func() {
		_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
		_ = program.Wait() // it was killed
	}), nil
}

// endMarked ends the processes that left the group: each that has the mark in its environment.
func endMarked(mark string) {
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || mark == "" {
		return
	}
	for _, file := range environments {
		pid, err := strconv.Atoi(strings.Split(file, "/")[2])
		if err != nil || pid == os.Getpid() {
			continue
		}
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(mark)) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// bounded keeps the beginning of what is written.
type bounded struct{ bytes.Buffer }

// Write implements io.Writer. It takes everything, and drops what is too much.
func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
