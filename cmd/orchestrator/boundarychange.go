package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

func boundaryReadinessCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "readiness",
		Short: "Measure whether the boundary may be enforced: every item of the checklist with its value and threshold",
		Long: `Readiness measures the activation checklist from the journal. Thresholds stand in the policy.

Exit codes: 0 ready; 1 not ready, or it cannot be told.`,
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
			if err := o.show(cmd.OutOrStdout(), r, func(p *reportPrinter) { writeReadiness(p, r) }); err != nil ||
				r.Ready {
				return err
			}
			return fault.New(fault.Conflict, "boundary_not_ready", "the boundary is not ready to be enforced").
				WithFix("pass what is marked FAIL above")
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

func boundaryModeCommand() *cobra.Command {
	var o boundaryOptions
	var override string
	cmd := &cobra.Command{
		Use:   "mode off|validate|enforce",
		Short: "Switch the mode; the switch is recorded with who and why",
		Long: `Mode switches the phase of the boundary. To enforce needs every check of readiness to pass, or --override with the reason, which is
recorded as well. Sessions that run heed the new mode from their next call on.`,
		Example: `  orchestrator boundary mode enforce --reason "two weeks without a false positive"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.switchMode(cmd, boundary.Mode(args[0]), override)
		},
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	cmd.Flags().StringVar(&override, "override", "", "enforce although it is not ready, for this reason")
	typedOnly(cmd, "override")
	return withEnv(cmd)
}

func (o *boundaryOptions) switchMode(cmd *cobra.Command, to boundary.Mode, override string) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	from, err := control.SetMode(dir, to, override, o.change(), report.FromFiles(dir))
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, was %s\n", printable(dir.Root), printable(string(to)),
		printable(string(from)))
	return nil
}

func boundaryRollbackCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:     "rollback",
		Short:   "Go back from enforce to validate at once",
		Example: `  orchestrator boundary rollback --reason "agents are taken for the main session"`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.switchMode(cmd, boundary.Validate, "") },
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	return withEnv(cmd)
}

func boundaryBypassCommand() *cobra.Command {
	var o boundaryOptions
	var lasting time.Duration
	var session string
	cmd := &cobra.Command{
		Use:   "bypass",
		Short: "Lift the boundary for a while, for one session or for all",
		Long: `Bypass lets through what the boundary blocks, until its time is over. It is recorded when it is given, and with every decision that
it changes. What names the boundary's own files stays blocked.`,
		Example: `  orchestrator boundary bypass --reason "release is on fire" --for 30m --session 0b1c…`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			g, err := control.Bypass(dir, lasting, session, o.change())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "bypass %s until %s\n", printable(g.ID),
				g.Until.Local().Format(time.RFC3339))
			return nil
		},
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	cmd.Flags().DurationVar(&lasting, "for", 0, "how long, such as 30m; at most 24h")
	cmd.Flags().StringVar(&session, "session", "", "the session; without it every session")
	return withEnv(cmd)
}

func boundaryLabelCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "label ID correct|false-positive|resolved",
		Short: "Say whether a decision was correct; readiness counts it",
		Long: `Label keeps what a person says of a decision. A false positive stays open until the policy lets the call through, or until it is labelled
resolved. The latest label counts.`,
		Example: `  orchestrator boundary label 3f9c1a2b false-positive --note "that was an agent"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			d, err := control.Label(dir, args[0], args[1], o.change())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is labelled %s\n", printable(d.ID), printable(args[1]))
			return nil
		},
	}
	o.rootFlag(cmd)
	cmd.Flags().StringVar(&o.reason, "note", "", "why")
	return withEnv(cmd)
}
