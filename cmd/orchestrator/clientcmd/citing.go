package clientcmd

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/clientcmd/typed"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
)

// justified refuses a move without a reason, before anything is attached for it.
func (ch *changing) justified(cmd *cobra.Command) error {
	if strings.TrimSpace(ch.reason) == "" {
		return fault.Misuse("%s needs a reason", cmd.CommandPath()).WithFix("give --reason; it goes on record")
	}
	return nil
}

// cite reads the evidence of the command line, all of it before it sends any. It attaches reports where the service
// takes them from whoever asks, and offers the move.
func (ch *changing) cite(cmd *cobra.Command, c *apiclient.Client, id string) ([]lifecycle.Evidence, error) {
	cited, err := ch.read(cmd.Context())
	if err != nil {
		return nil, err
	}
	all := []lifecycle.Evidence{}
	for i, e := range cited {
		if e.Report != "" {
			if err := ch.attachOnce(cmd, c, id, e.Report); err != nil || ch.unattached {
				return nil, err
			}
			e.Evidence = proposal.Standing(ch.attached[e.Report].Test, e.Evidence)
		}
		if typed := proposal.Words(e.Evidence); typed != ch.evidence[i] {
			fmt.Fprintln(cmd.ErrOrStderr(), "evidence:", output.Printable(typed))
		}
		all = append(all, e.Evidence)
	}
	return all, nil
}

// read reads the words of --evidence.
func (ch *changing) read(ctx context.Context) ([]proposal.Cited, error) {
	t, err := proposal.TreeAt(ctx, ".")
	if err != nil {
		return nil, err
	}
	var all []proposal.Cited
	for _, word := range ch.evidence {
		e, err := t.Evidence(ctx, word, proposal.Fails(ch.status))
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// attachOnce attaches a report, if the move waits for one, and keeps the answer. A dry run keeps the one that the
// report made before, and else says what it would make.
func (ch *changing) attachOnce(cmd *cobra.Command, c *apiclient.Client, id, report string) error {
	if _, done := ch.attached[report]; done {
		return nil
	}
	var view guidance.View
	_, err := apiclient.ByID(id, func(id string) ([]byte, error) {
		return get(cmd.Context(), c, path(id, "/next"), &view)
	})
	if err != nil || !proposal.AwaitsReport(view, ch.status) {
		return advised(id, err)
	}
	content, err := tree.ReadFile(cmd.Context(), report, maxReport)
	if err != nil {
		return typed.Unreadable(report, err)
	}
	query := url.Values{}
	if ch.dryRun {
		query.Set("dry_run", "true")
	}
	got, err := attach(cmd.Context(), c, id, query, content, ch.ifMatch)
	if err != nil {
		return err
	}
	return ch.keep(cmd, report, got)
}

// keep keeps what a report led to.
func (ch *changing) keep(cmd *cobra.Command, report string, got changed) error {
	if ch.attached == nil {
		ch.attached = map[string]changed{}
	}
	ch.attached[report] = got
	if ch.dryRun && !got.Unchanged {
		ch.unattached = true
		return ch.notChecked(cmd, report, got)
	}
	if ch.ifMatch != "" {
		ch.ifMatch = strconv.FormatUint(got.Revision, 10) // the report was meant for the one that was named
	}
	return nil
}

// remaining adds to an error which reports were attached before.
func (ch *changing) remaining(cmd *cobra.Command, err error) error {
	if err == nil || ch.dryRun {
		return err
	}
	for _, report := range slices.Sorted(maps.Keys(ch.attached)) {
		if got := ch.attached[report]; !got.Unchanged {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s was attached all the same: %s has a new test record since revision %d\n",
				output.Printable(report), output.Printable(got.ID), got.Revision)
		}
	}
	return err
}

// notChecked says what a report would make, and that the move was not checked.
func (ch *changing) notChecked(cmd *cobra.Command, report string, got changed) error {
	if ch.asJSON {
		return passOn(cmd.OutOrStdout(), got.raw)
	}
	p, columns := sheet.Printer(cmd.OutOrStdout())
	p.Line("%s: %s", output.Printable(got.ID), got.told("", ""))
	sheet.Paragraph(p, columns, "  ", "the move to "+ch.status+" is not checked: it depends on the test record "+
		"that the report makes")
	p.Line("  attach it first: %s", output.Printable(advice.Attach(got.ID, report)))
	_, err := fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}

// maxReport is the most bytes of a test report, as the service takes it.
const maxReport = 8 << 20

// attach sends a report, which becomes the test record. revision is the one that it is meant for; "" is any.
func attach(ctx context.Context, c *apiclient.Client, id string, query url.Values, content []byte,
	revision string) (changed, error) {
	below := "/test-report"
	if len(query) > 0 {
		below += "?" + query.Encode()
	}
	r := apiclient.Request{Method: "POST", Body: content, Media: "application/octet-stream", Key: apiclient.NewKey()}
	if revision != "" {
		r.IfMatch = strconv.Quote(revision)
	}
	got, err := apiclient.ByID(id, func(id string) (changed, error) {
		r.Path = path(id, below)
		return receive(ctx, c, id, r)
	})
	got.ofReport, got.dryRun = true, query.Has("dry_run")
	return got, err
}
