package clientcmd

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/exported"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/finished"
)

func statusCommand() *cobra.Command {
	var a asking
	return a.command(&cobra.Command{
		Use:   "status",
		Short: "Show counts, what waits for whom, and what to do first",
		Long: `Status shows how many requirements are in which status, how many wait for each role and since
when, what is stuck, and what the role of the token can do first. Without a service, as in a
clone, it shows the counts of project_status.json.`,
		Example: `  orchestrator status
  orchestrator status --as pm --json    # as GET /next answers it`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var found agenda.Agenda
			raw, err := a.ask(cmd, "/next", &found)
			if err != nil {
				return a.offlineStatus(cmd, raw, err)
			}
			if a.asJSON {
				return passOn(cmd.OutOrStdout(), raw)
			}
			return writeStatus(cmd.OutOrStdout(), found)
		},
	}, false)
}

// ask connects, and asks for a path.
func (a *asking) ask(cmd *cobra.Command, path string, v any) ([]byte, error) {
	c, err := a.connect()
	if err != nil {
		return nil, err
	}
	return get(cmd.Context(), c, path, v)
}

// refusedAs returns the error of a question; with --json the refusal of the service is printed as well.
func (a *asking) refusedAs(cmd *cobra.Command, id string, raw []byte, err error) error {
	if err != nil && a.asJSON && len(raw) > 0 {
		if wrong := passOn(cmd.OutOrStdout(), raw); wrong != nil {
			return wrong
		}
	}
	return advised(id, err)
}

func (a *asking) offlineStatus(cmd *cobra.Command, raw []byte, asked error) error {
	if len(raw) > 0 {
		return a.refusedAs(cmd, "", raw, asked)
	}
	status, err := exported.Status(cmd, asked)
	if err != nil {
		return err
	}
	if a.asJSON {
		return passOn(cmd.OutOrStdout(), status.Summary)
	}
	var counts agenda.Counts
	if err := jsonv2.Unmarshal(status.Summary, &counts); err != nil {
		return err
	}
	p, columns := sheet.Printer(cmd.OutOrStdout())
	writeCounts(p, columns, counts)
	writeComplete(p, status.Complete())
	_, err = fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}

func writeStatus(out io.Writer, found agenda.Agenda) error {
	p, columns := sheet.Printer(out)
	writeCounts(p, columns, found.Counts)
	writeComplete(p, found.Complete)
	rows := [][]string{}
	for _, w := range found.Waiting {
		rows = append(rows, []string{string(w.For), strconv.Itoa(w.Count), sheet.Day(w.Oldest),
			strings.Join(w.First, ", ")})
	}
	if len(rows) > 0 {
		p.Line("")
		p.Table(columns, []string{"WAITS FOR", "COUNT", "SINCE", "FIRST"}, rows)
	}
	if found.AllStuck > 0 {
		p.Line("\n%s", p.Paint(output.Yellow, fmt.Sprintf("%d stuck:", found.AllStuck)))
		for _, s := range found.Stuck {
			sheet.Paragraph(p, columns, "  ", s.ID+": "+advice.Typed(s.ID, s.Why)+" ("+string(s.By)+")")
		}
	}
	p.Line("")
	writeFirst(p, columns, found)
	_, err := fmt.Fprint(out, p.String())
	return err
}

func writeComplete(p *output.Printer, n int) {
	if n > 0 {
		p.Line("  %s: %d (orchestrator adopt)", finished.Words, n)
	}
}

// writeCounts writes how many requirements are in which status.
func writeCounts(p *output.Printer, columns int, c agenda.Counts) {
	p.Line("%d of %d requirements are done", c.Done, c.Total)
	var words []string
	for _, s := range c.InOrder() {
		words = append(words, fmt.Sprintf("%d %s", s.Count, s.Status))
	}
	words = appendCount(words, c.Stale, "stale")
	words = appendCount(appendCount(words, c.Suspect, "suspect"), c.Retired, "retired")
	sheet.Paragraph(p, columns, "  ", strings.Join(words, ", "))
}

func appendCount(words []string, n int, name string) []string {
	if n == 0 {
		return words
	}
	return append(words, strconv.Itoa(n)+" "+name)
}

// writeFirst writes what the actor does first.
func writeFirst(p *output.Printer, columns int, found agenda.Agenda) {
	who := string(found.Actor.Role)
	if found.First == nil {
		p.Line("nothing waits for the %s now", who)
		for _, w := range found.Waiting {
			sheet.Paragraph(p, columns, "  ",
				fmt.Sprintf("%d for the %s: %s", w.Count, w.For, advice.Awaiting(w.For, w.First[0])))
		}
		return
	}
	f := found.First
	do := f.Do + finished.Beside(f.Complete)
	p.Line("first for the %s: %s (%s)", who, output.Printable(f.ID), output.Printable(do))
	sheet.Leads(p, f.ID, nil, f.Next)
}
