package boundarycmd

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
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
			return o.show(cmd.OutOrStdout(), s, func(p *output.Printer) { writeStatus(p, s) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return cli.WithEnv(cmd)
}

func writeStatus(p *output.Printer, s report.Status) {
	p.Line("%s: %s", output.Printable(s.Root), p.Paint(colourOf(s.Mode), output.Printable(string(s.Mode))))
	if !s.Since.IsZero() {
		p.Line("  since %s by %s: %s", s.Since.Format(time.RFC3339), output.Printable(s.By), output.Printable(s.Reason))
	}
	writeSilent(p, s.SilentIn)
	if s.Unrecorded {
		p.Line("  %s", p.Paint(output.Red,
			"the mode in the policy is not on record here: it was switched on another machine, or by hand; "+
				"to record it: orchestrator boundary mode "+output.Printable(string(s.Mode))+" --reason TEXT"))
	}
	writeBypasses(p, s)
	writePathModes(p, s.PathModes)
	p.Line("  %s, %s; ready to be enforced: %s", fault.Count(s.Decisions, "decision"),
		fault.Count(s.Violations, "violation"),
		map[bool]string{true: "yes", false: "no, see orchestrator boundary readiness"}[s.Ready])
	writeRecovery(p, s.Recovery)
	writeAttestations(p, s.Attestations)
	writeReviews(p, s.Reviews)
	for _, f := range s.Raised {
		p.Line("  %s: %s: %s", p.Paint(output.Red, "red flag"), output.Printable(f.Name), output.Printable(f.Value))
		p.Line("      %s", output.Printable(f.Advice))
	}
}

func writeSilent(p *output.Printer, silentIn map[string]string) {
	for _, client := range slices.Sorted(maps.Keys(silentIn)) {
		p.Line("  %s: warnings are not shown (%s); orchestrator boundary report lists them", output.Printable(client),
			silentIn[client])
	}
}

func writePathModes(p *output.Printer, all []boundary.PathMode) {
	for _, m := range all {
		p.Line("  %s: %s", output.Printable(string(m.Mode)), output.Printable(strings.Join(m.Paths, ", ")))
	}
}

func writeAttestations(p *output.Printer, all []boundary.Attestation) {
	for _, a := range all {
		p.Line("  %s", attestationLine(a))
	}
}

func colourOf(m boundary.Mode) output.Colour {
	return map[boundary.Mode]output.Colour{boundary.Off: output.Red, boundary.Validate: output.Yellow,
		boundary.Confirm: output.Yellow, boundary.Enforce: output.Green}[m]
}
