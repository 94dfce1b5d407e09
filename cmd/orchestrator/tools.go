package main

import (
	"github.com/spf13/cobra"
)

func toolsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tools", Short: "List, check and show the tools that the conductor can run"}
	cmd.AddCommand(toolsListCommand(), toolsCheckCommand(), toolsShowCommand())
	return group(cmd)
}
