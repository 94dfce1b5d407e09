package main

import (
	"github.com/spf13/cobra"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Add, list and revoke tokens",
		Long: `A token lets its holder act under a name, in one role. A name may hold several tokens; separation of
duties goes by the name. A running server takes changes over by itself.`,
	}
	cmd.AddCommand(tokenAdd(), tokenList(), tokenRevoke())
	return group(cmd)
}
