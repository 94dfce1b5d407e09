package runner

import "syscall"

// attributes give a program a process group of its own, and have it killed when we are, by whatever: nobody would end
// it then.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
