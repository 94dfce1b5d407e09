package boundarycmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/doctor"
	"orchestrator/internal/boundary/hook"
)

func boundaryDrillCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "Exercise bypass and rollback on a copy of the policy; readiness requires both",
		Long: `Drill enforces a copy of the policy, and checks that a write by a main session is blocked, that a
bypass allows it and is recorded, and that after a rollback to validate it is allowed with a warning. The policy
itself is not changed; the journal gets a line for each of the two.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			d, err := doctor.Drill(dir, o.change(), hook.NewID)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), d, func(p *output.Printer) {
				p.Line("bypass: a blocked write is let through by the %s, on record (%s)",
					d.Bypass.By, micros(d.Bypass.Micros))
				p.Line("rollback: after the switch from enforce to validate, a write is let through with a warning (%s)",
					micros(d.Rollback.Micros))
			})
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return cli.WithEnv(cmd)
}
