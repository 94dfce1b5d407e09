package localservice

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/background"
	"orchestrator/internal/system/shellquote"
)

// checkProcess refuses a process that holds the lock of a data folder and is not the service that Up starts for it: the
// lock file of another program may have been put there. Where the system does not show how a process was started, as
// those without /proc do, the lock alone counts.
func checkProcess(data datadir.Dir, id int) error {
	process := filepath.Join("/proc", strconv.Itoa(id))
	line, err := os.ReadFile(filepath.Join(process, "cmdline"))
	if err != nil || len(line) == 0 {
		return nil //nolint:nilerr // the process has ended, or the system does not show it
	}
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	at := slices.Index(args, "--data")
	if !slices.Contains(args, "serve") || !slices.Contains(args, "--background") || at < 0 || at+1 == len(args) {
		return fmt.Errorf("%w: process %d is no service that orchestrator up started", background.ErrStranger, id)
	}
	folder := args[at+1]
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(process, "cwd", folder)
	}
	theirs, err := os.Stat(folder) //nolint:gosec // it is compared alone
	if err != nil {
		return nil //nolint:nilerr // the folder was moved since
	}
	ours, err := os.Stat(string(data)) //nolint:gosec // the data folder that its owner names
	if err == nil && !os.SameFile(ours, theirs) {
		return fmt.Errorf("%w: process %d is the service of %s", background.ErrStranger, id, args[at+1])
	}
	return nil
}

// stranger makes the error of a lock that no service of the data folder holds.
func stranger(data datadir.Dir, cause error) error {
	return fault.New(fault.Conflict, CodeStranger, "%s is not locked by a service of this folder; no process was stopped",
		lockFile(data)).
		WithFix("rm -- %s; the next orchestrator up makes it anew", shellquote.Quote(lockFile(data))).Because(cause)
}
