// Package bridge gives the conductor, and what drives it, the project: what tools read of it, the changes that they
// propose, which are decided as any other, what each requirement waits for, what agents are told, and the tokens by
// which they are let in.
package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/auditor"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// pageSize is how many requirements one answer has, unless the question names a number.
const pageSize = 100

// Project is the project of a service.
type Project struct {
	service   *requirements.Service
	ledger    *ledger.Ledger
	options   Options
	verifying chan struct{} // verifies the log, which is too much work to be done twice at once
}

// Options are what a project is besides its service.
type Options struct {
	Signer  audit.Signer             // of the log
	Prompts *prompt.Set              // for agents
	Cited   func(path string) string // the path by which evidence cites a requirement document
}

// New gives access to a service, over the ledger that it works on.
func New(s *requirements.Service, l *ledger.Ledger, o Options) *Project {
	return &Project{s, l, o, make(chan struct{}, 1)}
}

// Status implements conductor.Project.
func (p *Project) Status(context.Context) (map[string]any, error) {
	state := p.service.State()
	return plain(map[string]any{"counts": state.ByStatus, "total": state.Requirements})
}

// line is a requirement in an answer.
type line struct {
	ID         string           `json:"id"`
	Status     lifecycle.Status `json:"status"`
	Title      string           `json:"title"`
	Kind       string           `json:"kind,omitempty"`
	Why        string           `json:"why,omitempty"` // the reason that was given for the status
	WaitingFor []lifecycle.Role `json:"waiting_for"`
	Suspect    bool             `json:"suspect,omitzero"`
	Stale      bool             `json:"stale,omitzero"`
	Retired    bool             `json:"retired,omitzero"`
	Revision   uint64           `json:"revision"`
	Parts      []string         `json:"parts,omitempty"` // that stand
}

// Requirement implements conductor.Project.
func (p *Project) Requirement(_ context.Context, id string) (map[string]any, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return nil, err
	}
	next, err := p.service.Next(id, lifecycle.Actor{})
	if err != nil {
		return nil, err
	}
	return plain(line{
		ID: req.ID, Status: req.Status, Title: req.Title, Kind: req.Kind, Why: reasonOf(req),
		WaitingFor: next.WaitingFor,
		Suspect:    req.Suspect, Stale: len(req.Stale) > 0, Retired: req.Retired, Revision: req.Revision,
		Parts: partsOf(req),
	})
}

// reasonOf is why a requirement is in its status.
func reasonOf(req lifecycle.Requirement) string {
	if len(req.History) == 0 {
		return ""
	}
	return req.History[len(req.History)-1].Justification.Reason
}

// partsOf are the parts of the work that stand; an approval that counts is the signoff.
func partsOf(req lifecycle.Requirement) (parts []string) {
	for _, part := range []struct {
		name   string
		stands bool
	}{
		{lifecycle.FieldDesignSpec, req.DesignSpec != nil}, {lifecycle.FieldImplementation, req.Implementation != nil},
		{lifecycle.FieldTest, req.Test != nil}, {"signoff", len(req.Standing()) > 0},
	} {
		if part.stands {
			parts = append(parts, part.name)
		}
	}
	return parts
}

// step is a piece of work in an answer.
type step struct {
	ID    string         `json:"id"`
	Role  lifecycle.Role `json:"role"`
	Do    string         `json:"do"`
	Lacks []string       `json:"lacks,omitempty"`
}

// Next implements conductor.Project.
func (p *Project) Next(_ context.Context, id, role string) (map[string]any, error) {
	if role != "" {
		if _, err := lifecycle.ParseRole(role); err != nil {
			return nil, err
		}
	}
	ids, next := []string{id}, ""
	if id == "" {
		list, err := p.service.List(requirements.Query{Role: lifecycle.Role(role), Limit: pageSize})
		if err != nil {
			return nil, err
		}
		ids, next = nil, list.After
		for _, s := range list.Requirements {
			ids = append(ids, s.ID)
		}
	}
	steps := []step{}
	for _, id := range ids {
		req, err := p.service.Stored(id)
		if err != nil {
			return nil, err
		}
		for _, t := range p.service.Tasks(req) {
			if role == "" || t.By == lifecycle.Role(role) {
				steps = append(steps, step{id, t.By, wordsFor(t), t.Needs})
			}
		}
	}
	return plain(withNext(map[string]any{"steps": steps}, next))
}

func wordsFor(t lifecycle.Task) string {
	switch {
	case t.To == "":
		return "decide what stands against it"
	case len(t.Needs) == 0:
		return "move it to " + string(t.To)
	}
	return "supply what " + string(t.To) + " needs"
}

// withNext names where the next page goes on, if there is one.
func withNext(answer map[string]any, next string) map[string]any {
	if next != "" {
		answer["next"] = next
	}
	return answer
}

// Query implements conductor.Project.
func (p *Project) Query(_ context.Context, asked conductor.Query) (map[string]any, error) {
	q, err := queryOf(asked)
	if err != nil {
		return nil, err
	}
	list, err := p.service.List(q)
	if err != nil {
		return nil, err
	}
	lines := []line{}
	for _, s := range list.Requirements {
		one := lineOf(s)
		if asked.Why {
			req, err := p.service.Stored(s.ID)
			if err != nil {
				return nil, err
			}
			one.Why = reasonOf(req)
		}
		lines = append(lines, one)
	}
	return plain(withNext(map[string]any{"requirements": lines, "total": list.Total}, list.After))
}

func lineOf(s projection.Summary) line {
	return line{
		ID: s.ID, Status: s.Status, Title: s.Title, Kind: s.Kind, WaitingFor: s.WaitingFor,
		Suspect: s.Suspect, Stale: s.Stale, Retired: s.Retired, Revision: s.Revision,
	}
}

func queryOf(asked conductor.Query) (q requirements.Query, err error) {
	text := func(name string) string { s, _ := asked.Filters[name].(string); return s }
	flag := func(name string) *bool {
		if b, is := asked.Filters[name].(bool); is {
			return &b
		}
		return nil
	}
	q = requirements.Query{
		Status: lifecycle.Status(text("status")), Role: lifecycle.Role(text("role")), Kind: text("kind"),
		By: text("assigned_to"), Text: text("q"),
		Suspect: flag("suspect"), Retired: flag("retired"), After: asked.After, Limit: asked.Limit,
	}
	if q.Limit == 0 {
		q.Limit = pageSize
	}
	if q.Status != "" && !q.Status.Valid() {
		return q, fault.New(fault.Malformed, "unknown_status", "%q is not a status",
			fault.Clip(string(q.Status), 80)).WithFix("use one of %v", lifecycle.Statuses())
	}
	if q.Role != "" {
		_, err = lifecycle.ParseRole(string(q.Role))
	}
	return q, err
}

// requestOfChange names the tool in the record of a refusal.
const requestOfChange = "requirement.change"

// Change implements conductor.Project: it proposes the change as the caller would by HTTP.
func (p *Project) Change(ctx context.Context, c conductor.Change) error {
	body, err := ledger.Encode(c.Members)
	if err != nil {
		return err
	}
	proposal := requirements.Proposal{Request: requestOfChange, ID: c.ID, Body: body, IdempotencyKey: c.Key,
		KeyMade: true, RequestID: c.Run}
	if c.Revision > 0 {
		proposal.IfMatch = []string{strconv.FormatUint(c.Revision, 10)}
	}
	_, err = p.service.Patch(ctx, lifecycle.Actor{Name: c.Caller.Name, Role: lifecycle.Role(c.Caller.Role)}, proposal)
	return err
}

// Evidence implements conductor.Project.
func (p *Project) Evidence(ctx context.Context, id string) (map[string]any, error) {
	cited, stale, err := p.service.LookOver(ctx, id)
	if err != nil {
		return nil, err
	}
	if cited == 0 {
		return nil, fault.New(fault.Conflict, "no_evidence", "%s cites no evidence that could be looked up", id).
			WithFix("ask again when its work names files, commits or tests")
	}
	problems := []string{}
	for _, s := range stale {
		problems = append(problems, fmt.Sprintf("%s: %s", s.Pointer, s.Detail))
	}
	return plain(map[string]any{"ok": len(problems) == 0, "problems": problems, "cited": cited})
}

// VerifyLog implements conductor.Project: the log is checked as somebody outside would, while it goes on. The state is
// read first, so that the log holds what it holds. ctx bounds it; a log too large for that is for the command verify.
func (p *Project) VerifyLog(ctx context.Context) (map[string]any, error) {
	if p.options.Signer.Key == "" {
		return nil, fault.New(fault.Conflict, "no_key", "this service signs no checkpoints").
			WithFix("check its database with orchestrator verify")
	}
	select {
	case p.verifying <- struct{}{}:
		defer func() { <-p.verifying }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var state bytes.Buffer
	_, write := p.service.Project()
	if err := write(&state); err != nil {
		return nil, err
	}
	report, err := auditor.Verify(ctx, auditor.FromLedger("the service", p.ledger, p.options.Signer, state.Bytes()),
		auditor.Options{Key: p.options.Signer.Key})
	switch bad, is := errors.AsType[*auditor.Bad](err); {
	case is:
		return plain(map[string]any{"ok": false, "problems": []string{bad.Error()}})
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return plain(map[string]any{"ok": true, "problems": []string{}, "records": report.Records, "root": report.Root})
}

// plain is a value in the types that JSON is read into.
func plain(v any) (answer map[string]any, err error) {
	raw, err := ledger.Encode(v)
	if err != nil {
		return nil, err
	}
	return answer, jsonv2.Unmarshal(raw, &answer)
}
