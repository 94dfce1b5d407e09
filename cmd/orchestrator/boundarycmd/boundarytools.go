package boundarycmd

import (
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
)

func boundaryToolsCommand() *cobra.Command {
	var o boundaryOptions
	var since string
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List called tools that neither this program nor the policy knows",
		Long: `Tools lists what clients called that neither this program nor the policy knows: client, the client's own
name, how often, when last, and the class that the words of its name give it. In enforce a main session cannot use
what is ambiguous. The lines below each tool say which list of the policy it may be added to.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := sinceOf(since, time.Now())
			if err != nil {
				return err
			}
			_, policy, err := o.policy()
			if err != nil {
				return err
			}
			h, err := o.history()
			if err != nil {
				return err
			}
			u := h.Unlisted(&policy, from)
			return o.show(cmd.OutOrStdout(), u, func(p *output.Printer) { writeUnknown(p, u) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	sinceFlag(cmd, &since)
	return cli.WithEnv(cmd)
}

func writeUnknown(p *output.Printer, all report.UnlistedTools) {
	for _, u := range all.Tools {
		p.Line("%s  %s  %s  %s, last %s", output.Printable(u.Client), output.Printable(u.Tool),
			p.Paint(output.Yellow, string(u.Class)), fault.Count(u.Calls, "call"), u.Last.Format(time.DateTime))
		for _, l := range u.Lines {
			p.Line("  if %s: %s", l.If, output.Printable(l.Line))
		}
	}
	p.Line("%s", fault.Count(len(all.Tools), "unknown tool"))
}
