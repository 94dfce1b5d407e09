package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
)

func FlagError(cmd *cobra.Command, err error) error {
	return fault.New(fault.Invalid, "usage", "%v", err).WithFix("%s --help lists the flags", cmd.CommandPath())
}

// Group makes a command that only holds others refuse a name it does not know; cobra would print help and succeed.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		refusal := fault.New(fault.Invalid, "usage", "there is no command %q", cmd.CommandPath()+" "+args[0])
		if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
			return refusal.WithFix("did you mean %s?", strings.Join(similar, " or "))
		}
		return refusal.WithFix("%s --help lists the commands", cmd.CommandPath())
	}
	return cmd
}
