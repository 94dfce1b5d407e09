// Package postgres runs a PostgreSQL server of its own in a temporary folder, and leaves nothing of it behind.
//
// It takes the programs of Debian's package. The server listens on a unix socket in its folder, and on no port. Its
// durability is PostgreSQL's default.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// account is the user that runs the server for root, for whom PostgreSQL refuses to run.
const account = "postgres"

// ErrMissing says that PostgreSQL is not installed.
var ErrMissing = errors.New("PostgreSQL is not installed: make bench-peers installs Debian's package")

// pattern matches the folders of Debian's packages, by version.
const pattern = "/usr/lib/postgresql/*/bin"

// stopPatience is how long the server may take to end.
const stopPatience = time.Minute

// Server is a server that runs.
type Server struct {
	dir, bin   string
	credential *syscall.Credential // nil: the user's own
}

// Start makes a database cluster in a new folder below parent, and starts its server. After an error nothing is left.
func Start(ctx context.Context, parent string, connections int) (*Server, error) {
	bin, err := find(pattern)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if s.credential, err = credential(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp(parent, "orchestrator-bench-postgres-"); err != nil {
		return nil, err
	}
	if s.credential != nil {
		err = os.Chown(s.dir, int(s.credential.Uid), int(s.credential.Gid))
	}
	if err == nil {
		err = s.start(ctx, connections)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// find returns the folder of the newest version that has the programs.
func find(pattern string) (string, error) {
	folders, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	for _, bin := range folders {
		if _, err := exec.LookPath(filepath.Join(bin, "initdb")); err != nil {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(bin, "pg_ctl")); err == nil {
			return bin, nil
		}
	}
	return "", ErrMissing
}

// version returns the version that a folder of programs is for.
func version(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// credential returns who runs the server: for root another user.
func credential() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	found, err := user.Lookup(account)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// start makes the cluster and starts its server. What is set is what anyone sets who measures: room for the clients,
// memory for the tables, and no checkpoint within the run.
func (s *Server) start(ctx context.Context, connections int) error {
	err := s.run(ctx, "initdb", "-D", s.data(), "-U", account, "-A", "trust", "-E", "UTF8", "--locale", "C")
	if err != nil {
		return err
	}
	options := fmt.Sprintf("-c listen_addresses= -c unix_socket_directories=%s -c unix_socket_permissions=0700 "+
		"-c max_connections=%d -c shared_buffers=256MB -c max_wal_size=8GB", s.dir, connections+10)
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", options, "-w", "start")
}

// Address returns how a client with a pool of so many connections reaches the server.
func (s *Server) Address(connections int) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s pool_max_conns=%d pool_min_conns=%d", s.dir, account, account,
		connections, connections)
}

// Stop ends the server and removes its folder. It does so even if nothing of it had started.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	var err error
	if _, running := os.Stat(filepath.Join(s.data(), "postmaster.pid")); running == nil {
		err = s.run(ctx, "pg_ctl", "-D", s.data(), "-m", "fast", "-w", "stop")
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// run runs one of the programs to its end, out of reach of an interrupt from the terminal.
func (s *Server) run(ctx context.Context, program string, args ...string) error {
	said, err := os.CreateTemp(s.dir, program+"-") // a pipe would stay open with the server that pg_ctl starts
	if err != nil {
		return err
	}
	defer said.Close()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.credential}
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(text)))
	}
	return nil
}
