package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/token"
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
			if (len(args) == 1) == (name != "") {
				return fault.New(fault.Invalid, "revoke_what", "give either an id or --name").
					WithFix("orchestrator token list shows both")
			}
			revoked, err := revoke(tokens.Open(datadir.Dir(data)), args, name)
			for _, t := range revoked {
				fmt.Fprintf(cmd.OutOrStdout(), "revoked %s of %s, role %s\n", t.ID, printable(t.Name), t.Role)
			}
			return err
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&name, "name", "", "revoke every token of this name")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		tokens, err := token.NewFile(filepath.Clean(data), func(string) bool { return true }).List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, t := range tokens {
			ids = append(ids, t.ID+"\t"+t.Name+" "+t.Role)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return withEnv(cmd)
}

func revoke(f *token.File, args []string, name string) ([]token.Token, error) {
	if name != "" {
		return f.RevokeName(name)
	}
	t, err := f.Revoke(args[0])
	if err != nil {
		return nil, err
	}
	return []token.Token{t}, nil
}
