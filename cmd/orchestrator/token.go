package main

import (
	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"

	"github.com/spf13/cobra"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Add, list and revoke tokens",
		Long: `A token lets its holder act under one name and in one role. A name may have several tokens; duties are
separated by name. A running service applies changes by itself. With --store, the tokens are those of all services on
that store.`,
	}
	cmd.AddCommand(tokenAdd(), tokenList(), tokenRevoke())
	return cli.Group(cmd)
}

// atTokens calls do with the place where the project of a data folder keeps its tokens.
func atTokens(cmd *cobra.Command, data string, store storage.Given, do func(tokens.Place) error) error {
	in, err := storeflag.Place(cmd, data, store)
	if err != nil {
		return err
	}
	return tokens.At(cmd.Context(), datadir.Dir(data), in, do)
}
