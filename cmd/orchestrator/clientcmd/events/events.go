// Package events shows people records of the log, a line each.
package events

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/cmd/orchestrator/output"
)

// Event is a record of the log, as far as it is shown.
type Event struct {
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

// Page is a page of the log.
type Page struct {
	Size    uint64  `json:"size"`
	Records []Event `json:"records"`
	Next    string  `json:"next"`
}

// Write writes the events of a page, a line each.
func Write(out io.Writer, page Page) error {
	p, columns := output.NewPrinter(output.Colourful(out)), output.Columns(out)
	for _, e := range page.Records {
		p.Line("%s", output.Cut(e.Line(), columns))
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

// Line returns an event as one line.
func (e Event) Line() string {
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

// Add puts events among those of a page, the newest first; what is older than the page stays out.
func (p *Page) Add(others []Event) {
	for _, e := range others {
		if n := len(p.Records); p.Next == "" || n > 0 && e.Seq > p.Records[n-1].Seq {
			p.Records = append(p.Records, e)
		}
	}
	slices.SortFunc(p.Records, func(a, b Event) int { return cmp.Compare(b.Seq, a.Seq) })
}
