package clientcmd

import "github.com/spf13/cobra"

// Commands returns all commands of the package.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		statusCommand(), nextCommand(), changeCommand(), listCommand(), showCommand(), historyCommand(),
		designCommand(),
		implementCommand(), testCommand(), attachCommand(), approveCommand(), acceptCommand(), noteCommand(),
		blockCommand(),
		deferCommand(), reopenCommand(), claimCommand(), watchCommand(), whoamiCommand(), workflowCommand(),
		renameCommand(),
	}
}
