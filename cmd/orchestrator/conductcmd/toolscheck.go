package conductcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
)

func toolsCheckCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the contracts of the project",
		Long: `Check reads every contract in the folder tools of --data as the service does at its start: its form,
its schemas, its conditions, and what it depends on. If one has an error, all are refused. Every error is listed with
file and line.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := project.Tools(datadir.Dir(data))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d tools are well\n", len(all.Tools()))
			return err
		},
	}
	cli.DataFlag(cmd, &data)
	cli.WithEnv(cmd)
	return cmd
}
