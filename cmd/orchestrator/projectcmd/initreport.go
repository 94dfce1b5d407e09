package projectcmd

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/setup"
)

// initReport is what init prints as JSON.
type initReport struct {
	Found    setup.Found   `json:"found"`
	Folder   string        `json:"folder"` // that was set up
	DryRun   bool          `json:"dry_run"`
	Complete bool          `json:"complete"` // nothing was left to be done
	Steps    []*setup.Step `json:"steps"`
	Commit   []string      `json:"commit"` // files that the others who work here need
	Next     []string      `json:"next"`   // commands
}

// report says what was done, or would be.
func (o *initOptions) report(cmd *cobra.Command, plan setup.Plan) error {
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	r := initReport{plan.Found, folder, o.dryRun, plan.Complete(), plan.Steps, plan.ToCommit(), o.next(plan)}
	out := cmd.OutOrStdout()
	if o.asJSON {
		return output.WriteJSON(out, r)
	}
	p := output.NewPrinter(output.Colourful(out))
	o.write(p, r)
	_, err = io.WriteString(out, p.String())
	return err
}

func (o *initOptions) write(p *output.Printer, r initReport) {
	if o.moved {
		p.Line("setting up %s, the top of the repository; --here keeps to the folder below", output.Printable(r.Folder))
	}
	p.Line("found %s", output.Printable(r.Found.String()))
	for _, s := range r.Steps {
		p.Line("%s %s", o.did(s), output.Printable(s.String()))
		for _, said := range s.Said {
			p.Line("  %s", output.Printable(said))
		}
	}
	switch {
	case o.dryRun:
		return
	case r.Complete:
		p.Line("nothing to do: the project is set up")
	case len(r.Commit) > 0:
		p.Line("commit, for all who work here: %s", output.Printable(strings.Join(r.Commit, " ")))
	}
	p.Line("\nnext:")
	for _, line := range r.Next {
		p.Line("  %s", output.Printable(line))
	}
}

// did says what happened to a step.
func (o *initOptions) did(s *setup.Step) string {
	switch {
	case s.Done:
		return "kept"
	case o.dryRun:
		return "would write"
	}
	return "wrote"
}

// next returns the commands that go on.
func (o *initOptions) next(plan setup.Plan) []string {
	if o.dryRun {
		return []string{}
	}
	return plan.Next(o.first.Command)
}
