package conductcmd

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func toolsShowCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show the contract of a tool, as JSON",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := project.Tools(datadir.Dir(data))
			if err != nil {
				return err
			}
			t, found := all.Tool(args[0])
			if !found {
				return fault.New(fault.NotFound, "unknown_tool", "there is no tool %q", fault.Clip(args[0], 80)).
					WithFix("orchestrator tools list names them")
			}
			raw, err := jsonv2.Marshal(t.Contract(), jsonv2.Deterministic(true))
			if err != nil {
				return err
			}
			return output.Indented(cmd.OutOrStdout(), raw)
		},
	}
	cli.DataFlag(cmd, &data)
	cli.WithEnv(cmd)
	return cmd
}
