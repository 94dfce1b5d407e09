package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// inside is the variable that tells a program that it runs in the namespace.
const inside = "CHECKCLIENTS_ISOLATED"

// Isolated reports whether this process is in a namespace that Isolate made.
func Isolated() bool { return os.Getenv(inside) == "yes" }

// Isolate runs this program again, in a network namespace that has nothing but loopback, and returns its exit code.
func Isolate(ctx context.Context, args []string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	again := exec.CommandContext(ctx, self, args...)
	again.Env = append(os.Environ(), inside+"=yes")
	again.Stdin, again.Stdout, again.Stderr = nil, os.Stdout, os.Stderr
	again.Cancel = func() error { return again.Process.Signal(syscall.SIGTERM) }
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if id := os.Getuid(); id != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err = again.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("no network namespace can be made here: %w", err)
	}
	return 0, nil
}

// LoopbackUp switches loopback on, which is down in a new namespace.
func LoopbackUp() error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request))) //nolint:gosec // an ioctl takes an address
	if failed != 0 {
		return fmt.Errorf("loopback cannot be switched on: %w", failed)
	}
	return nil
}
