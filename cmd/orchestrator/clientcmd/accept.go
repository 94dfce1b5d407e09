package clientcmd

import (
	"context"
	"fmt"
	"io"
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
		Long: `Accept shows what changed in the text since work began, word by word, and asks whether the work
still fits. It is refused if the requirement has changed since it was shown.`,
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
	if err := showChange(cmd.Context(), o.reading(cmd), c, found.Dossier.Definition); err != nil {
		return err
	}
	if err := o.agreed(cmd, "accept the text of "+output.Printable(found.View.ID)+"?", found.View.ID); err != nil {
		return err
	}
	got, err := send(cmd.Context(), c, change{id: found.View.ID, body: body, ifMatch: found.shown()})
	return o.report(cmd.OutOrStdout(), got, "the text is accepted", err)
}

// showChange writes what changed in a text since the import before.
func showChange(ctx context.Context, out io.Writer, c *apiclient.Client, now lifecycle.Definition) error {
	before, err := earlier(ctx, c, now)
	if err != nil {
		return err
	}
	p, columns := printer(out)
	writeDefinition(p, columns, now)
	if before.ID == "" {
		p.Line("\nthe log has no earlier text of it")
	} else {
		p.Line("\nwhat changed: [-taken away-] {+added+}")
		paragraph(p, columns, "  ", wordsChanged(proposal.Difference(before, now)))
	}
	_, err = fmt.Fprint(out, p.String())
	return err
}

// earlier asks the log for the text that a requirement had before.
func earlier(ctx context.Context, c *apiclient.Client, now lifecycle.Definition) (lifecycle.Definition, error) {
	next := "/audit?kind=requirements.imported&order=desc&limit=100"
	for next != "" {
		var page proposal.Imports
		if _, err := get(ctx, c, next, &page); err != nil {
			return lifecycle.Definition{}, err
		}
		for _, r := range page.Records {
			if r.Data.Blob != "" {
				if _, err := get(ctx, c, "/audit/blobs/"+r.Data.Blob, &r.Data); err != nil {
					return lifecycle.Definition{}, err
				}
			}
			if d, found := r.Earlier(now); found {
				return d, nil
			}
		}
		next = page.Next
	}
	return lifecycle.Definition{}, nil
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
