package boundarycmd

import (
	"orchestrator/cmd/orchestrator/cli"

	"github.com/spf13/cobra"
)

func boundaryExportCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the journal in the older format, delegation_audit.jsonl",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := o.history()
			if err != nil {
				return err
			}
			return h.WriteOlder(cmd.OutOrStdout())
		},
	}
	o.rootFlag(cmd)
	return cli.WithEnv(cmd)
}
