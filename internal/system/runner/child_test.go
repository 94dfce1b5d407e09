package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// childWord as the first argument makes the test binary a program that does what the second says, so that the tests need no other.
const childWord = "runner-child"

const longest = 10 * time.Minute // the life of a program that should have been killed

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childWord {
		syscall.Exit(child(os.Args[2], os.Args[3:])) // at once: os.Exit waits a second where races are looked for
	}
	sweepFor, drainFor = longest/2, longest/2 // both end when there is nothing left, however busy the machine is
	os.Exit(m.Run())
}

// children are the programs: what they do, and the code that they end with.
var children = map[string]func(args []string) int{
	"echo":   func([]string) int { _, err := io.Copy(os.Stdout, os.Stdin); return btoi(err != nil) },
	"env":    func([]string) int { fmt.Print(strings.Join(os.Environ(), "\n")); return 0 },
	"where":  func([]string) int { dir, _ := os.Getwd(); fmt.Print(dir); return 0 },
	"args":   func(args []string) int { fmt.Printf("%q", args); return 0 },
	"script": func(args []string) int { b, err := os.ReadFile(args[0]); fmt.Printf("%s", b); return btoi(err != nil) },
	"sleep":  func([]string) int { time.Sleep(longest); return 0 },
	"die":    func([]string) int { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); return 0 },
	"fail": func(args []string) int {
		fmt.Fprint(os.Stderr, "\x1b[31mno\x07 such\u202e thing\n")
		code, _ := strconv.Atoi(args[0])
		return code
	},
	"flood": func(args []string) int {
		to := map[string]*os.File{"stdout": os.Stdout, "stderr": os.Stderr}[args[0]]
		size, _ := strconv.Atoi(args[1])
		_, err := to.Write(append(bytes.Repeat([]byte("é"), size/2), "END"...))
		return btoi(err != nil)
	},
	"litter": func([]string) int {
		dir := filepath.Join(os.Getenv("TMPDIR"), "a", "b")
		fmt.Print(os.Getenv("TMPDIR"))
		return btoi(os.MkdirAll(dir, 0o700) != nil || os.WriteFile(dir+"/c", nil, 0o400) != nil || os.Chmod(dir, 0) != nil)
	},
	"nest":  nest,
	"chain": chain,
	"mcp":   serveMCP,
}

func child(what string, args []string) int {
	if strings.HasPrefix(what, "/") { // as the interpreter of a script
		what, args = "script", []string{what}
	}
	return children[what](args)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nest is a process that starts another, and so on. Each word of args is one process, the first the parent of all: of its letters
//
//	s leaves the session, g leaves the group, e drops the environment, p drops the pipes, t ignores SIGTERM, x ends as soon as the next has begun.
//
// The last argument is the file to which each writes its process id.
func nest(args []string) int {
	file, mine, rest := args[len(args)-1], args[0], args[1:len(args)-1]
	if strings.Contains(mine, "t") {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	if len(rest) > 0 {
		if startChild(rest[0], append([]string{"nest"}, args[1:]...)) != nil {
			return 1
		}
	}
	if noteID(file) != nil {
		return 1
	}
	if strings.Contains(mine, "x") {
		return 0
	}
	time.Sleep(longest)
	return 0
}

// chain starts its like in a session of its own and ends at once, so that every process lives for a few milliseconds.
func chain(args []string) int {
	until, _ := strconv.ParseInt(args[0], 10, 64)
	if noteID(args[1]) != nil || time.Now().UnixMilli() > until {
		return 1
	}
	return btoi(startChild("s", append([]string{"chain"}, args...)) != nil)
}

func noteID(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	return errors.Join(err, f.Close())
}

func startChild(how string, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, append([]string{childWord}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: strings.Contains(how, "s"), Setpgid: strings.Contains(how, "g")}
	if strings.Contains(how, "e") {
		cmd.Env = []string{"A=B"}
	}
	if !strings.Contains(how, "p") {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	return cmd.Start()
}

// as is an Exec of the test binary.
func as(t *testing.T, what string, args ...string) Exec {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return Exec{Argv: append([]string{self, childWord, what}, args...), Timeout: 2 * time.Minute}
}

// refusal holds an error to a code, and to saying what to do.
func refusal(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code), "%v", err)
	require.NotEmpty(t, f.Fix)
	require.NotEmpty(t, f.Detail)
	return f
}
