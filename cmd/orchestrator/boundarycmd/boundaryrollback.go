package boundarycmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/internal/rules/boundary"
)

func boundaryRollbackCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "rollback",
		Short: "Go back from enforce or confirm to validate at once",
		Long: `Rollback switches the boundary to validate; it applies to running sessions from their next call. Before
the boundary blocks again, readiness asks for the cause (orchestrator boundary recovery), for labels of decisions made
since, and for a drill.`,
		Example: `  orchestrator boundary rollback --reason "agents are taken for the main session"`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.switchMode(cmd, boundary.Validate, "") },
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	return person.Only(cli.WithEnv(cmd))
}
