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

func boundaryReportCommand() *cobra.Command {
	var o boundaryOptions
	var since string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Report violations, bypasses, errors and latency over time",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := sinceOf(since, time.Now())
			if err != nil {
				return err
			}
			dir, policy, err := o.policy()
			if err != nil {
				return err
			}
			h, err := report.Read(dir)
			if err != nil {
				return err
			}
			r := h.ReportUnder(&policy, from, time.Now())
			return o.show(cmd.OutOrStdout(), r, func(p *output.Printer) { writeBoundaryReport(p, r) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	sinceFlag(cmd, &since)
	return cli.WithEnv(cmd)
}

func writeBoundaryReport(p *output.Printer, r report.Report) {
	if r.Decisions == 0 {
		p.Line("no decisions: is the hook installed? orchestrator boundary doctor")
	} else {
		p.Line("%s, %s; %s", fault.Count(r.Decisions, "decision"), fault.Count(r.Violations, "violation"),
			decisionsOf(r.ByDecision))
	}
	p.Line("sessions with a bypass: %d of %d; hook errors: %d of %s; latency p50 %s, p95 %s, p99 %s, max %s",
		r.Bypasses.Count, r.Bypasses.Of, r.Errors.Count, fault.Count(r.Errors.Of, "run"),
		micros(r.Latency.P50), micros(r.Latency.P95), micros(r.Latency.P99), micros(r.Latency.Max))
	for _, s := range r.Patterns {
		p.Line("  %s", output.Printable(s))
	}
	writeReviews(p, r.Reviews)
	writeStuck(p, r.Stuck)
	writeCounts(p, r)
	if classes := counts(r.ByClass, boundary.Reads, boundary.Delegates, boundary.Produces, boundary.Ambiguous,
		boundary.Writes); classes != "" {
		p.Line("by class: %s", classes)
	}
	writeDays(p, r)
	for _, v := range r.Latest {
		p.Line("%s", decisionLine(p, v))
	}
	writeErrors(p, r.LastErrors)
	if r.Malformed+r.Imported > 0 {
		p.Line("unreadable lines of the journal: %d; calls from an older journal: %d", r.Malformed, r.Imported)
	}
}

// writeErrors writes the last errors of the hook.
func writeErrors(p *output.Printer, all []report.ErrorSeen) {
	for _, e := range all {
		p.Line("%s  %s  %s: %s", e.At.Format(time.DateTime), p.Paint(output.Red, "error"), output.Printable(e.Client),
			output.Printable(e.Reason))
	}
}

// writeStuck writes what was blocked again and again, with no allowed way since.
func writeStuck(p *output.Printer, all []report.Stuck) {
	if len(all) > 0 {
		p.Line("blocked again and again, with no allowed way since:")
	}
	for _, s := range all {
		p.Line("  %5d  times in %d sessions, last on %s  %s  [%s]", s.Times, s.Sessions, s.Last.Format(time.DateTime),
			output.Printable(s.Name), output.Printable(s.Rule))
	}
}

// writeCounts writes the violations by what they are counted by.
func writeCounts(p *output.Printer, r report.Report) {
	lists := []struct {
		title string
		list  []report.Count
	}{{"by tool", r.Tools}, {"by file", r.Files}, {"by rule", r.Rules}}
	for _, l := range lists {
		if len(l.list) > 0 {
			p.Line("%s:", l.title)
		}
		for _, c := range l.list {
			p.Line("  %5d  %s", c.Count, output.Printable(c.Name))
		}
	}
	if len(r.Sessions) > 0 {
		p.Line("by session:")
	}
	for _, s := range r.Sessions {
		p.Line("  %5d  of %s  %s %s", s.Violations, fault.Count(s.Decisions, "decision"),
			output.Printable(s.Client), output.Printable(s.Session))
	}
}

func writeDays(p *output.Printer, r report.Report) {
	if len(r.Days) == 0 {
		return
	}
	p.Line("by day:")
	most := 1
	for _, d := range r.Days {
		most = max(most, d.Violations)
	}
	for _, d := range r.Days {
		p.Line("  %s  %5d of %5d  %s", output.Printable(d.Day), d.Violations, d.Decisions,
			strings.Repeat("#", d.Violations*40/most))
	}
}

func decisionsOf(by map[boundary.Decision]int) string {
	return counts(by, boundary.Allow, boundary.Warn, boundary.Ask, boundary.Block)
}

// counts names how often each of some kinds was met, where it was.
func counts[K ~string](by map[K]int, kinds ...K) string {
	var all []string
	for _, kind := range kinds {
		if by[kind] > 0 {
			all = append(all, fmt.Sprintf("%d %s", by[kind], kind))
		}
	}
	return strings.Join(all, ", ")
}

func micros(n int64) string { return (time.Duration(n) * time.Microsecond).String() }
