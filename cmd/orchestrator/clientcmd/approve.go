package clientcmd

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

// confirming is a command that shows something, asks, and then sends what was shown.
type confirming struct {
	asking
	yes    bool
	reason string
}

func (o *confirming) flags(cmd *cobra.Command, reason string) {
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&o.reason, "reason", reason, "`text` that goes on record")
}

// check refuses to go on where nobody can be asked, or would be asked about what was not shown.
func (o *confirming) check() error {
	if o.asJSON && !o.yes {
		return cliMisuse("with --json, or ORCHESTRATOR_JSON, nothing is shown that somebody could say yes to").
			WithFix("look with orchestrator show, and give --yes; or give --json=false")
	}
	if o.yes || term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	return cliMisuse("nobody can be asked: standard input is no terminal").
		WithFix("run it in a terminal; or look with orchestrator show, and give --yes")
}

// confirmed asks a question.
func (o *confirming) confirmed(cmd *cobra.Command, question string) bool {
	if o.yes {
		return true
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func approveCommand() *cobra.Command {
	var o confirming
	o.Role, o.several = "pm", true
	cmd := &cobra.Command{
		Use:   "approve ID...",
		Short: "Sign requirements off: approve them, and move them to done",
		Long: `Approve prints the evidence of each requirement, looked up now, and what the approval covers; then
it asks. It sends the approval together with the move to done, where the service offers that move;
else the approval alone. It is refused if the requirement has changed since it was shown.`,
		Example: `  orchestrator approve REQ-001
  orchestrator approve REQ-001 REQ-002 --yes`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			c, err := o.connect()
			if err != nil {
				return err
			}
			for _, id := range args {
				if err := o.approve(cmd, c, id); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.flags(cmd, "approved")
	cmd = o.command(cmd, true)
	cmd.ValidArgsFunction = completion.IDs
	return cmd
}

func (o *confirming) approve(cmd *cobra.Command, c *apiclient.Client, id string) error {
	found, err := lookAt(cmd.Context(), c, id)
	if err != nil {
		return o.refusedAs(cmd, id, found.raw, err)
	}
	body, done := proposal.SignOff(found.View, o.reason)
	if !o.asJSON {
		if err := found.showSigned(cmd, c, body, done); err != nil {
			return err
		}
	}
	if !o.confirmed(cmd, "approve "+found.View.ID+"?") {
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing is changed")
		return nil
	}
	got, err := send(cmd.Context(), c, change{id: found.View.ID, body: body, ifMatch: found.shown()})
	return o.report(cmd.OutOrStdout(), got, "approved", err)
}

// showSigned writes all that an approval says yes to.
func (s sheet) showSigned(cmd *cobra.Command, c *apiclient.Client, body guidance.Body, done bool) error {
	p, columns := printer(cmd.OutOrStdout())
	writeDefinition(p, columns, s.Dossier.Definition)
	p.Line("status    %s, revision %d", s.Dossier.Standing.Status, s.Dossier.Revision)
	s.writeGates(p, columns)
	s.writeEvidence(p, columns)
	if body.AcceptFingerprint != "" {
		if err := s.showChange(cmd, c, p, columns); err != nil {
			return err
		}
	}
	for _, d := range s.Dossier.Deviations {
		if slices.ContainsFunc(body.Deviations, func(r lifecycle.DeviationChange) bool { return r.ID == d.ID }) {
			paragraph(p, columns, "", "accepts deviation "+d.ID+": "+d.Text)
		}
	}
	p.Line("\nthe approval covers this text, and the design, implementation and tests of revision %d",
		s.Dossier.Revision)
	if body.AcceptFingerprint != "" {
		p.Line("it accepts the changed text, too")
	}
	if !done {
		p.Line("it does not lead to done: no move to done is open to you from %s", s.Dossier.Standing.Status)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}
