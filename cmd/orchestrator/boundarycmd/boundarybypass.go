package boundarycmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
)

func boundaryBypassCommand() *cobra.Command {
	var o boundaryOptions
	var lasting time.Duration
	var session string
	cmd := &cobra.Command{
		Use:   "bypass",
		Short: "Lift the boundary for a while, for one session or for all",
		Long: `Bypass allows what the boundary blocks, until its time is over. It is recorded, and so is every
decision that it changes. Calls that name the boundary's own files are still blocked.`,
		Example: `  orchestrator boundary bypass --reason "release is on fire" --for 30m --session 0b1c…`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			g, err := control.Bypass(dir, lasting, session, o.change())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "bypass %s until %s\n", output.Printable(g.ID),
				g.Until.Local().Format(time.RFC3339))
			return nil
		},
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	cmd.Flags().DurationVar(&lasting, "for", 0, "how long, such as 30m; at most 24h")
	cmd.Flags().StringVar(&session, "session", "", "id of the session; by default every session")
	return cli.WithEnv(cmd)
}
