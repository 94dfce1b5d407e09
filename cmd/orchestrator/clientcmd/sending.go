package clientcmd

import (
	"context"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

// change is a change request on its way.
type change struct {
	id      string
	body    any
	ifMatch string
	dryRun  bool
}

// changed is the answer to a change.
type changed struct {
	ID         string                `json:"id"`
	Status     string                `json:"status"`
	Revision   uint64                `json:"revision"`
	Test       *lifecycle.TestRecord `json:"test"`
	WaitingFor []string              `json:"waiting_for"`
	Next       []guidance.Lead       `json:"next"`
	Warnings   []guidance.Objection  `json:"warnings"`
	Unchanged  bool                  `json:"unchanged"`

	raw      []byte
	unsure   bool
	dryRun   bool
	ofReport bool
}

// send sends a change, with a key by which a second one would be known as the same.
func send(ctx context.Context, c *apiclient.Client, ch change) (changed, error) {
	body, err := jsonv2.Marshal(ch.body, jsonv2.Deterministic(true))
	if err != nil {
		return changed{}, err
	}
	query, key := "", apiclient.NewKey()
	if ch.dryRun {
		query = "?dry_run=true"
	}
	got, err := apiclient.ByID(ch.id, func(id string) (changed, error) {
		return receive(ctx, c, id, apiclient.Request{Method: "PATCH", Path: path(id, query), Body: body,
			IfMatch: ch.ifMatch, Key: key})
	})
	got.dryRun = ch.dryRun
	return got, err
}

// receive sends a request about a requirement, and reads the answer. A refusal leads on.
func receive(ctx context.Context, c *apiclient.Client, id string, r apiclient.Request) (changed, error) {
	answer, err := c.Send(ctx, r)
	got := changed{raw: answer.Body, unsure: answer.Unsure}
	if err != nil {
		return got, advised(id, err)
	}
	// The answer to a report has the requirement as a member; that to a change is the requirement.
	report := struct {
		Requirement *changed `json:"requirement"`
	}{&got}
	err = jsonv2.Unmarshal(answer.Body, &report)
	if err == nil {
		err = jsonv2.Unmarshal(answer.Body, &got)
	}
	if err != nil {
		return got, c.Stranger("JSON of another shape").Because(err)
	}
	return got, nil
}

// report writes what became of a change: the bytes of the service, of a refusal as well, or a few lines.
func (a *asking) report(out io.Writer, got changed, did string, err error) error {
	if a.asJSON && len(got.raw) > 0 {
		if wrong := passOn(out, got.raw); wrong != nil {
			return wrong
		}
		return err
	}
	if err != nil {
		return err
	}
	p, columns := sheet.Printer(out)
	if got.unsure {
		p.Line("the connection broke; the change was sent again with the same key, and counts once")
	}
	p.Line("%s: %s", output.Printable(got.ID), got.told(did, p.Paint(output.Green, output.Printable(got.Status))))
	for _, w := range got.Warnings {
		sheet.Labelled(p, columns, "  ", output.Yellow, "against done: ", advice.Objection(got.ID, w))
	}
	if !got.dryRun {
		sheet.Leads(p, got.ID, got.WaitingFor, got.Next)
	}
	_, err = fmt.Fprint(out, p.String())
	return err
}

// told says what became of a change, or would become of it.
func (got changed) told(did, status string) string {
	now := fmt.Sprintf("; %s, revision %d", status, got.Revision)
	switch {
	case got.Unchanged:
		did = "it was so already"
	case got.dryRun && got.ofReport:
		did, now = "the report would be accepted", "; nothing is changed"
	case got.dryRun:
		did, now = "it would be accepted", fmt.Sprintf(" as %s, revision %d; nothing is changed", status, got.Revision)
	}
	if got.ofReport && got.Test != nil && got.Test.Results != nil {
		did += ": " + proposal.Counted(*got.Test)
	}
	return did + now
}
