// Package postgres runs PostgreSQL servers in temporary folders, for tests and for the programs that measure. It makes
// standbys of them, kills them, and puts a network between them and their clients.
//
// It takes the programs of Debian's package. A server listens on a unix socket in its folder, and on no port. Its
// durability is PostgreSQL's default unless the settings say otherwise. It ends with the process that started it,
// however that ends, and leaves nothing behind.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// account is the user that runs the server for root, for whom PostgreSQL refuses to run. It is also the superuser of
// the database.
const account = "postgres"

// ErrMissing says that PostgreSQL is not installed.
var ErrMissing = errors.New("PostgreSQL is not installed: make postgres installs Debian's package")

// pattern matches the folders of Debian's packages, by version.
const pattern = "/usr/lib/postgresql/*/bin"

// stopPatience is how long the server may take to end.
const stopPatience = time.Minute

// Server is a server that runs, or that was killed or halted.
type Server struct {
	dir, bin   string
	parent     string
	settings   []string
	port       string              // that names the socket
	credential *syscall.Credential // nil: the user's own
	guard      *guard
}

// Start makes a database cluster in a new folder below parent, and starts its server. Settings are lines such as
// "fsync=off". After an error nothing is left.
func Start(ctx context.Context, parent string, connections int, settings ...string) (*Server, error) {
	s, err := newServer(parent, slices.Concat(defaults(connections), settings))
	if err != nil {
		return nil, err
	}
	if err = s.initialize(ctx); err == nil {
		err = s.Resume(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// defaults are what anyone sets who measures: room for the clients, memory for the tables, and no checkpoint within the
// run.
func defaults(connections int) []string {
	return []string{
		"listen_addresses=", "unix_socket_permissions=0700", "shared_buffers=256MB", "max_wal_size=8GB",
		"max_connections=" + strconv.Itoa(connections+10),
	}
}

func (s *Server) initialize(ctx context.Context) error {
	return s.run(ctx, "initdb", append([]string{
		"-D", s.data(), "-U", account, "-A", "trust", "-E", "UTF8", "--locale", "C",
	}, s.unsynced()...)...)
}

// unsynced returns the flag of programs that write files for a server that does not wait for the disk.
func (s *Server) unsynced() []string {
	if slices.Contains(s.settings, "fsync=off") {
		return []string{"--no-sync"}
	}
	return nil
}

// newServer makes the folder of a server.
func newServer(parent string, settings []string) (*Server, error) {
	bin, err := find(pattern)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, parent: parent, settings: settings, port: "5432"}
	if s.credential, err = credential(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp(parent, "orchestrator-postgres-"); err != nil {
		return nil, err
	}
	if s.credential != nil {
		err = os.Chown(s.dir, int(s.credential.Uid), int(s.credential.Gid))
	}
	if err == nil {
		s.guard, err = newGuard(s.dir)
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

// Address returns how a client with a pool of so many connections reaches the server.
func (s *Server) Address(connections int) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s pool_max_conns=%d pool_min_conns=%d", s.dir, account, account,
		connections, connections)
}

// URL returns how the superuser reaches a database of the server, "" standing for the first one.
func (s *Server) URL(database string) string { return urlOf(s.dir, s.port, database) }

// Socket returns the path of the socket that the server listens on.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL."+s.port) }

// SQL runs statements by psql as the superuser, each by itself, and returns what that prints: rows in lines, columns
// separated by "|".
func (s *Server) SQL(ctx context.Context, database string, statements ...string) (string, error) {
	return s.SQLAt(ctx, s.URL(database), statements...)
}

// SQLAt does the same at a URL.
func (s *Server) SQLAt(ctx context.Context, url string, statements ...string) (string, error) {
	args := []string{"-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url}
	for _, statement := range statements {
		args = append(args, "-c", statement)
	}
	out, err := s.output(ctx, "psql", args...)
	return strings.TrimSpace(out), err
}

// Stop ends the server and removes its folder. It does so even if nothing of it had started.
func (s *Server) Stop() error {
	err := s.Halt()
	if s.guard != nil {
		err = errors.Join(err, s.guard.end())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// run runs one of the programs to its end.
func (s *Server) run(ctx context.Context, program string, args ...string) error {
	_, err := s.output(ctx, program, args...)
	return err
}

// output runs one of the programs to its end, out of reach of an interrupt from the terminal, and returns what it says.
func (s *Server) output(ctx context.Context, program string, args ...string) (string, error) {
	said, err := os.CreateTemp(s.dir, program+"-") // a pipe would stay open with the server that pg_ctl starts
	if err != nil {
		return "", err
	}
	defer os.Remove(said.Name())
	defer said.Close()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.credential}
	failure := cmd.Run()
	text, err := os.ReadFile(said.Name())
	if failure != nil {
		return "", fmt.Errorf("%s: %w: %s", program, failure, strings.TrimSpace(string(text)))
	}
	return string(text), err
}

// guard is a process that ends a server, and removes its folder, when the process that started it has ended.
type guard struct {
	cmd *exec.Cmd
	tie io.Closer
}

// guarding waits for the end of its input. The working folder of a server tells it from a process that got its number.
const guarding = `read -r _
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && [ "$(readlink "/proc/$pid/cwd")" = "$1/data" ]; then
	kill -QUIT "$pid"
	for _ in $(seq 100); do [ -e "$1/data/postmaster.pid" ] || break; sleep 0.1; done
fi
rm -rf "$1"`

func newGuard(dir string) (*guard, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cmd := exec.Command("/bin/sh", "-c", guarding, "sh", dir)
	cmd.Stdin = in
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &guard{cmd: cmd, tie: out}, nil
}

func (g *guard) end() error { return errors.Join(g.tie.Close(), g.cmd.Wait()) }
