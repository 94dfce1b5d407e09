// Package events shows people records of the log.
package events

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
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

// Add puts events among those of a page, the newest first; what is older than the page stays out.
func (p *Page) Add(others []Event) {
	for _, e := range others {
		if n := len(p.Records); p.Next == "" || n > 0 && e.Seq > p.Records[n-1].Seq {
			p.Records = append(p.Records, e)
		}
	}
	slices.SortFunc(p.Records, func(a, b Event) int { return cmp.Compare(b.Seq, a.Seq) })
}

// Write writes the history of a requirement; what is about it under another id, with that id.
func Write(out io.Writer, page Page, id string) error {
	p, columns := sheet.Printer(out)
	for _, e := range page.Records {
		said := e.outcome()
		if e.Subject != "" && e.Subject != id {
			said += ", as " + e.Subject
		}
		when := e.At.UTC().Format("2006-01-02 15:04:05") + fmt.Sprintf("  #%d  ", e.Seq)
		for i, line := range output.Wrap(output.Printable(said+", by "+e.who()), columns-len(when)) {
			p.Line("%s", when+line)
			if i == 0 {
				when = strings.Repeat(" ", len(when))
			}
		}
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

// who returns the name of the actor, with the role where the name does not say it.
func (e Event) who() string {
	if e.Actor.Role != e.Actor.Name {
		return e.Actor.Name + " (" + e.Actor.Role + ")"
	}
	return e.Actor.Name
}

// changes returns the members that were changed, the status by its name.
func (e Event) changes() string {
	var fields []string
	for _, name := range shownFields {
		if value, there := e.Data.Change[name]; there {
			if name == "status" {
				name = strings.Trim(string(value), `"`)
			}
			fields = append(fields, name)
		}
	}
	return strings.Join(fields, "+")
}

// outcome says what happened to the requirement whose history it is.
func (e Event) outcome() string {
	var why struct {
		Reason string `json:"reason"`
	}
	_ = jsonv2.Unmarshal(e.Data.Change["justification"], &why) // a change without a status has none
	switch said := e.changes(); {
	case e.Data.Refusal.Code != "":
		return strings.TrimSuffix("refused "+e.Data.Refusal.Code+": "+e.Data.Refusal.Detail, ": ")
	case said != "" && why.Reason != "":
		return said + ": " + why.Reason
	case said != "":
		return said
	}
	return e.Kind
}

// Line returns an event of any requirement as one line.
func (e Event) Line() string {
	words := []string{e.At.UTC().Format("2006-01-02 15:04:05"), fmt.Sprintf("#%d", e.Seq), e.who(), e.Kind}
	if e.Subject != "" {
		words = append(words, e.Subject)
	}
	if said := e.changes(); said != "" {
		words = append(words, said)
	}
	if e.Data.Refusal.Code != "" {
		words = append(words, "refused: "+e.Data.Refusal.Code)
	}
	return output.Printable(strings.Join(words, "  "))
}
