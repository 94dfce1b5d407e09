package main

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
)

// How long a server may take to come up, to catch up with its export, and to end.
const (
	startPatience = 2 * time.Minute
	calmPatience  = 30 * time.Second
	stopPatience  = 30 * time.Second
)

// server is a child process that answers HTTP in a folder of its own.
type server struct {
	dir     string
	addr    string
	exports bool // it is the product
	cmd     *exec.Cmd
	ended   chan struct{}
	err     error         // how it ended
	ready   time.Duration // from its start to its first answer
}

// product starts the product in dir, where its requirement documents are.
func (b *bench) product(ctx context.Context, dir string, flags ...string) (*server, error) {
	args := append([]string{"serve", "--addr", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "json", "--log-level", "info", "--evidence", "record", "--demo-tokens"}, flags...)
	documents, err := filepath.Glob(filepath.Join(dir, "REQUIREMENTS-*.md"))
	for _, path := range documents {
		args = append(args, "--requirements", filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, dir, "/requirements/"+requirementID(0), b.binary, args...)
	if err == nil {
		s.exports = true
	}
	return s, err
}

// floor starts a floor in dir, where the bytes are that it serves or commits.
func (b *bench) floor(ctx context.Context, kind, dir string) (*server, error) {
	return start(ctx, dir, "/", b.self, kind)
}

// start runs a program in dir and waits for its first answer to a GET of path.
func start(ctx context.Context, dir, path, program string, args ...string) (*server, error) {
	addrFile := filepath.Join(dir, ".orchestrator", "addr")
	if err := os.MkdirAll(filepath.Dir(addrFile), 0o700); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(addrFile); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := &server{dir: dir, cmd: exec.Command(program, args...), ended: make(chan struct{})}
	s.cmd.Dir, s.cmd.Stderr = dir, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is for us; we end the children in order
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.err = s.cmd.Wait(); close(s.ended) }()
	if err := s.await(ctx, addrFile, path); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.ready = time.Since(begun)
	return s, s.ownsPort()
}

func (s *server) await(ctx context.Context, addrFile, path string) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for s.addr == "" {
		if b, err := os.ReadFile(addrFile); err == nil && strings.HasSuffix(string(b), "\n") {
			s.addr = strings.TrimSpace(string(b))
		}
		select {
		case <-time.After(time.Millisecond):
		case <-s.ended:
			return fmt.Errorf("%s ended early: %w: %s", s.cmd, s.err, s.lastLog())
		case <-ctx.Done():
			return fmt.Errorf("%s did not come up: %w: %s", s.cmd, ctx.Err(), s.lastLog())
		}
	}
	_, err := fetch(s.addr, s.get("pm", path)(nil, 0))
	return err
}

func (s *server) lastLog() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(b[max(0, len(b)-1000):])
}

// secret is the token that the product made for a role; a floor has none and gets a text of the same length.
func (s *server) secret(role string) string {
	b, err := os.ReadFile(filepath.Join(s.dir, ".orchestrator", "tokens", role+".token"))
	if err != nil {
		return strings.Repeat("x", len("orc_coder_")+43)
	}
	return strings.TrimSpace(string(b))
}

// ownsPort makes sure that it is this child that answers.
func (s *server) ownsPort() error {
	_, port, err := net.SplitHostPort(s.addr)
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
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
	for _, fd := range fds {
		if to, _ := os.Readlink(fd); to == socket {
			return nil
		}
	}
	return errors.Join(err, fmt.Errorf("port %s is not the child's", port), s.stop())
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

// stop ends the child and what it may have started, at first kindly. A second call does nothing.
func (s *server) stop() error {
	group := -s.cmd.Process.Pid
	select {
	case <-s.ended:
		return nil
	default:
		_ = syscall.Kill(group, syscall.SIGTERM)
	}
	select {
	case <-s.ended:
		return s.err
	case <-time.After(stopPatience):
		_ = syscall.Kill(group, syscall.SIGKILL)
		<-s.ended
		return fmt.Errorf("%s did not end in %v", s.cmd, stopPatience)
	}
}
