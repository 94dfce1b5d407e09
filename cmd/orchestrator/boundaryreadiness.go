package main

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

func boundaryReadinessCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "readiness",
		Short: "Measure whether the boundary may be enforced: every item of the checklist with its value and threshold",
		Long: `Readiness measures the checklist for enforcing from the journal. The policy sets the thresholds.

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
			err = o.show(cmd.OutOrStdout(), r, func(p *reportPrinter) { writeReadiness(p, r) })
			return cmp.Or(err, r.NotReady())
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return withEnv(cmd)
}

func writeReadiness(p *reportPrinter, r boundary.Readiness) {
	for _, c := range r.Checks {
		verdict := p.paint(green, "pass")
		if !c.Passed {
			verdict = p.paint(red, "FAIL")
		}
		p.line("%s  %s: %s (%s)", verdict, printable(c.Name), printable(c.Value), printable(c.Threshold))
		if c.Fix != "" {
			p.line("      %s", printable(c.Fix))
		}
	}
	for _, f := range r.Flags {
		verdict := p.paint(green, "ok  ")
		if f.Raised {
			verdict = p.paint(red, "FLAG")
		}
		p.line("%s  %s: %s (raised %s)", verdict, printable(f.Name), printable(f.Value), printable(f.Limit))
		if f.Advice != "" {
			p.line("      %s", printable(f.Advice))
		}
	}
}
