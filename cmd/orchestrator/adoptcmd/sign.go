package adoptcmd

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/applying"
)

// reviewed shows what a plan signs in the name of the pm, and asks for it where it is to be sent.
func (o *sending) reviewed(cmd *cobra.Command, r applying.Review) error {
	if err := r.Hold(o.digest); err != nil {
		return err
	}
	asks := len(r.Signs) > 0 && !o.dryRun && !o.yes
	if asks && (o.asJSON || !term.IsTerminal(int(os.Stdin.Fd()))) {
		return fault.Misuse("the plan signs in the name of the pm, and nobody can be asked: signatures: %d", len(r.Signs)).
			WithFix("look at them with --dry-run, and give --yes --sha256 %s", r.SHA256)
	}
	if !o.asJSON {
		if err := writeReview(cmd.OutOrStdout(), r); err != nil {
			return err
		}
	}
	if !asks {
		return nil
	}
	const question = "do you sign all of it as the pm?"
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question); err != nil {
		return err
	}
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return nil
	}
	return fault.New(fault.Invalid, "declined", "nothing is sent: %q was not answered with y", question).
		WithFix("take the lines of the pm out of the plan, or apply it again")
}

// writeReview writes how many lines each role has, and what the pm signs.
func writeReview(out io.Writer, r applying.Review) error {
	p, columns := output.NewPrinter(output.Colourful(out)), output.Columns(out)
	var roles []string
	for _, role := range slices.Sorted(maps.Keys(r.Roles)) {
		roles = append(roles, fmt.Sprintf("%s: %d", role, r.Roles[role]))
	}
	p.Line("lines by role: %s", strings.Join(roles, "; "))
	p.Line("SHA-256 of the plan: %s", r.SHA256)
	if len(r.Signs) > 0 {
		p.Line("in the name of the pm it signs:")
	}
	for _, s := range r.Signs {
		text := fmt.Sprintf("line %d, %s: %s", s.Line, s.Requirement, s.Act)
		if s.Text != "" {
			text += ": " + s.Text
		}
		for _, line := range output.Wrap(output.Printable(text), columns-2) {
			p.Line("  %s", line)
		}
	}
	_, err := io.WriteString(out, p.String())
	return err
}
