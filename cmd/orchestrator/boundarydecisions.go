package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

func boundaryDecisionsCommand() *cobra.Command {
	var o boundaryOptions
	var since string
	var limit int
	var violations bool
	cmd := &cobra.Command{
		Use:   "decisions",
		Short: "List decisions, newest first, allowed ones included, with the ids that label takes",
		Example: `  orchestrator boundary decisions --violations --since 24h
  orchestrator boundary label 3f9c1a2b correct`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return fault.New(fault.Invalid, "usage", "%d decisions cannot be listed", limit).
					WithFix("give --limit 1 or more")
			}
			from, err := sinceOf(since, time.Now())
			if err != nil {
				return err
			}
			h, err := o.history()
			if err != nil {
				return err
			}
			d := h.Newest(from, limit, violations)
			return o.show(cmd.OutOrStdout(), d, func(p *reportPrinter) { writeDecided(p, d) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	sinceFlag(cmd, &since)
	cmd.Flags().IntVar(&limit, "limit", 50, "the most that are listed")
	cmd.Flags().BoolVar(&violations, "violations", false, "leave out what enforce lets through")
	return withEnv(cmd)
}

func writeDecided(p *reportPrinter, d report.Decided) {
	for _, v := range d.Decisions {
		p.line("%s", decisionLine(p, v))
	}
	p.line("%d of %d decisions", len(d.Decisions), d.Total)
}

// decisionLine shows a decision; nothing in it is trusted, as anybody may have written the journal.
func decisionLine(p *reportPrinter, v report.Violation) string {
	mark := map[boundary.Decision]colour{boundary.Allow: green, boundary.Block: red}[v.Decision]
	if mark == "" {
		mark = yellow
	}
	line := fmt.Sprintf("%s  %s  %s  %s", printable(v.ID), v.At.Format(time.DateTime),
		p.paint(mark, printable(string(v.Decision))), printable(v.Tool))
	if len(v.Files) > 0 {
		line += " on " + printable(strings.Join(v.Files[:min(3, len(v.Files))], ", "))
	}
	line += fmt.Sprintf("  by %s [%s] %s", printable(string(v.Actor.Kind)), printable(v.Rule), printable(v.Reason))
	if v.Label != "" {
		line += "  labelled " + printable(v.Label)
	}
	if v.Bypass != "" {
		line += "  bypass " + printable(v.Bypass)
	}
	return line
}
