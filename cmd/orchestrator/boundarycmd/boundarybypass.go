package boundarycmd

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

func boundaryBypassCommand() *cobra.Command {
	var o boundaryOptions
	var lasting time.Duration
	var session, end string
	cmd := &cobra.Command{
		Use:   "bypass",
		Short: "Lift the boundary for a while, for one session or for all, or end that",
		Long: `Bypass allows what the boundary blocks, until its time is over. It is recorded, and so is every
decision that it changes. Calls that name the boundary's own files are still blocked.

With --end it ends a bypass before its time: the one with that id, or with the beginning of it, or all that are in
force. That is recorded, too, and needs no reason. Status lists the bypasses in force.`,
		Example: `  orchestrator boundary bypass --reason "release is on fire" --for 30m --session 0b1c…
  orchestrator boundary bypass --end all --reason "the release is out"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch begins := lasting != 0 || session != ""; {
			case end != "" && begins:
				return fault.New(fault.Invalid, fault.CodeUsage, "a bypass is begun or ended, not both").
					WithFix("give --end alone, or --for and --session")
			case end != "":
				return o.endBypass(cmd.OutOrStdout(), end)
			}
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
	cmd.Flags().StringVar(&end, "end", "", "id of a bypass to end, or all")
	cli.TypedOnly(cmd, "end")
	return person.Only(cli.WithEnv(cmd))
}

// endBypass ends bypasses, and names them.
func (o *boundaryOptions) endBypass(out io.Writer, id string) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	ended, err := control.EndBypass(dir, id, o.change(), hook.NewID)
	if err != nil {
		return err
	}
	for _, g := range ended {
		fmt.Fprintf(out, "bypass %s for %s has ended\n", output.Printable(g.ID), sessionOf(g))
	}
	return nil
}

// writeBypasses writes the bypasses that are in force, and those that a person has ended.
func writeBypasses(p *output.Printer, s report.Status) {
	for _, g := range s.Bypasses {
		p.Line("  bypass %s for %s until %s by %s: %s", output.Printable(g.ID), sessionOf(g),
			g.Until.Format(time.RFC3339), output.Printable(g.By), output.Printable(g.Reason))
	}
	for _, e := range s.Ended {
		line := fmt.Sprintf("  bypass %s ended on %s by %s", e.ID, e.At.Format(time.RFC3339), e.By)
		if e.Reason != "" {
			line += ": " + e.Reason
		}
		p.Line("%s", output.Printable(line))
	}
}

// sessionOf names the sessions that a bypass is for.
func sessionOf(g boundary.Grant) string {
	if g.Session == "" {
		return "every session"
	}
	return "session " + output.Printable(g.Session)
}
