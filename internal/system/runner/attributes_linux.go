package runner

import "syscall"

// attributes returns those of a program that has a process group of its own and is killed when this process is, by
// whatever: nobody would end it then.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
