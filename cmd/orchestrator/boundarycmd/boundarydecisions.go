package boundarycmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
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
		Short: "List decisions with their ids, newest first",
		Example: `  orchestrator boundary decisions --violations --since 24h
  orchestrator boundary label 3f9c1a2b correct`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return fault.New(fault.Invalid, fault.CodeUsage, "%d decisions cannot be listed", limit).
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
			return o.show(cmd.OutOrStdout(), d, func(p *output.Printer) { writeDecided(p, d) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	sinceFlag(cmd, &since)
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many decisions")
	cmd.Flags().BoolVar(&violations, "violations", false, "list only calls that enforce would not let through")
	return cli.WithEnv(cmd)
}

func writeDecided(p *output.Printer, d report.Decided) {
	for _, v := range d.Decisions {
		p.Line("%s", decisionLine(p, v))
	}
	p.Line("%d of %s", len(d.Decisions), fault.Count(d.Total, "decision"))
}

// decisionLine shows a decision; nothing in it is trusted, as anybody may have written the journal.
func decisionLine(p *output.Printer, v report.Violation) string {
	mark := map[boundary.Decision]output.Colour{boundary.Allow: output.Green, boundary.Block: output.Red}[v.Decision]
	if mark == "" {
		mark = output.Yellow
	}
	line := fmt.Sprintf("%s  %s  %s  %s", output.Printable(v.ID), v.At.Format(time.DateTime),
		p.Paint(mark, output.Printable(string(v.Decision))), output.Printable(v.Tool))
	if len(v.Files) > 0 {
		line += " on " + output.Printable(strings.Join(v.Files[:min(3, len(v.Files))], ", "))
	}
	line += fmt.Sprintf("  by %s [%s] %s", output.Printable(string(v.Actor.Kind)), output.Printable(v.Rule),
		output.Printable(v.Reason))
	if v.Label != "" {
		line += "  labelled " + output.Printable(v.Label)
	}
	if v.Bypass != "" {
		line += "  bypass " + output.Printable(v.Bypass)
	}
	return line
}
