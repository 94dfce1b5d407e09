//go:build !linux

package runner

import (
	"os"
	"syscall"
)

// hunt kills the process group of a run, and nothing that has left it.
type hunt struct{ leader int }

func newHunt(leader int, _ string, _ []*os.File) *hunt { return &hunt{leader: leader} }

// kill ends the group and cannot see whether anything is left. The number of an empty group may have been reused.
func (h *hunt) kill(func() bool) int {
	_ = syscall.Kill(-h.leader, syscall.SIGKILL)
	return 0
}

func (h *hunt) reap() {}

func (p *process) observe() {
	defer close(p.exited)
	_ = p.cmd.Wait() // how it ended is in ProcessState
}

func (p *process) reap() { <-p.exited }
