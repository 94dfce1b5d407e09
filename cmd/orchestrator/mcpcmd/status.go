package mcpcmd

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/probe"
)

func statusCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "status [CLIENT]",
		Short: "Start the registered MCP server as the client would, and say what it finds",
		Long: `Status starts each entry named orchestrator in the settings of the agent clients, or of one, those of the
project and those of the user: whatever the entry says. It asks for the tools and whose token it is, and ends what it
started. A server is given ten seconds.

Exit codes: 0 each one works, or there is none; 1 one does not.` + clientsLine(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			clients := agentclient.Names()
			if len(args) == 1 {
				if _, err := agentclient.Find(args[0]); err != nil {
					return err
				}
				clients = args
			}
			so, err := o.files()
			if err != nil {
				return err
			}
			found := []probe.Finding{}
			for _, client := range clients {
				found = append(found, probe.Examine(cmd.Context(), client,
					probe.Options{Root: so.Root, Home: so.Home, Environ: os.Environ()})...)
			}
			if err := o.print(cmd.OutOrStdout(), found); err != nil {
				return err
			}
			return cli.Found(probe.Broken(found))
		},
	}
	cli.DataFlag(cmd, &o.service.Data)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
	cmd.ValidArgsFunction = cobra.FixedCompletions(agentclient.Names(), cobra.ShellCompDirectiveNoFileComp)
	return person.Only(cli.WithEnv(cmd))
}

func (o *options) print(out io.Writer, found []probe.Finding) error {
	if o.asJSON {
		return output.WriteJSON(out, map[string]any{"servers": found})
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(out, "no agent client has the MCP server; orchestrator mcp install CLIENT registers it")
		return err
	}
	p := output.NewPrinter(output.Colourful(out))
	for _, f := range found {
		p.Line("%s: %s", f.Client, output.Printable(f.File))
		p.Line("  %s", output.Printable(f.What))
		for _, remedy := range []string{f.Mend, f.Fix} {
			if remedy != "" {
				p.Line("  fix: %s", output.Printable(remedy))
			}
		}
	}
	_, err := io.WriteString(out, p.String())
	return err
}
