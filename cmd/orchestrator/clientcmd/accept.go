package clientcmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

// shown returns the If-Match of what was shown.
func (s sheet) shown() string { return strconv.Quote(strconv.FormatUint(s.Dossier.Revision, 10)) }

func acceptCommand() *cobra.Command {
	var o confirming
	o.Role = "pm"
	cmd := &cobra.Command{
		Use:   "accept ID",
		Short: "Accept the changed text of a requirement, as the pm",
		Long: `Accept shows what changed in the text since work began, or since a pm last accepted the text, word by
word, and asks whether the work still fits. It is refused if the requirement has changed since it was shown.`,
		Example: `  orchestrator accept REQ-001
  orchestrator accept REQ-001 --reason "the design covers it" --yes`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			c, err := o.connect()
			if err != nil {
				return err
			}
			return o.accept(cmd, c, args[0])
		},
	}
	o.flags(cmd, "the changed text is accepted")
	return o.command(cmd, true)
}

func (o *confirming) accept(cmd *cobra.Command, c *apiclient.Client, id string) error {
	found, err := lookAt(cmd.Context(), c, id)
	if err != nil {
		return o.refusedAs(cmd, id, found.raw, err)
	}
	body, err := proposal.Acceptance(found.View, o.reason)
	if err != nil {
		return err
	}
	if !o.asJSON {
		p, columns := printer(cmd.OutOrStdout())
		writeDefinition(p, columns, found.Dossier.Definition)
		if err := found.showChange(cmd, c, p, columns); err != nil {
			return err
		}
		fmt.Fprint(cmd.OutOrStdout(), p.String())
	}
	if !o.confirmed(cmd, "accept the text of "+found.View.ID+"?") {
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing is changed")
		return nil
	}
	got, err := send(cmd.Context(), c, change{id: found.View.ID, body: body, ifMatch: found.shown()})
	return o.report(cmd.OutOrStdout(), got, "the text is accepted", err)
}

// showChange writes what changed in a text since the work on the requirement began, or since a pm accepted its text.
func (s sheet) showChange(cmd *cobra.Command, c *apiclient.Client, p *output.Printer, columns int) error {
	basis, before, found, err := proposal.BasisOf(s.View.ID, s.Dossier.FormerIDs, func(path string, v any) error {
		_, err := get(cmd.Context(), c, path, v)
		return err
	})
	if err != nil {
		return err
	}
	since := "work began"
	if basis.Accepted {
		since = "a pm accepted the text"
	}
	if !found {
		p.Line("\nthe log does not have the text of when %s: see orchestrator history %s", since, s.View.ID)
		return nil
	}
	p.Line("\nwhat changed since %s, on %s (record %d): [-taken away-] {+added+}", since, day(basis.At), basis.Record)
	writeDifference(p, columns, before, s.Dossier.Definition)
	return nil
}

// writeDifference writes what changed between two texts of a requirement.
func writeDifference(p *output.Printer, columns int, before, now lifecycle.Definition) {
	edits, whole := proposal.Difference(before, now)
	if len(edits) == 0 {
		p.Line("  it reads as it did then")
	}
	paragraph(p, columns, "  ", wordsChanged(edits))
	if was, is := before.Source.Priority, now.Source.Priority; was != is {
		paragraph(p, columns, "  ", "priority: [-"+was+"-] {+"+is+"+}")
	}
	if !whole {
		p.Line("\nmore was taken away than is shown; it read:")
		writeDefinition(p, columns, before)
	}
}

func wordsChanged(edits []proposal.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		text := output.Printable(e.Text)
		switch {
		case e.Deletes():
			text = "[-" + text + "-]"
		case e.Inserts():
			text = "{+" + text + "+}"
		}
		b.WriteString(text + " ")
	}
	return b.String()
}
