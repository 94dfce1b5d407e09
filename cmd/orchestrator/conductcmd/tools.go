package conductcmd

import (
	"orchestrator/cmd/orchestrator/cli"

	"github.com/spf13/cobra"
)

func ToolsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tools", Short: "List, check and show the tools that the conductor can run"}
	cmd.AddCommand(toolsListCommand(), toolsCheckCommand(), toolsShowCommand())
	return cli.Group(cmd)
}
