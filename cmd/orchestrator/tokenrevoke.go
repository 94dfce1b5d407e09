package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
)

func tokenRevoke() *cobra.Command {
	var data, name string
	var store storage.Given
	cmd := &cobra.Command{
		Use:   "revoke [ID]",
		Short: "Revoke a token by its id, or all tokens of a name",
		Example: `  orchestrator token revoke 3f9a2c10
  orchestrator token revoke --name ada`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return atTokens(cmd, data, store, func(at tokens.Place) error {
				revoked, err := tokens.Revoke(cmd.Context(), at, strings.Join(args, ""), name)
				for _, t := range revoked {
					fmt.Fprintf(cmd.OutOrStdout(), "revoked %s of %s, role %s\n", t.ID, output.Printable(t.Name),
						t.Role)
				}
				return err
			})
		},
	}
	cli.DataFlag(cmd, &data)
	storeflag.Add(cmd, &store)
	cmd.Flags().StringVar(&name, "name", "", "revoke every token of this name")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		_ = atTokens(cmd, data, store, func(at tokens.Place) error { // a completion without ids says enough
			all, err := at.List(cmd.Context())
			for _, t := range all {
				ids = append(ids, t.ID+"\t"+t.Name+" "+t.Role)
			}
			return err
		})
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.WithEnv(cmd)
}
