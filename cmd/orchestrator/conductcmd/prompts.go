package conductcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/datadir"
)

func PromptsCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "prompts [ROLE]",
		Short: "Check the prompts of agents, or print one",
		Long: `Prompts checks the templates of the prompts that tell agents what to do. With a role, it prints the
template of that role, so that you can put a changed copy into the folder. Each role has a built-in template (Go's
text/template), which a file ROLE.md in the folder prompts of --data replaces. A running service uses it after a
restart.`,
		Example: `  orchestrator prompts
  orchestrator prompts coder > coder.md    # to change it and put it into .orchestrator/prompts`,
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
	cli.DataFlag(cmd, &data)
	cli.WithEnv(cmd)
	return cmd
}
