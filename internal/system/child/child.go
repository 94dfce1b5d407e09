// Package child runs programs that answer HTTP as child processes, for the programs that measure the product and those
// that torture it.
//
// A child runs in a process group of its own: an interrupt from the terminal reaches the parent alone, which then ends
// its children in order. A child is ended by its id, never by a name.
package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/datadir"
)

// How long a child may take to come up, and to end when it is asked to.
const (
	startPatience = 2 * time.Minute
	stopPatience  = 30 * time.Second
)

// ErrEnded is wrapped by what Start returns when the child ended before it answered.
var ErrEnded = errors.New("ended early")

// Command says what to start.
type Command struct {
	Dir     string // where it runs; it writes its address to .orchestrator/addr in it
	Log     string // the file that gets its standard error
	Program string
	Args    []string
	Answers func(*Process) error // makes the first request; Start returns when it has returned
}

// Process is a child that has been started.
type Process struct {
	Dir   string
	Addr  string        // host:port
	Ready time.Duration // from its start to its first answer

	log   string
	begun time.Time
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how it ended; written before ended is closed
}

// Start starts a program and waits for its first answer. After an error no child is left.
func Start(ctx context.Context, c Command) (*Process, error) {
	p, err := Launch(c)
	if err != nil {
		return nil, err
	}
	if err := p.Await(ctx, c.Answers); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

// Launch starts a program and waits for nothing. Await waits for its first answer.
func Launch(c Command) (*Process, error) {
	if err := os.MkdirAll(string(dataOf(c.Dir)), 0o700); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(dataOf(c.Dir).Address()); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &Process{Dir: c.Dir, log: c.Log, cmd: exec.Command(c.Program, c.Args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stderr = c.Dir, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.begun = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.err = p.cmd.Wait(); close(p.ended) }()
	return p, nil
}

// dataOf returns the data folder of a child that runs in dir.
func dataOf(dir string) datadir.Dir { return datadir.Dir(filepath.Join(dir, datadir.Default)) }

// Await waits for the child's first answer, and makes sure that it is this child that gives it.
func (p *Process) Await(ctx context.Context, answers func(*Process) error) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for p.Addr == "" {
		if b, err := os.ReadFile(dataOf(p.Dir).Address()); err == nil && strings.HasSuffix(string(b), "\n") {
			p.Addr = strings.TrimSpace(string(b))
		}
		select {
		case <-time.After(time.Millisecond):
		case <-p.ended:
			return fmt.Errorf("%s %w: %w: %s", p.cmd, ErrEnded, p.err, p.LastLog())
		case <-ctx.Done():
			return fmt.Errorf("%s did not come up: %w: %s", p.cmd, ctx.Err(), p.LastLog())
		}
	}
	if err := answers(p); err != nil {
		return err
	}
	p.Ready = time.Since(p.begun)
	return p.ownsPort()
}

// Pid returns the id of the child's process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Ended returns a channel that is closed when the child has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// ExitCode returns the exit code of a child that has ended, and -1 of one that runs or was ended by a signal.
func (p *Process) ExitCode() int {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	default:
		return -1
	}
}

// LastLog returns the end of what the child wrote to its standard error.
func (p *Process) LastLog() string {
	b, _ := os.ReadFile(p.log)
	return string(b[max(0, len(b)-1000):])
}

// Secret reads the token that the first start in dir made for a role.
func Secret(dir, role string) (string, error) {
	b, err := os.ReadFile(dataOf(dir).Token(role))
	return strings.TrimSpace(string(b)), err
}

// ownsPort makes sure that it is this child that listens on its port.
func (p *Process) ownsPort() error {
	_, port, err := net.SplitHostPort(p.Addr)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return err
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return err
	}
	socket := listener(string(table), n)
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Pid()))
	for _, fd := range fds {
		if to, _ := os.Readlink(fd); to == socket {
			return nil
		}
	}
	return errors.Join(err, fmt.Errorf("port %s is not the child's", port))
}

// listener finds who listens on a port of 127.0.0.1 in /proc/net/tcp.
func listener(table string, port uint64) string {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) > 9 && f[1] == fmt.Sprintf("0100007F:%04X", port) && f[3] == "0A" {
			return "socket:[" + f[9] + "]"
		}
	}
	return "nobody"
}

// Stop asks the child and what it may have started to end, and kills them when they do not. It returns how the child
// ended; of one that had ended before, nothing.
func (p *Process) Stop() error {
	select {
	case <-p.ended:
		return nil
	default:
		p.signal(syscall.SIGTERM)
	}
	select {
	case <-p.ended:
		return p.err
	case <-time.After(stopPatience):
		p.Kill()
		return fmt.Errorf("%s did not end in %v", p.cmd, stopPatience)
	}
}

// Kill ends the child and what it may have started with SIGKILL, and waits for its end. Killing one that has ended does
// nothing.
func (p *Process) Kill() {
	select {
	case <-p.ended:
	default:
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

func (p *Process) signal(s syscall.Signal) { _ = syscall.Kill(-p.Pid(), s) }
