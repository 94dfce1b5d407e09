package boundarycmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/rules/boundary"
)

func boundaryRollbackCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:     "rollback",
		Short:   "Go back from enforce to validate at once",
		Example: `  orchestrator boundary rollback --reason "agents are taken for the main session"`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.switchMode(cmd, boundary.Validate, "") },
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	return cli.WithEnv(cmd)
}
