package boundarycmd

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/report"
)

func boundaryReadinessCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "readiness",
		Short: "Measure whether the boundary may be enforced, item by item",
		Long: `Readiness measures the checklist for enforcing from the journal. The policy sets the thresholds. What a
journal cannot show, a person attests: orchestrator boundary attest. After a rollback there are more checks.

Exit codes: 0 ready; 1 not ready, or not measured.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, p, err := o.policy()
			if err != nil {
				return err
			}
			h, err := report.Read(dir)
			if err != nil {
				return err
			}
			r := h.Readiness(&p, time.Now())
			err = o.show(cmd.OutOrStdout(), r, func(p *output.Printer) { writeReadiness(p, r) })
			return cmp.Or(err, r.NotReady())
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return cli.WithEnv(cmd)
}

func writeReadiness(p *output.Printer, r report.Readiness) {
	for _, c := range r.Checks {
		verdict := p.Paint(output.Green, "pass")
		if !c.Passed {
			verdict = p.Paint(output.Red, "FAIL")
		}
		p.Line("%s  %s: %s (required: %s)", verdict, output.Printable(c.Name), output.Printable(c.Value),
			output.Printable(c.Threshold))
		if c.Fix != "" {
			p.Line("      %s", output.Printable(c.Fix))
		}
	}
	for _, f := range r.Flags {
		verdict := p.Paint(output.Green, "ok  ")
		if f.Raised {
			verdict = p.Paint(output.Red, "FLAG")
		}
		p.Line("%s  %s: %s (raised %s)", verdict, output.Printable(f.Name), output.Printable(f.Value),
			output.Printable(f.Limit))
		if f.Advice != "" {
			p.Line("      %s", output.Printable(f.Advice))
		}
	}
	writeReviews(p, r.Reviews)
	yes := map[bool]string{true: "yes", false: "no"}
	p.Line("ready to enforce: %s; to confirm, which needs all but the days: %s", yes[r.Ready], yes[r.ReadyToConfirm])
}
