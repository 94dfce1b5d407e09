package conductcmd

import (
	"fmt"
	"io"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
)

func toolsListCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the built-in tools and those of the project",
		Long: "List reads the contracts in the folder tools of --data, and lists them with the built-in tools. " +
			"It needs no service.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := project.Tools(datadir.Dir(data))
			if err != nil {
				return err
			}
			return listContracts(cmd.OutOrStdout(), all, asJSON)
		},
	}
	cli.DataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the contracts as JSON")
	cli.WithEnv(cmd)
	return cmd
}

func listContracts(out io.Writer, all *contract.Registry, asJSON bool) error {
	contracts := all.Contracts()
	if asJSON {
		raw, err := jsonv2.Marshal(map[string]any{"tools": contracts}, jsonv2.Deterministic(true))
		if err != nil {
			return err
		}
		return output.Indented(out, raw)
	}
	for _, c := range contracts {
		who := ""
		if len(c.Roles) > 0 {
			who = " for " + strings.Join(c.Roles, ", ")
		}
		fmt.Fprintf(out, "%-24s %-8s %-6s %-6s %s%s\n", output.Printable(c.Name), c.Implementation.Means, c.Reliability,
			c.Cost, output.Printable(strings.Join(c.Satisfies, ", ")), who)
	}
	return nil
}
