package hook

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/agentclient"
)

// Main runs the hook with the arguments CLIENT [--root DIR], and returns the exit code: 0 or 2. It answers within a
// time from start on, which is Deadline but in tests.
func Main(args []string, start time.Time, within time.Duration) int {
	if slices.Contains(args, agentclient.FinishedFlag) {
		return handOver(args)
	}
	client, root, err := Arguments(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "orchestrator hook:", err)
		return 2
	}
	in := Input{
		Client: client, Root: root, Stdin: os.Stdin, Getenv: os.Getenv, Start: start, Within: within, Now: time.Now,
		NewID: NewID,
	}
	in.Cwd, _ = os.Getwd()
	in.Home, _ = os.UserHomeDir()
	in.Executable, _ = os.Executable()
	a := Run(in)
	if len(a.Stdout) > 0 {
		if _, err := os.Stdout.Write(a.Stdout); err != nil {
			return 2 // an answer that nobody can read is none
		}
	}
	_, _ = os.Stderr.Write(a.Stderr)
	return a.Exit
}

// handOver has the whole program, which can ask the service, answer at the end of a turn; this one holds no more than
// it needs before a tool. Where the whole program does not lie beside it, the session ends.
func handOver(args []string) int {
	own, err := os.Executable()
	if err != nil {
		return 0
	}
	whole := filepath.Join(filepath.Dir(own), "orchestrator")
	//nolint:gosec // the client wrote the arguments; the call returns only if it fails
	_ = syscall.Exec(whole, append([]string{whole, "hook"}, args...), os.Environ())
	return 0
}

// NewID returns the id of a line in a journal: 16 hexadecimal digits, drawn at random.
func NewID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Arguments reads CLIENT and --root DIR, in any order, and passes over FinishedFlag. A command line that is wrong blocks:
// the client would take a failure for leave.
func Arguments(args []string) (client, root string, err error) {
	for i := 0; i < len(args); i++ {
		value, isRoot := strings.CutPrefix(args[i], "--root=")
		switch {
		case isRoot:
			root = value
		case args[i] == agentclient.FinishedFlag:
		case args[i] == "--root" && i+1 < len(args):
			i++
			root = args[i]
		case !strings.HasPrefix(args[i], "-") && client == "":
			client = args[i]
		default:
			return "", "", fmt.Errorf(
				"%.100q is not understood: the command is orchestrator hook CLIENT [--root DIR], with one of the "+
					"clients %s", args[i], strings.Join(agentclient.Names(), ", "))
		}
	}
	if client == "" {
		return "", "", fmt.Errorf("name the client: one of %s", strings.Join(agentclient.Names(), ", "))
	}
	return client, root, nil
}
