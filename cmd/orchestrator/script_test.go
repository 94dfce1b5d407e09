package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/cmd/orchestrator/boundarycmd"
	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/boundary"
)

// script is what one script has running: at most one server.
type script struct {
	ts       *testscript.TestScript
	server   *process
	stranger *stranger
}

type scriptKey struct{}

// command makes a method a command of the scripts. None of them can be negated.
func command(run func(*script, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command takes no !")
		}
		s := ts.Value(scriptKey{}).(*script)
		s.ts = ts
		ts.Check(run(s, args))
	}
}

func (s *script) end() {
	if s.server != nil {
		s.server.kill()
	}
}

// environ is the part of the script's environment that a server, or a command with an exit code of its own, may see.
func (s *script) environ() []string {
	names := []string{"PATH", "HOME", "TMPDIR", "GORACE", boundary.BypassVariable, "ORCHESTRATOR_LLM_URL", "ORCHESTRATOR_LLM_MODEL", "ORCHESTRATOR_LLM_KEY",
		"ORCHESTRATOR_SERVER", "ORCHESTRATOR_TOKEN"}
	for _, c := range []*cobra.Command{serveCommand(), importCommand(), traceCommand(), gateCommand(), boundarycmd.ModeCommand()} {
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, cli.EnvName(f.Name)) })
	}
	var env []string
	for _, name := range names {
		if value := s.ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// serve: server [ARGS] starts a server in the folder of the script and sets $ADDR. What it printed is stdout.
func (s *script) serve(args []string) (err error) {
	if s.server != nil && !s.server.ended() {
		return errors.New("the script's server still runs")
	}
	s.server, err = start(s.ts.MkAbs("."), s.environ(), []string{program()}, args...)
	if err != nil {
		return err
	}
	s.ts.Setenv("ADDR", s.server.addr)
	if err := s.server.awaitExport(); err != nil {
		return err
	}
	return s.logs(nil)
}

// logs shows what the server printed as stdout, and what it logged as stderr.
func (s *script) logs([]string) error {
	fmt.Fprint(s.ts.Stdout(), s.server.out.String())
	fmt.Fprint(s.ts.Stderr(), s.server.log.String())
	return nil
}

// shutdown: shutdown [CODE] sends SIGTERM and requires the exit code, 0 if none is given.
func (s *script) shutdown(args []string) error {
	code := 0
	if len(args) == 1 {
		code, _ = strconv.Atoi(args[0])
	}
	if err := s.server.stop(code); err != nil {
		return err
	}
	return s.logs(nil)
}

// crash ends the server with SIGKILL.
func (s *script) crash([]string) error {
	s.server.kill()
	return s.logs(nil)
}

// refused: refused [-changes] [ARGS] requires that `orchestrator serve ARGS` exits 1 or 2 soon, without a stack
// trace, and, but for -changes, without a change to any file of the script.
func (s *script) refused(args []string) error {
	may := len(args) > 0 && args[0] == "-changes"
	if may {
		args = args[1:]
	}
	before, err := digest(s.ts.MkAbs("."))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	var out, log bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.ts.MkAbs("."), s.environ(), &out, &log, time.Second
	_ = cmd.Run()
	fmt.Fprint(s.ts.Stdout(), out.String())
	fmt.Fprint(s.ts.Stderr(), log.String())
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailed && code != cli.ExitUsage {
		return fmt.Errorf("the server ended with %d, it was to be refused with 1 or 2", code)
	}
	after, err := digest(s.ts.MkAbs("."))
	if err == nil && after != before && !may {
		err = fmt.Errorf("the refused start changed files; before\n%s\nafter\n%s", before, after)
	}
	return errors.Join(err, noTrace(log.String()))
}

// exits: exits CODE ARGS requires that `orchestrator ARGS` ends with the exit code, soon and without a stack trace.
func (s *script) exits(args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(), args[1:]...)
	var out, log bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.ts.MkAbs("."), s.environ(), &out, &log, time.Second
	_ = cmd.Run()
	fmt.Fprint(s.ts.Stdout(), out.String())
	fmt.Fprint(s.ts.Stderr(), log.String())
	if code := cmd.ProcessState.ExitCode(); code != want {
		return fmt.Errorf("orchestrator ended with %d, not with %d", code, want)
	}
	return noTrace(log.String())
}

// digest lists every file below a folder with its mode and the hash of its content.
func digest(folder string) (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a server was writing it, under another name
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || info.IsDir() {
			fmt.Fprintln(&b, path)
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		fmt.Fprintf(&b, "%s %s %x\n", path, info.Mode(), sha256.Sum256(content))
		return err
	})
	return b.String(), err
}

// call: call [-headers] [-status N] ROLE METHOD PATH [FILE | -body JSON] [-H 'Name: value']... sends a request and shows
// the answer as stdout. Without -status the answer must be 2xx. ROLE is a role, a file (with a dot in its
// name) that holds a token, or - for none.
func (s *script) call(args []string) error {
	want, whole := 0, len(args) > 0 && args[0] == "-headers"
	if whole {
		args = args[1:]
	}
	if len(args) > 1 && args[0] == "-status" {
		want, _ = strconv.Atoi(args[1])
		args = args[2:]
	}
	r, err := s.request(args)
	if err != nil {
		return err
	}
	got, err := s.server.call(r)
	if err != nil {
		return err
	}
	got.whole = whole
	fmt.Fprint(s.ts.Stdout(), got)
	if got.status != want && (want != 0 || got.status/100 != 2) {
		return fmt.Errorf("the answer has status %d", got.status)
	}
	return nil
}

func (s *script) request(args []string) (request, error) {
	if len(args) < 3 {
		return request{}, errors.New("usage: call [-status N] ROLE METHOD PATH [FILE | -body JSON] [-H 'Name: value']")
	}
	r := request{role: args[0], method: args[1], path: args[2], header: http.Header{}}
	for args = args[3:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-body" && len(args) > 1:
			r.body, args = args[1], args[1:]
		case args[0] == "-H" && len(args) > 1:
			name, value, _ := strings.Cut(args[1], ": ")
			r.header[name] = []string{value}
			args = args[1:]
		default:
			r.body = s.ts.ReadFile(args[0])
		}
	}
	return r, nil
}

// await: await PATTERN ROLE METHOD PATH ... repeats a call until its answer matches.
func (s *script) await(args []string) error {
	pattern, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	r, err := s.request(args[1:])
	if err != nil {
		return err
	}
	var last answer
	err = poll(func() error {
		if last, err = s.server.call(r); err == nil && !pattern.MatchString(last.String()) {
			err = fmt.Errorf("the answer never matched %s", args[0])
		}
		return err
	})
	fmt.Fprint(s.ts.Stdout(), last)
	return err
}

// awaitLog: awaitlog PATTERN waits until the server's log matches.
func (s *script) awaitLog(args []string) error {
	pattern, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	err = poll(func() error {
		if !pattern.MatchString(s.server.log.String()) {
			return fmt.Errorf("the log never matched %s", args[0])
		}
		return nil
	})
	return errors.Join(err, s.logs(nil))
}

// secret: secret FILE requires that the text of FILE stands in no other file of the script, and in nothing
// that the server wrote.
func (s *script) secret(args []string) error {
	own := s.ts.MkAbs(args[0])
	text := bytes.TrimSpace([]byte(s.ts.ReadFile(args[0])))
	if len(text) < 20 {
		return fmt.Errorf("%s holds no secret", args[0])
	}
	if strings.Contains(s.server.log.String()+s.server.out.String(), string(text)) {
		return errors.New("the server wrote the secret")
	}
	return filepath.WalkDir(s.ts.MkAbs("."), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the server was writing it, under another name
		}
		if err != nil || entry.IsDir() || path == own {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(content, text) {
			err = fmt.Errorf("%s holds the secret of %s", path, args[0])
		}
		return err
	})
}

// mode: mode PERM FILE... requires permissions.
func (s *script) mode(args []string) error {
	for _, path := range args[1:] {
		info, err := os.Stat(s.ts.MkAbs(path))
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[0] {
			return fmt.Errorf("%s has mode %s", path, got)
		}
	}
	return nil
}

// cut: cut SIZE FILE shortens a file.
func (s *script) cut(args []string) error {
	size, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	return os.Truncate(s.ts.MkAbs(args[1]), size)
}

// scribble: scribble OFFSET FILE changes one byte of a file.
func (s *script) scribble(args []string) error {
	at, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(s.ts.MkAbs(args[1]))
	if err != nil {
		return err
	}
	content[at] ^= 0xFF
	return os.WriteFile(s.ts.MkAbs(args[1]), content, 0o600)
}

// tamper: tamper TABLE KEY OLD NEW changes one stored value behind the program's back. A key #7 is the
// number of a record.
func (s *script) tamper(args []string) error {
	key := args[1]
	if number, found := strings.CutPrefix(key, "#"); found {
		n, err := strconv.ParseUint(number, 10, 8)
		if err != nil {
			return err
		}
		key = "\x00\x00\x00\x00\x00\x00\x00" + string([]byte{byte(n)})
	}
	db, err := boltstore.Open(s.ts.MkAbs(".orchestrator/state.db"), boltstore.Options{})
	if err != nil {
		return err
	}
	err = db.Update(context.Background(), func(tx store.Tx) error {
		value, err := tx.Get(args[0], key)
		if err == nil && !bytes.Contains(value, []byte(args[2])) {
			err = fmt.Errorf("table %s, %s has no %q in %s", args[0], args[1], args[2], value)
		}
		if err != nil {
			return err
		}
		return tx.Put(args[0], key, bytes.Replace(value, []byte(args[2]), []byte(args[3]), 1))
	})
	return errors.Join(err, db.Close())
}
