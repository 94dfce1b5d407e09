package main

import (
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// boundaryStatus is what status shows.
type boundaryStatus struct {
	Root       string           `json:"root"`
	Mode       boundary.Mode    `json:"mode"`
	Since      time.Time        `json:"since,omitzero"` // of the mode, where it is on record
	By         string           `json:"by,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Unrecorded bool             `json:"unrecorded"` // the policy has another mode than was recorded: somebody wrote it by hand
	Bypasses   []boundary.Grant `json:"bypasses"`   // in force now
	Decisions  int              `json:"decisions"`
	Violations int              `json:"violations"`
	Ready      bool             `json:"ready"`
	Raised     []boundary.Flag  `json:"raised"` // red flags
}

func boundaryStatusCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the mode, bypasses in force, and what was decided so far",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.status()
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), s, s.write)
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return withEnv(cmd)
}

func (o *boundaryOptions) status() (s boundaryStatus, err error) {
	dir, p, err := o.policy()
	if err != nil {
		return s, err
	}
	h, err := report.Read(dir)
	if err != nil {
		return s, err
	}
	grants, err := dir.Grants()
	if err != nil {
		return s, err
	}
	now := time.Now()
	ready := h.Readiness(&p, now)
	s = boundaryStatus{
		Root: dir.Root, Mode: p.Mode, Bypasses: []boundary.Grant{},
		Decisions: len(h.Decisions), Violations: ready.Figures.Violations, Ready: ready.Ready,
		Raised: []boundary.Flag{},
	}
	written, err := dir.Written()
	if err != nil {
		return s, err
	}
	s.Unrecorded = true
	if n := len(h.Modes); n > 0 {
		last := h.Modes[n-1]
		s.Since, s.By, s.Reason, s.Unrecorded = last.At, last.By, last.Reason, last.Mode != written.Mode
	}
	for _, g := range grants {
		if now.Before(g.Until) {
			s.Bypasses = append(s.Bypasses, g)
		}
	}
	for _, f := range ready.Flags {
		if f.Raised {
			s.Raised = append(s.Raised, f)
		}
	}
	return s, nil
}

func (s boundaryStatus) write(p *reportPrinter) {
	p.line("%s: %s", printable(s.Root), p.paint(colourOf(s.Mode), printable(string(s.Mode))))
	if !s.Since.IsZero() {
		p.line("  since %s by %s: %s", s.Since.Format(time.RFC3339), printable(s.By), printable(s.Reason))
	}
	if s.Unrecorded {
		p.line("  %s", p.paint(red,
			"the policy has another mode than was recorded, or none was: somebody wrote it by hand; orchestrator boundary mode records a switch"))
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
