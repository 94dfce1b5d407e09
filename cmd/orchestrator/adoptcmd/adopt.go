// Package adoptcmd has the commands that bring what a document calls finished to done: one writes a plan of changes,
// the other sends it.
package adoptcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/exported"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/adopting"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// planning are the flags of adopt.
type planning struct {
	cli.Service
	adopting.Options
	out string
}

const adoptLong = `Adopt writes a plan for the requirements that their document calls finished, with a tick or a mark
such as ✓: ordinary changes, a line of JSON each, of the role whose change it is. orchestrator apply sends them.

A plan goes through every row of the workflow, and skips no gate. It takes what trace finds:

  files with a mark such as "Implements: REQ-001" become the implementation,
  tests that name it, in a report of --report, become the test record,
  a design beside the document, or else its text, becomes the design.

Where something is lacking, the plan of that requirement ends there, and the summary says what it is and who can supply
it. Tests count only if they ran after the implementation was recorded: apply a first plan, run the tests, and adopt
again with their report. The approval of the pm is left out, since a person has to look at the evidence; approve shows
it and asks. Give --approve if you have looked at it already. It leaves to approve what is doubtful: tests that stand in
no file or name several requirements, and files that hold nothing but a mark. The summary names all of these.

Adopt changes nothing. Without a service, as in a clone, it reads project_status.json.`

// AdoptCommand returns adopt.
func AdoptCommand() *cobra.Command {
	var o planning
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Plan how what the documents call finished comes to done",
		Long:  adoptLong,
		Args:  cobra.NoArgs,
		Example: `  orchestrator adopt                       # print the plan
  orchestrator adopt -o plan.jsonl         # write it, and summarise it
  orchestrator adopt -o plan.jsonl --report report.json --report ui.xml`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cli.ServiceFlags(cmd, &o.Service)
	cli.TimeoutFlag(cmd, &o.Service)
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "`file` for the plan; without it the plan goes to standard output")
	f.StringArrayVar(&o.Reports, "report", nil,
		"`file` with the report of a test run, as attach takes it; may be given several times")
	f.StringVar(&o.Commit, "commit", "",
		"`commit` that the reports are of (default: the service takes the tip of the branch)")
	f.StringSliceVar(&o.Exclude, "exclude", nil, "files or folders that are not searched for marks, as for trace")
	f.BoolVar(&o.Approve, "approve", false, "plan the approval of the pm, too: you have looked at the evidence")
	setting.WorkAtRoot(cmd, "data", "out", "report", "token-file", "tls-ca")
	cli.TypedOnly(cmd, "approve")
	return cli.WithEnv(cmd)
}

func (o *planning) run(cmd *cobra.Command) error {
	state, err := o.state(cmd)
	if err != nil {
		return err
	}
	shown := output.NewProgress(cmd.ErrOrStderr(), "files")
	o.Progress = shown.Update()
	result, err := adopting.Plan(cmd.Context(), state, o.Options, time.Now())
	shown.Clear()
	if err != nil {
		return err
	}
	plan, err := adoption.Encode(result.Lines)
	if err != nil {
		return err
	}
	if o.out == "" {
		if _, err := cmd.OutOrStdout().Write(plan); err != nil {
			return err
		}
		return writePlan(cmd.ErrOrStderr(), result, "FILE")
	}
	if err := o.writeOut(cmd, plan); err != nil {
		return err
	}
	return writePlan(cmd.OutOrStdout(), result, o.out)
}

// writeOut writes a plan that has lines, in the place of nothing but another plan.
func (o *planning) writeOut(cmd *cobra.Command, plan []byte) error {
	before, err := tree.ReadFile(cmd.Context(), o.out, adoption.MaxBytes)
	if err == nil && len(before) > 0 {
		_, err = adoption.Read(before)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Misuse("%s is there, and is no plan", o.out).
			WithFix("name another file, or remove this one").Because(err)
	}
	if len(plan) == 0 {
		_, err := fmt.Fprintf(cmd.ErrOrStderr(), "the plan has no lines: %s is not written\n", output.Printable(o.out))
		return err
	}
	return durable.WriteFile(o.out, 0o644, writerOf(plan))
}

func writerOf(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

// state asks for the state of the project, or reads it from the export.
func (o *planning) state(cmd *cobra.Command) ([]byte, error) {
	c, err := o.Connect()
	if err == nil {
		var state []byte
		if state, err = c.Get(cmd.Context(), "/project", "application/json"); err == nil {
			return state, nil
		}
	}
	status, err := exported.Status(cmd, err)
	return status.Raw, err
}

// writePlan summarises a plan.
func writePlan(out io.Writer, r adoption.Result, file string) error {
	p, columns := output.NewPrinter(output.Colourful(out)), output.Columns(out)
	c := r.Counts()
	p.Line("complete according to the document, and not done here: %d", c.Finished)
	var rows [][]string
	for _, o := range r.Outcomes {
		rows = append(rows, []string{o.ID, string(o.From), string(o.To), fmt.Sprint(o.Lines)})
	}
	if len(rows) > 0 {
		p.Table(columns, []string{"ID", "FROM", "TO", "LINES"}, rows)
	}
	for _, l := range r.Lacking() {
		p.Line("%s: %s", output.Printable(l.What), output.Printable(l.Named()))
		p.Line("  by the %s: %s", l.By, output.Printable(l.With))
	}
	for _, d := range r.Doubtful() {
		p.Line("doubtful, and not approved by any plan: %s: %s", output.Printable(d.What), output.Printable(d.Named()))
	}
	p.Line("the plan has %d lines; by it %d come to done, %d lack the approval of the pm alone, and %d lack more",
		len(r.Lines), c.Done, c.Awaiting, c.Lacking)
	writeAfter(p, r, file)
	_, err := io.WriteString(out, p.String())
	return err
}

// writeAfter writes the commands that come next.
func writeAfter(p *output.Printer, r adoption.Result, file string) {
	if len(r.Lines) > 0 {
		file = output.Printable(file)
		p.Line("next: orchestrator apply %s --dry-run, then orchestrator apply %s", file, file)
	}
	if ids := r.Awaiting(); len(ids) > 0 {
		p.Line("then, as the pm: orchestrator approve %s", output.Printable(ids))
	}
}
