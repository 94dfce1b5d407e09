package main

import (
	"fmt"
	"io"
	"os/user"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

func boundaryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "boundary",
		Short: "Keep the main session of an agent client from editing files itself: it delegates",
		Long: `The main session of an agent client reads, asks and starts agents; agents change files. A hook that the client calls before every
tool judges the call by .orchestrator/boundary/policy.json, and notes the decision in the journal beside it.

There are three phases: off; validate, in which violations are recorded and said, and nothing is blocked; and enforce. A
project begins in validate. Readiness says by the figures when to enforce.`,
	}
	cmd.AddCommand(boundaryStatusCommand(), boundaryReportCommand(), boundaryDecisionsCommand(),
		boundaryLabelCommand(), boundaryReadinessCommand(), boundaryModeCommand(), boundaryRollbackCommand(),
		boundaryBypassCommand(), boundaryExplainCommand(), boundaryReplayCommand(), boundaryImportCommand(),
		boundaryExportCommand(),
		boundaryInstallCommand(), boundaryUninstallCommand(), boundaryDoctorCommand(), boundaryDrillCommand())
	return group(cmd)
}

// boundaryOptions are the flags that commands of the boundary share.
type boundaryOptions struct {
	root, reason string
	asJSON       bool
}

func (o *boundaryOptions) rootFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.root, "root", ".", "the project, or a folder in it")
}

func (o *boundaryOptions) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
}

func (o *boundaryOptions) reasonFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.reason, "reason", "", "why; it is recorded")
	typedOnly(cmd, "reason")
}

// dir is the boundary of the project that --root lies in.
func (o *boundaryOptions) dir() (folder.Dir, error) {
	at := folder.In(o.root)
	if dir, found := folder.Find(at.Root); found {
		return dir, nil
	}
	return at, fault.New(fault.NotFound, "no_boundary", "neither %s nor a folder above it has a boundary", at.Root).
		WithFix("orchestrator boundary install CLIENT sets it up, in validate: nothing is blocked")
}

// policy is the project's own.
func (o *boundaryOptions) policy() (dir folder.Dir, p boundary.Policy, err error) {
	if dir, err = o.dir(); err == nil {
		p, err = control.Policy(dir)
	}
	return dir, p, err
}

// history is what the project's journal has.
func (o *boundaryOptions) history() (*report.History, error) {
	dir, err := o.dir()
	if err != nil {
		return nil, err
	}
	return report.Read(dir)
}

// change is what this person does, now.
func (o *boundaryOptions) change() control.Change {
	return control.Change{By: whoami(), Reason: o.reason, At: time.Now(), ID: hook.NewID()}
}

// whoami names the person at this machine; it is their word, as the machine has it.
func whoami() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "local:" + u.Username
	}
	return "local:unknown"
}

// show writes a value as JSON, or as text.
func (o *boundaryOptions) show(out io.Writer, value any, text func(*reportPrinter)) error {
	if o.asJSON {
		b, err := jsonv2.Marshal(value, jsonv2.Deterministic(true), jsontext.WithIndent("  "),
			jsonv2.FormatNilSliceAsNull(false))
		if err == nil {
			_, err = fmt.Fprintln(out, string(b))
		}
		return err
	}
	p := &reportPrinter{colour: colourful(out)}
	text(p)
	_, err := io.WriteString(out, p.text.String())
	return err
}

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

func boundaryReportCommand() *cobra.Command {
	var o boundaryOptions
	var since string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Report violations by session, file and tool, over time, with bypasses, errors and latency",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := sinceOf(since, time.Now())
			if err != nil {
				return err
			}
			h, err := o.history()
			if err != nil {
				return err
			}
			r := h.Report(from)
			return o.show(cmd.OutOrStdout(), r, func(p *reportPrinter) { writeBoundaryReport(p, r) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	sinceFlag(cmd, &since)
	return withEnv(cmd)
}

// sinceOf reads a time or an age.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	age := text
	if days, ok := strings.CutSuffix(text, "d"); ok {
		age = days + "h"
	}
	d, err := time.ParseDuration(age)
	if err != nil || d < 0 {
		return time.Time{}, fault.New(fault.Invalid, "usage", "%q is neither a time nor an age", text).
			WithFix("give --since 2026-01-31, --since 24h or --since 7d")
	}
	if age != text {
		d *= 24
	}
	return now.Add(-d), nil
}

func writeBoundaryReport(p *reportPrinter, r report.Report) {
	if r.Decisions == 0 {
		p.line("no decisions: is the hook installed? orchestrator boundary doctor")
	} else {
		p.line("%d decisions, %d violations; %s", r.Decisions, r.Violations, decisionsOf(r.ByDecision))
	}
	p.line("sessions with a bypass: %d of %d; hook errors: %d of %d runs; latency p50 %s, p95 %s, p99 %s, max %s",
		r.Bypasses.Count, r.Bypasses.Of, r.Errors.Count, r.Errors.Of, micros(r.Latency.P50), micros(r.Latency.P95),
		micros(r.Latency.P99), micros(r.Latency.Max))
	for _, s := range r.Patterns {
		p.line("  %s", printable(s))
	}
	lists := []struct {
		title string
		list  []report.Count
	}{{"by tool", r.Tools}, {"by file", r.Files}, {"by rule", r.Rules}}
	for _, l := range lists {
		if len(l.list) > 0 {
			p.line("%s:", l.title)
		}
		for _, c := range l.list {
			p.line("  %5d  %s", c.Count, printable(c.Name))
		}
	}
	if len(r.Sessions) > 0 {
		p.line("by session:")
	}
	for _, s := range r.Sessions {
		p.line("  %5d  of %d decisions  %s %s", s.Violations, s.Decisions, printable(s.Client), printable(s.Session))
	}
	writeDays(p, r)
	for _, v := range r.Latest {
		p.line("%s", decisionLine(p, v))
	}
	for _, e := range r.LastErrors {
		p.line("%s  %s  %s: %s", e.At.Format(time.DateTime), p.paint(red, "error"), printable(e.Client),
			printable(e.Reason))
	}
	if r.Malformed+r.Imported > 0 {
		p.line("%d lines of the journal cannot be read; %d calls are out of an older journal", r.Malformed, r.Imported)
	}
}

func writeDays(p *reportPrinter, r report.Report) {
	if len(r.Days) == 0 {
		return
	}
	p.line("by day:")
	most := 1
	for _, d := range r.Days {
		most = max(most, d.Violations)
	}
	for _, d := range r.Days {
		p.line("  %s  %5d of %5d  %s", printable(d.Day), d.Violations, d.Decisions,
			strings.Repeat("#", d.Violations*40/most))
	}
}

func decisionsOf(by map[boundary.Decision]int) string {
	var all []string
	for _, d := range []boundary.Decision{boundary.Allow, boundary.Warn, boundary.Ask, boundary.Block} {
		if by[d] > 0 {
			all = append(all, fmt.Sprintf("%d %s", by[d], d))
		}
	}
	return strings.Join(all, ", ")
}

func micros(n int64) string { return (time.Duration(n) * time.Microsecond).String() }
