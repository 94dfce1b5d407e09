package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/datadir"
)

func promptsCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "prompts [ROLE]",
		Short: "Check the prompts of agents, or print one",
		Long: `Prompts are what agents are told: one template (Go's text/template) for each role, in the box, which a
file ROLE.md in the folder prompts of --data replaces. Without an argument, all are checked. With a role, its template
is printed, so that a changed copy can be put there; a service that runs takes it when it is started again.`,
		Example: `  orchestrator prompts
  mkdir -p .orchestrator/prompts && orchestrator prompts coder > coder.md && mv coder.md .orchestrator/prompts/`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := prompt.Load(datadir.Dir(data).Prompts())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				text, err := all.Source(args[0])
				if err == nil {
					_, err = fmt.Fprint(cmd.OutOrStdout(), text)
				}
				return err
			}
			for _, role := range prompt.Roles() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", role, all.Path(role))
			}
			return nil
		},
	}
	dataFlag(cmd, &data)
	withEnv(cmd)
	return cmd
}
