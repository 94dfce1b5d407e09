package main

import (
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

func boundaryStatusCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the mode, bypasses in force, and what was decided so far",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, policy, err := o.policy()
			if err != nil {
				return err
			}
			s, err := report.StatusOf(dir, &policy, time.Now())
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), s, func(p *reportPrinter) { writeStatus(p, s) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return withEnv(cmd)
}

func writeStatus(p *reportPrinter, s report.Status) {
	p.line("%s: %s", printable(s.Root), p.paint(colourOf(s.Mode), printable(string(s.Mode))))
	if !s.Since.IsZero() {
		p.line("  since %s by %s: %s", s.Since.Format(time.RFC3339), printable(s.By), printable(s.Reason))
	}
	if s.Unrecorded {
		p.line("  %s", p.paint(red,
			"the policy has another mode than was recorded, or none was: somebody wrote it by hand; orchestrator "+
				"boundary mode records a switch"))
	}
	for _, g := range s.Bypasses {
		whom := "every session"
		if g.Session != "" {
			whom = "session " + printable(g.Session)
		}
		p.line("  bypass %s for %s until %s by %s: %s", printable(g.ID), whom, g.Until.Format(time.RFC3339),
			printable(g.By), printable(g.Reason))
	}
	p.line("  %d decisions, %d violations; ready to be enforced: %s", s.Decisions, s.Violations,
		map[bool]string{true: "yes", false: "no, see orchestrator boundary readiness"}[s.Ready])
	for _, f := range s.Raised {
		p.line("  %s %s: %s", p.paint(red, printable(f.Name)), printable(f.Value), printable(f.Advice))
	}
}

func colourOf(m boundary.Mode) colour {
	return map[boundary.Mode]colour{boundary.Off: red, boundary.Validate: yellow, boundary.Enforce: green}[m]
}
