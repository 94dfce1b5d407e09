package boundarycmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/rules/boundary/reviewing"
)

func boundaryReviewedCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "reviewed [NAME]",
		Short: "Close a review of the enforced boundary that is due",
		Long: `Reviewed records that a person looked at the boundary after it was switched to enforce, and closes the
review of that name, or without one the review that is due longest. Status lists the reviews, and what to look at in
each.

Names: ` + strings.Join(reviewing.Names(), ", "),
		Example: `  orchestrator boundary reviewed --note "no errors, no agent was blocked"`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			r, err := control.Review(dir, strings.Join(args, ""), o.change())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "review %s is closed\n", output.Printable(r.Name))
			return nil
		},
	}
	o.rootFlag(cmd)
	o.noteFlag(cmd, "what was looked at, and what was found; it is recorded")
	return person.Only(cli.WithEnv(cmd))
}

// noteFlag adds --note to commands that a person vouches with.
func (o *boundaryOptions) noteFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&o.reason, "note", "", usage)
	cli.TypedOnly(cmd, "note")
}

// writeReviews writes when the enforced boundary is to be looked at again; of those that are due, at what.
func writeReviews(p *output.Printer, all []reviewing.Review) {
	for _, r := range all {
		line := fmt.Sprintf("  review %s (%s)", output.Printable(r.Name), output.Printable(r.Why))
		if !r.At.IsZero() {
			line += " on " + r.At.Format(time.DateTime)
		}
		p.Line("%s: %s", line, p.Paint(colourOfReview[r.State], string(r.State)))
		if r.Closed != nil {
			p.Line("      on %s by %s: %s", r.Closed.At.Format(time.DateTime), output.Printable(r.Closed.By),
				output.Printable(r.Closed.Note))
		}
	}
	for _, r := range reviewing.OnlyDue(all) {
		p.Line("  look at this, and then run orchestrator boundary reviewed %s --note TEXT:", output.Printable(r.Name))
		for _, look := range r.LookAt {
			p.Line("    - %s", output.Printable(look))
		}
	}
}

var colourOfReview = map[reviewing.State]output.Colour{
	reviewing.Coming: output.Yellow, reviewing.Due: output.Red, reviewing.Closed: output.Green,
}
