package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// urlOf returns the URL of a database on a host: a name, an address, or the folder of a socket.
func urlOf(host, port, database string) string {
	if database == "" {
		database = account
	}
	query := url.Values{"host": {host}, "port": {port}, "user": {account}}
	return "postgres:///" + database + "?" + query.Encode()
}

// Resume starts a server that was halted or killed.
func (s *Server) Resume(ctx context.Context) error {
	options := []string{"-c", "unix_socket_directories=" + s.dir, "-c", "port=" + s.port}
	for _, setting := range s.settings {
		options = append(options, "-c", setting)
	}
	log := filepath.Join(s.dir, "log")
	err := s.run(ctx, "pg_ctl", "-D", s.data(), "-l", log, "-o", strings.Join(options, " "), "-w", "-t", "60", "start")
	if err != nil {
		text, _ := os.ReadFile(log)
		err = fmt.Errorf("%w\n%s", err, text)
	}
	return err
}

// Halt ends the server, and its sessions. It may be started again. A server that does not run is not an error.
func (s *Server) Halt() error {
	if _, running := os.Stat(s.pidFile()); running != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-m", "fast", "-w", "stop")
}

// Kill ends all processes of the server by kill -9, as the loss of its machine does, and returns when they are gone. It
// may be started again. The first process is stopped before and ends last: once it is gone, the others no longer wait
// for a standby, and show each other what only this server has.
func (s *Server) Kill() error {
	first, err := s.pid()
	if err != nil {
		return err
	}
	if err := syscall.Kill(first, syscall.SIGSTOP); err != nil {
		return err
	}
	all := append(children(first), first)
	for _, pid := range all {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	for _, pid := range all {
		for began := time.Now(); alive(pid); time.Sleep(time.Millisecond) {
			if time.Since(began) > stopPatience {
				return fmt.Errorf("process %d of PostgreSQL outlives its kill", pid)
			}
		}
	}
	// What names the process must go: its number may go to another.
	return errors.Join(os.Remove(s.pidFile()), os.Remove(s.Socket()+".lock"))
}

func (s *Server) pidFile() string { return filepath.Join(s.data(), "postmaster.pid") }

// pid returns the number of the first process of the server.
func (s *Server) pid() (int, error) {
	text, err := os.ReadFile(s.pidFile())
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

// stat returns the state of a process and the number of its parent; "" if there is no such process.
func stat(pid int) (state string, parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// alive reports whether a process runs. One that has ended may wait for its parent to take note.
func alive(pid int) bool {
	state, _ := stat(pid)
	return state != "" && state != "Z"
}

func children(of int) (pids []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, entry := range entries {
		pid, _ := strconv.Atoi(filepath.Base(entry))
		if _, parent := stat(pid); parent == of {
			pids = append(pids, pid)
		}
	}
	return pids
}

// StandbyOptions say what a standby is like.
type StandbyOptions struct {
	Name        string // by which the primary knows it
	Synchronous bool   // the primary waits for it with every commit
	Via         *Proxy // what lies between the two; nil: nothing
}

// Standby makes a server that follows s, starts it, and waits until it streams.
func (s *Server) Standby(ctx context.Context, o StandbyOptions) (*Server, error) {
	standby, err := newServer(s.parent, append(slices.Clone(s.settings), "wal_retrieve_retry_interval=100ms"))
	if err != nil {
		return nil, err
	}
	from := s.URL("")
	if o.Via != nil {
		from = o.Via.URL("")
	}
	err = standby.run(ctx, "pg_basebackup", append([]string{
		"-D", standby.data(), "-R", "-X", "stream", "-c", "fast", "-d", from + "&application_name=" + o.Name,
	}, standby.unsynced()...)...)
	if err == nil {
		err = standby.Resume(ctx)
	}
	if err == nil && o.Synchronous {
		err = s.WaitFor(ctx, o.Name)
	}
	if err == nil {
		err = s.awaitStandby(ctx, o)
	}
	if err != nil {
		return nil, errors.Join(err, standby.Stop())
	}
	return standby, nil
}

// WaitFor makes the commits of a server wait for a standby by name, or for none.
func (s *Server) WaitFor(ctx context.Context, name string) error {
	_, err := s.SQL(ctx, "", "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'", "SELECT pg_reload_conf()")
	return err
}

func (s *Server) awaitStandby(ctx context.Context, o StandbyOptions) error {
	want := "async"
	if o.Synchronous {
		want = "sync"
	}
	for ; ; time.Sleep(20 * time.Millisecond) {
		state, err := s.SQL(ctx, "", "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming' "+
			"AND application_name = '"+o.Name+"'")
		if err != nil || state == want {
			return err
		}
	}
}

// Promote makes a standby a primary, and returns when it takes writes.
func (s *Server) Promote(ctx context.Context) error {
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-w", "-t", "60", "promote")
}
