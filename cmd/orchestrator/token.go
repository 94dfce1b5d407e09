package main

import (
	"orchestrator/cmd/orchestrator/cli"

	"github.com/spf13/cobra"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Add, list and revoke tokens",
		Long: `A token lets its holder act under one name and in one role. A name may have several tokens; duties are
separated by name. A running service applies changes by itself.`,
	}
	cmd.AddCommand(tokenAdd(), tokenList(), tokenRevoke())
	return cli.Group(cmd)
}
