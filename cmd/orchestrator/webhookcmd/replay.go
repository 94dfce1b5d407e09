package webhookcmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/webhooks"
)

func replayCommand() *cobra.Command {
	var o common
	var since uint64
	var dead bool
	cmd := &cobra.Command{
		Use:   "replay NAME",
		Short: "Have messages sent again: dead letters, or all from a record on",
		Long: `Replay has a running service send messages again, before what comes next; otherwise they are sent when it
runs. A message that is sent again has the id that it had, so a receiver knows whether it has it. --dead is for
those that were given up, --since for all from the record with a number on.`,
		Example: `  orchestrator webhook replay ops --dead
  orchestrator webhook replay ops --since 120`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := o.place(cmd)
			if err != nil {
				return err
			}
			replay := func() (webhooks.Replayed, error) {
				if dead {
					return webhooks.ReplayDead(cmd.Context(), in, args[0])
				}
				return webhooks.Replay(cmd.Context(), in, args[0], since)
			}
			r, err := replay()
			if err != nil {
				return err
			}
			return writeReplayed(cmd.OutOrStdout(), r, o.json)
		},
	}
	cmd.Flags().Uint64Var(&since, "since", 0, "`number` of the first record that is sent again")
	cmd.Flags().BoolVar(&dead, "dead", false, "send the dead letters again")
	cli.TypedOnly(cmd, "since")
	cli.TypedOnly(cmd, "dead")
	cmd.MarkFlagsOneRequired("since", "dead")
	cmd.MarkFlagsMutuallyExclusive("since", "dead")
	o.flags(cmd)
	o.storeFlags(cmd)
	o.oneName(cmd)
	return cli.WithEnv(cmd)
}

func writeReplayed(out io.Writer, r webhooks.Replayed, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, r)
	}
	what := fmt.Sprintf("what is followed from record %d on", r.Since)
	if r.Dead > 0 {
		what = fmt.Sprintf("%d dead letters", r.Dead)
	}
	when := "the service sends them now"
	if !r.Runs {
		when = "the service sends them when it runs"
	}
	_, err := fmt.Fprintf(out, "%s, again to %s: %s\n", what, r.Name, when)
	return err
}
