package clientcmd

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
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
		return fault.Misuse("with --json, or ORCHESTRATOR_JSON, nothing is shown that somebody could say yes to").
			WithFix("look with orchestrator show, and give --yes; or give --json=false")
	}
	if o.yes || term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	return fault.Misuse("nobody can be asked: standard input is no terminal").
		WithFix("run it in a terminal; or look with orchestrator show, and give --yes")
}

// codeDeclined is the code of a question that was not answered with yes.
const codeDeclined fault.Code = "declined"

// agreed asks a question, and refuses to go on without a yes. The words are arguments of the command, to ask it again.
func (o *confirming) agreed(cmd *cobra.Command, question string, words ...string) error {
	if o.yes {
		return nil
	}
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question); err != nil {
		return err
	}
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return nil
	}
	return fault.New(fault.Invalid, codeDeclined, "nothing is changed: %q was not answered with y", question).
		WithFix("%s asks again", advice.Line(cmd.CommandPath(), words...))
}

func approveCommand() *cobra.Command {
	var o confirming
	o.Role, o.several = "pm", true
	cmd := &cobra.Command{
		Use:   "approve ID...",
		Short: "Sign requirements off: approve them, and move them to done",
		Long: `Approve prints what the approval covers: the text, what each role wrote, and the evidence, looked
up now. Then it asks. It sends the approval together with the move to done, where the service offers that move;
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
			return o.approveAll(cmd, c, args)
		},
	}
	o.flags(cmd, "approved")
	cmd = o.command(cmd, true)
	cmd.ValidArgsFunction = completion.IDs
	return cmd
}

// approveAll approves requirements one after the other. One that a person does not approve keeps none of the others
// from it; one that cannot be approved does, and those behind it are named.
func (o *confirming) approveAll(cmd *cobra.Command, c *apiclient.Client, ids []string) (declined error) {
	for i, id := range ids {
		err := o.approve(cmd, c, id)
		switch rest := ids[i+1:]; {
		case fault.Is(err, codeDeclined):
			declined = err
		case err != nil && len(rest) > 0:
			fmt.Fprintf(cmd.ErrOrStderr(), "%s stopped there, and left %d: %s\n", cmd.Name(), len(rest),
				output.Printable(advice.Line(cmd.CommandPath(), rest...)))
			return err
		case err != nil:
			return err
		}
	}
	return declined
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
	if err := o.agreed(cmd, "approve "+output.Printable(found.View.ID)+"?", found.View.ID); err != nil {
		return err
	}
	got, err := send(cmd.Context(), c, change{id: found.View.ID, body: body, ifMatch: found.shown()})
	return o.report(cmd.OutOrStdout(), got, "approved", err)
}

// showSigned writes all that an approval says yes to.
func (s found) showSigned(cmd *cobra.Command, c *apiclient.Client, body guidance.Body, done bool) error {
	p, columns := sheet.Printer(cmd.OutOrStdout())
	sheet.Definition(p, columns, s.Dossier.Definition)
	p.Line("status    %s, revision %d", s.Dossier.Standing.Status, s.Dossier.Revision)
	s.Written(p, columns)
	s.Gates(p, columns)
	s.Evidence(p, columns)
	if body.AcceptFingerprint != "" {
		if err := s.showChange(cmd, c, p, columns); err != nil {
			return err
		}
	}
	for _, d := range s.Dossier.Deviations {
		if slices.ContainsFunc(body.Deviations, func(r lifecycle.DeviationChange) bool { return r.ID == d.ID }) {
			sheet.Paragraph(p, columns, "", "accepts deviation "+d.ID+": "+d.Text)
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
