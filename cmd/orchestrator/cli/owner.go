package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/database"
)

// nameOwner lets a command that failed because it may not look into the data folder say whose folder that is: which file
// it met first does not matter then.
func nameOwner(cmd *cobra.Command) *cobra.Command {
	data, work := cmd.Flags().Lookup("data"), cmd.RunE
	if data == nil || work == nil {
		return cmd
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if err == nil || errors.As(err, new(ExitError)) {
			return err
		}
		if errors.Is(err, syscall.ENOTDIR) && isInTheWay(data.Value.String()) {
			return fault.New(fault.Invalid, fault.CodeUsage, "a file stands in the way of the folder %s", data.Value).
				WithFix("name a folder with --data")
		}
		owner := closedTo(data.Value.String())
		if owner == "" || !errors.Is(err, fs.ErrPermission) && !fault.Is(err, database.CodeMissing) {
			return err
		}
		f := fault.New(fault.Forbidden, codeOfAnother, "the folder %s belongs to %s", data.Value, owner)
		if cmd.Flags().Lookup("server") != nil {
			return f.WithFix("run the command as %s; or name the service with --server, and your token with --token-file", owner)
		}
		return f.WithFix("run the command as %s", owner)
	}
	return cmd
}

// isInTheWay reports whether a file, and no folder, stands at a path or above it.
func isInTheWay(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && !info.IsDir() || errors.Is(err, syscall.ENOTDIR)
}

// codeOfAnother is the code of the error that a data folder belongs to somebody else.
const codeOfAnother fault.Code = "data_of_another"

// closedTo returns the user whom a folder belongs to that this process may not look into, or "".
func closedTo(folder string) (owner string) {
	const readAndEnter = 5
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() || !errors.Is(syscall.Access(folder, readAndEnter), syscall.EACCES) {
		return ""
	}
	stat, is := info.Sys().(*syscall.Stat_t)
	if !is || int(stat.Uid) == os.Geteuid() {
		return ""
	}
	id := strconv.Itoa(int(stat.Uid))
	if u, err := user.LookupId(id); err == nil {
		return "the user " + u.Username
	}
	return "the user with the id " + id
}
