package hook

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/agentclient"
	_ "orchestrator/internal/boundary/hook/stack" // the first of all packages to begin
)

// Main runs the hook with the arguments CLIENT [--root DIR] [--answers json], and returns the exit code: 0 or 2. It
// answers within a time from start on, which is Deadline but in tests.
func Main(args []string, start time.Time, within time.Duration) int {
	if slices.Contains(args, agentclient.FinishedFlag) {
		return handOver(args)
	}
	line, err := arguments(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "orchestrator hook:", err)
		return 2
	}
	in := Input{
		Client: line.client, Root: line.root, JSON: line.json, Stdin: os.Stdin, Getenv: os.Getenv, Start: start,
		Within: within, Now: time.Now, NewID: NewID, Executable: executable,
		Getwd: workingFolder,
	}
	in.Home, _ = os.UserHomeDir()
	r, err := begin(in)
	if err != nil {
		fmt.Fprintln(os.Stderr, "orchestrator hook:", err)
		return 2
	}
	a, first := r.within(func(late agentclient.Answer) { os.Exit(write(late)) })
	if !first {
		select {} // the deadline has answered, and ends the process
	}
	return write(a)
}

// write gives the client an answer, and returns the exit code.
func write(a agentclient.Answer) int {
	if len(a.Stdout) > 0 {
		if _, err := os.Stdout.Write(a.Stdout); err != nil {
			return 2 // an answer that nobody can read is none
		}
	}
	_, _ = os.Stderr.Write(a.Stderr)
	return a.Exit
}

// executable returns the path of the running program.
func executable() string {
	path, _ := os.Executable()
	return path
}

// workingFolder returns the folder in which the program runs.
func workingFolder() string {
	path, _ := os.Getwd()
	return path
}

// handOver replaces this process with orchestrator, which can ask the service. If that is not beside this program, the
// session may end.
func handOver(args []string) int {
	own, err := os.Executable()
	if err != nil {
		return 0
	}
	for _, program := range beside(&links{}, own, whole) {
		//nolint:gosec // the client wrote the arguments; the call returns only if it fails
		_ = syscall.Exec(program, append([]string{program, "hook"}, args...), os.Environ())
	}
	return 0
}

// NewID returns the id of a line in a journal: 16 hexadecimal digits, drawn at random. No two are to be the same, and
// none is a secret, so that the generator of the runtime, which the system seeds for each process, is enough.
func NewID() string {
	const digits = "0123456789abcdef"
	var id [16]byte
	for i, n := 0, rand.Uint64(); i < len(id); i, n = i+1, n>>4 { //nolint:gosec // see above
		id[i] = digits[n&15]
	}
	return string(id[:])
}

// Arguments returns the client and the root that a command line with FinishedFlag names.
func Arguments(args []string) (client, root string, err error) {
	line, err := arguments(slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return arg == agentclient.FinishedFlag
	}))
	return line.client, line.root, err
}

// commandLine holds the arguments of the hook.
type commandLine struct {
	client, root string
	json         bool
}

// arguments reads CLIENT, --root DIR and --answers json, in any order. A command line that is wrong blocks: the client
// would take a failure for leave.
func arguments(args []string) (line commandLine, err error) {
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		isOption := name == "--root" || name == "--answers"
		if isOption && !joined && i+1 < len(args) {
			i++
			value, joined = args[i], true
		}
		switch {
		case joined && name == "--root":
			line.root = value
		case joined && name == "--answers" && value == "json":
			line.json = true
		case !strings.HasPrefix(args[i], "-") && !isOption && line.client == "":
			line.client = args[i]
		default:
			return commandLine{}, fmt.Errorf("%.100q is not understood: the command is orchestrator hook CLIENT "+
				"[--root DIR] [--answers json], with one of the clients %s", args[i],
				strings.Join(agentclient.Names(), ", "))
		}
	}
	if line.client == "" {
		return commandLine{}, fmt.Errorf("name the client: one of %s", strings.Join(agentclient.Names(), ", "))
	}
	return line, nil
}
