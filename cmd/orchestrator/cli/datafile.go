package cli

import (
	"errors"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
)

// nameWay lets a command that failed because a file stands in the way of the data folder say so.
func nameWay(cmd *cobra.Command) *cobra.Command {
	data, work := cmd.Flags().Lookup("data"), cmd.RunE
	if data == nil || work == nil {
		return cmd
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if errors.Is(err, syscall.ENOTDIR) && isInTheWay(data.Value.String()) {
			return fault.New(fault.Invalid, fault.CodeUsage, "a file stands in the way of the folder %s", data.Value).
				WithFix("name a folder with --data")
		}
		return err
	}
	return cmd
}

// isInTheWay reports whether a file, and no folder, stands at a path or above it.
func isInTheWay(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && !info.IsDir() || errors.Is(err, syscall.ENOTDIR)
}
