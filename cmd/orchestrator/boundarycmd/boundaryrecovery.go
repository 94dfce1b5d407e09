package boundarycmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/rules/boundary"
)

func boundaryRecoveryCommand() *cobra.Command {
	var o boundaryOptions
	var a control.Account
	cmd := &cobra.Command{
		Use:   "recovery",
		Short: "Record the cause of a rollback, and what was done about it",
		Long: `Recovery records what led to a rollback, where that was analysed, and what was done about it. Before the
boundary blocks again, readiness also requires labels of decisions made since, with an accuracy above the threshold, a
drill made since, and the attestation of feedback made since. Recorded again, it replaces what was recorded before.`,
		Example: `  orchestrator boundary recovery --cause "agents of one client were taken for the main session" \
    --link https://example.com/issues/12 --mend "they have an id now"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			before, err := control.Recover(dir, a, o.change())
			if err != nil {
				return err
			}
			if before != nil {
				fmt.Fprintf(cmd.OutOrStdout(), "this replaces what %s recorded on %s, which stays in the journal\n",
					output.Printable(before.By), before.At.Local().Format(time.RFC3339))
			}
			fmt.Fprintln(cmd.OutOrStdout(), "recorded; orchestrator boundary readiness shows what else is required")
			return nil
		},
	}
	o.rootFlag(cmd)
	cmd.Flags().StringVar(&o.reason, "cause", "", "what led to the rollback; it is recorded")
	cmd.Flags().StringVar(&a.Link, "link", "", "issue or document with the analysis; it is recorded")
	cmd.Flags().StringVar(&a.Mend, "mend", "", "what was done about it; it is recorded")
	for _, flag := range []string{"cause", "link", "mend"} {
		cli.TypedOnly(cmd, flag)
	}
	return person.Only(cli.WithEnv(cmd))
}

// writeRecovery writes what is known of a rollback that the boundary has not recovered from.
func writeRecovery(p *output.Printer, r *boundary.Recovery) {
	if r == nil {
		return
	}
	p.Line("  rolled back on %s by %s: %s", r.RolledBack.Format(time.RFC3339), output.Printable(r.By),
		output.Printable(r.Reason))
	if r.Account != nil {
		p.Line("    cause: %s", output.Printable(r.Account.Cause))
		p.Line("    link: %s", output.Printable(r.Account.Link))
		p.Line("    mend: %s", output.Printable(r.Account.Mend))
		if r.Accounts > 1 {
			p.Line("    recorded %d times, last on %s by %s", r.Accounts, r.Account.At.Format(time.RFC3339),
				output.Printable(r.Account.By))
		}
	}
}
