//go:build !linux

package runner

import "syscall"

// attributes returns those of a program that has a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
