package clientcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
)

// event is a record of the log, as far as it is shown.
type event struct {
	Seq     uint64    `json:"seq"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Subject string    `json:"subject"`
	Actor   struct {
		Name string `json:"name"`
		Role string `json:"role"`
	} `json:"actor"`
	Data struct {
		Change  map[string]jsontext.Value `json:"change"`
		Refusal struct {
			Code   string `json:"code"`
			Detail string `json:"detail"`
		} `json:"refusal"`
	} `json:"data"`
}

// events is a page of the log.
type events struct {
	Size    uint64  `json:"size"`
	Records []event `json:"records"`
	Next    string  `json:"next"`
}

func historyCommand() *cobra.Command {
	var a asking
	var limit int
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "List the records of a requirement, the newest first",
		Long: `History lists what the log has about a requirement: changes, refusals and claims, each with who made
it. --json prints the records of all pages as one answer of the service.`,
		Example: "  orchestrator history REQ-001\n  orchestrator history REQ-001 --limit 10",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.history(cmd, args[0], limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "list at most this `number` of records (default all)")
	return a.command(cmd, true)
}

func (a *asking) history(cmd *cobra.Command, name string, limit int) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	var id string
	raw, err := a.pages(cmd, c, name, "records", limit, func(found string) string {
		id = found
		return path(found, "/history")
	})
	if err != nil {
		return a.refusedAs(cmd, name, raw, err)
	}
	if a.asJSON {
		return passOn(cmd.OutOrStdout(), raw)
	}
	var found events
	if err := jsonv2.Unmarshal(raw, &found); err != nil {
		return err
	}
	renamings, err := renamingsOf(cmd.Context(), c, id)
	if err != nil {
		return err
	}
	found.add(renamings)
	return writeEvents(cmd.OutOrStdout(), found)
}

// pages asks for a list, of a requirement if there is an id; 0 is no limit.
func (a *asking) pages(cmd *cobra.Command, c *apiclient.Client, id, member string, limit int,
	path func(id string) string) ([]byte, error) {
	if limit < 0 {
		return nil, cliMisuse("%d is no number of lines to list", limit).
			WithFix("give --limit a number from 1 on, or leave it out")
	}
	return apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) ([]byte, error) {
		return c.List(cmd.Context(), path(id), member, limit)
	})
}

func writeEvents(out io.Writer, page events) error {
	p, columns := printer(out)
	for _, e := range page.Records {
		p.Line("%s", output.Cut(e.line(), columns))
	}
	if page.Next != "" {
		p.Line("there are older records; a higher --limit lists more")
	}
	if len(page.Records) == 0 {
		p.Line("the log has nothing about it but the import")
	}
	_, err := fmt.Fprint(out, p.String())
	return err
}

// shownFields are the members of a change that are named.
var shownFields = []string{"status", "design_spec", "implementation", "test", "approvals", "deviations", "pm_notes"}

// line returns an event as one line.
func (e event) line() string {
	words := []string{e.At.UTC().Format("2006-01-02 15:04:05"), fmt.Sprintf("#%d", e.Seq), e.Actor.Name, e.Kind}
	if e.Actor.Role != e.Actor.Name {
		words[2] += " (" + e.Actor.Role + ")"
	}
	if e.Subject != "" {
		words = append(words, e.Subject)
	}
	var fields []string
	for _, name := range shownFields {
		if value, there := e.Data.Change[name]; there {
			if name == "status" {
				name = strings.Trim(string(value), `"`)
			}
			fields = append(fields, name)
		}
	}
	if len(fields) > 0 {
		words = append(words, strings.Join(fields, "+"))
	}
	if e.Data.Refusal.Code != "" {
		words = append(words, "refused: "+e.Data.Refusal.Code)
	}
	return output.Printable(strings.Join(words, "  "))
}
