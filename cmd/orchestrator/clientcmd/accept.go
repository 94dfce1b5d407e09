package clientcmd

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/proposal"
)

// shown returns the If-Match of what was shown.
func (s found) shown() string { return strconv.Quote(strconv.FormatUint(s.Dossier.Revision, 10)) }

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
		p, columns := sheet.Printer(cmd.OutOrStdout())
		sheet.Definition(p, columns, found.Dossier.Definition)
		if err := found.showChange(cmd, c, p, columns); err != nil {
			return err
		}
		if _, err := fmt.Fprint(cmd.OutOrStdout(), p.String()); err != nil {
			return err
		}
	}
	if err := o.agreed(cmd, "accept the text of "+output.Printable(found.View.ID)+"?", found.View.ID); err != nil {
		return err
	}
	got, err := send(cmd.Context(), c, change{id: found.View.ID, body: body, ifMatch: found.shown()})
	return o.report(cmd.OutOrStdout(), got, "the text is accepted", err)
}

// showChange writes what changed in a text since the work on the requirement began, or since a pm accepted its text.
func (s found) showChange(cmd *cobra.Command, c *apiclient.Client, p *output.Printer, columns int) error {
	basis, before, found, err := proposal.BasisOf(s.View.ID, s.Dossier.FormerIDs, func(path string, v any) error {
		_, err := get(cmd.Context(), c, path, v)
		return err
	})
	if err != nil {
		return err
	}
	since, on := "work began", sheet.Day(basis.At)
	if basis.Accepted {
		since = "a pm accepted the text"
	}
	if !found {
		p.Line("\nthe log does not have the text of when %s: see orchestrator history %s", since, s.View.ID)
		return nil
	}
	p.Line("\nwhat changed since %s, on %s (record %d): [-taken away-] {+added+}", since, on, basis.Record)
	s.Since(p, columns, before)
	return nil
}
