package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/tokens"
)

func tokenRevoke() *cobra.Command {
	var data, name string
	cmd := &cobra.Command{
		Use:   "revoke [ID]",
		Short: "Revoke a token by its id, or all tokens of a name",
		Example: `  orchestrator token revoke 3f9a2c10
  orchestrator token revoke --name ada`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			revoked, err := tokens.Revoke(tokens.Open(datadir.Dir(data)), strings.Join(args, ""), name)
			for _, t := range revoked {
				fmt.Fprintf(cmd.OutOrStdout(), "revoked %s of %s, role %s\n", t.ID, output.Printable(t.Name), t.Role)
			}
			return err
		},
	}
	cli.DataFlag(cmd, &data)
	cmd.Flags().StringVar(&name, "name", "", "revoke every token of this name")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		all, err := tokens.Open(datadir.Dir(data)).List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, t := range all {
			ids = append(ids, t.ID+"\t"+t.Name+" "+t.Role)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.WithEnv(cmd)
}
