// Package background runs a program that goes on when the one that started it ends, and finds it again.
//
// The program holds a lock on a file for as long as it runs, and the kernel says which process has the lock. So its id
// is never that of another process that came later, as the id in a file may be.
package background

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a program that was started.
type Process struct {
	ID    int
	ended chan struct{}
}

// Start starts a program in a session of its own, which no terminal ends. What it prints is added to the file log, and
// there is nothing for it to read. It runs in the working folder of this process.
func Start(program string, args []string, log string, environ []string) (*Process, error) {
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(program, args...) //nolint:gosec // this program itself
	cmd.Stdout, cmd.Stderr, cmd.Env = out, out, environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{ID: cmd.Process.Pid, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended stands in its log
		close(p.ended)
	}()
	return p, nil
}

// Ended returns a channel that is closed when the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Stop asks the program to end, and reports whether it did within a time.
func (p *Process) Stop(within time.Duration) bool {
	if running, err := os.FindProcess(p.ID); err == nil {
		_ = running.Signal(syscall.SIGTERM) // it may have ended
	}
	select {
	case <-p.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// wholeFile is a lock on all of a file.
func wholeFile() *syscall.Flock_t { return &syscall.Flock_t{Type: syscall.F_WRLCK} }

// held keeps the files open whose locks this process holds: to close one of them would release its lock.
var held []*os.File

// ErrStranger says that a lock is not one that Hold took: its file has another name, too, or no process is known to
// have it.
var ErrStranger = errors.New("the lock is that of another program")

// checkNames refuses a file that has another name, under which any program may have locked it.
func checkNames(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if stat, is := info.Sys().(*syscall.Stat_t); !is || !info.Mode().IsRegular() || stat.Nlink > 1 {
		return ErrStranger
	}
	return nil
}

// Hold takes the lock on the file at path for this process, which keeps it until it ends. The file is made where it is
// missing.
func Hold(path string) error {
	const mode = os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	file, err := os.OpenFile(path, mode, 0o600) //nolint:gosec // in the data folder that its owner names
	if err != nil {
		return err
	}
	if err = checkNames(file); err == nil {
		err = syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, wholeFile())
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	held = append(held, file)
	return nil
}

// Holder returns the id of the process that holds the lock on the file at path, or 0 for none. The error is ErrStranger
// for a lock that Hold did not take.
func Holder(path string) (id int, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lock := wholeFile()
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, lock); err != nil || lock.Type == syscall.F_UNLCK {
		return 0, err
	}
	if err := checkNames(file); err != nil {
		return 0, err
	}
	if lock.Pid <= 0 {
		return 0, ErrStranger // a lock of an open file, not of a process
	}
	return int(lock.Pid), nil
}

// lookAgain is how long a wait for a lock sleeps between two looks.
const lookAgain = 20 * time.Millisecond

// End asks the process that holds the lock on the file at path to end by SIGTERM, and waits until it has. It returns
// its id, or 0 if no process holds the lock. A process that check refuses is not asked. End never kills: when ctx ends
// first, that is the error.
func End(ctx context.Context, path string, check func(id int) error) (id int, err error) {
	id, err = Holder(path)
	if err != nil || id <= 0 {
		return 0, err
	}
	process, err := os.FindProcess(id)
	if err != nil {
		return 0, err
	}
	// The lock is looked at again with the process in hand: what has it now cannot become another process.
	if now, err := Holder(path); err != nil || now != id {
		return 0, err
	}
	if err := check(id); err != nil {
		return id, err
	}
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return id, err
	}
	for now := id; now == id; now, err = Holder(path) {
		select {
		case <-ctx.Done():
			return id, ctx.Err()
		case <-time.After(lookAgain):
		}
	}
	return id, err
}

// showWithin is how long Show waits to learn whether a browser was opened.
const showWithin = 2 * time.Second

// Show opens a URL in the browser of the person at this machine. What opens it may be the browser itself, which goes on
// when this process ends.
func Show(url string) error {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	cmd := exec.Command(opener, url)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(showWithin):
		return nil
	}
}
