// Package bridge adapts the requirement service to the ports of the conductor and of drive. Changes that tools propose
// are decided as any other.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/auditor"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// pageSize is how many requirements one answer has, unless the question names a number.
const pageSize = 100

// Project adapts a requirement service. It implements builtin.Project and drive.Project.
type Project struct {
	service   *requirements.Service
	ledger    *ledger.Ledger
	options   Options
	verifying chan struct{} // verifies the log, which is too much work to be done twice at once
}

// Options configure a project.
type Options struct {
	Signer  audit.Signer             // of the log
	Prompts *prompt.Set              // for agents
	Cited   func(path string) string // the path by which evidence cites a requirement document
}

// New returns the project of a service, over the ledger that it works on.
func New(s *requirements.Service, l *ledger.Ledger, o Options) *Project {
	return &Project{s, l, o, make(chan struct{}, 1)}
}

// Status implements builtin.Project.
func (p *Project) Status(context.Context) (builtin.ProjectStatus, error) {
	state := p.service.State()
	return builtin.ProjectStatus{Counts: state.ByStatus, Total: state.Requirements}, nil
}

// Requirement implements builtin.Project.
func (p *Project) Requirement(_ context.Context, id string) (builtin.Requirement, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return builtin.Requirement{}, err
	}
	next, err := p.service.Next(id, lifecycle.Actor{}, "")
	if err != nil {
		return builtin.Requirement{}, err
	}
	return builtin.Requirement{
		ID: req.ID, Status: req.Status, Title: req.Title, Kind: req.Kind, Why: reasonOf(req),
		WaitingFor: next.WaitingFor,
		Suspect:    req.Suspect, Stale: len(req.Unsettling()) > 0, Retired: req.Retired, Revision: req.Revision,
		Parts: partsOf(req), Was: wasBefore(req),
	}, nil
}

// Stored implements builtin.Project.
func (p *Project) Stored(_ context.Context, id string) (builtin.Parts, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return nil, err
	}
	raw, err := ledger.Encode(map[string]any{
		lifecycle.FieldDesignSpec: req.DesignSpec, lifecycle.FieldImplementation: req.Implementation,
		lifecycle.FieldTest: req.Test, lifecycle.FieldPMNotes: req.PMNotes, lifecycle.FieldDeviations: req.Deviations,
		lifecycle.FieldApprovals: req.Approvals, lifecycle.FieldAcceptFingerprint: req.Fingerprint,
	})
	var stored builtin.Parts
	if err == nil {
		err = jsonv2.Unmarshal(raw, &stored)
	}
	return stored, err
}

// reasonOf returns why a requirement is in its status.
func reasonOf(req lifecycle.Requirement) string {
	if len(req.History) == 0 {
		return ""
	}
	return req.History[len(req.History)-1].Justification.Reason
}

// partsOf returns the parts of the work that stand; an approval that counts is the signoff.
func partsOf(req lifecycle.Requirement) (parts []string) {
	for _, part := range []struct {
		name   string
		stands bool
	}{
		{lifecycle.FieldDesignSpec, req.DesignSpec != nil}, {lifecycle.FieldImplementation, req.Implementation != nil},
		{lifecycle.FieldTest, req.Test != nil}, {"signoff", len(req.Standing()) > 0},
		{lifecycle.FieldPMNotes, len(req.PMNotes) > 0}, {lifecycle.FieldDeviations, len(req.Deviations) > 0},
	} {
		if part.stands {
			parts = append(parts, part.name)
		}
	}
	return parts
}

// Next implements builtin.Project.
func (p *Project) Next(_ context.Context, id, role string) (steps builtin.NextSteps, err error) {
	if role != "" {
		if _, err := lifecycle.ParseRole(role); err != nil {
			return steps, err
		}
	}
	ids := []string{id}
	if id == "" {
		list, err := p.service.List(lookup.Query{Role: lifecycle.Role(role), Limit: pageSize})
		if err != nil {
			return steps, err
		}
		ids, steps.Next = nil, list.After
		for _, s := range list.Requirements {
			ids = append(ids, s.ID)
		}
	}
	for _, id := range ids {
		req, err := p.service.Stored(id)
		if err != nil {
			return steps, err
		}
		for _, s := range p.stepsOf(req) {
			if role == "" || s.By == lifecycle.Party(role) {
				steps.Steps = append(steps.Steps, s)
			}
		}
	}
	if len(steps.Steps) == 0 && id == "" {
		steps.For, steps.Waiting, err = waitingFor(p.service, role)
	}
	return steps, err
}

// stepsOf returns what leads a requirement on. Where no task does, somebody has to open a way.
func (p *Project) stepsOf(req lifecycle.Requirement) (all []builtin.NextStep) {
	for _, t := range p.service.Tasks(req) {
		all = append(all, builtin.NextStep{ID: req.ID, By: lifecycle.Party(t.By), Do: wordsFor(t), Lacks: t.Needs})
	}
	if len(all) > 0 {
		return all
	}
	for _, l := range p.service.Leads(req) {
		all = append(all, builtin.NextStep{ID: req.ID, By: l.By, Do: l.Do(), Lacks: []string{}})
	}
	return all
}

// waitingFor says whose turn it is, for a role that has nothing to do.
func waitingFor(s *requirements.Service, role string) (who string, all []builtin.Waited, err error) {
	now, err := s.Agenda(lifecycle.Actor{Role: lifecycle.Role(role)}, agenda.Query{Limit: 1})
	for _, w := range now.Waiting {
		all = append(all, builtin.Waited{For: w.For, Count: w.Count, First: w.First})
	}
	return role, all, err
}

// Missing implements builtin.Project.
func (p *Project) Missing(_ context.Context, id string) (m builtin.Missing, err error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return m, err
	}
	view, err := p.service.Next(id, lifecycle.Actor{}, "")
	m = builtin.Missing{ID: id, Status: req.Status, Moves: p.service.MovesAhead(req), Lacks: []builtin.Lacking{}}
	for _, o := range view.AgainstDone {
		m.Lacks = append(m.Lacks, builtin.Lacking{What: o.Detail, By: o.By, With: o.With})
	}
	if req.Status == lifecycle.Done || req.Retired {
		return m, err
	}
	for _, l := range p.service.LeadsAhead(req) {
		if l.Field == lifecycle.FieldAcceptFingerprint || l.Field == lifecycle.FieldDeviations || l.To == "" && l.Field == "" {
			continue // what stands against it says so
		}
		m.Lacks = append(m.Lacks, lacking(l))
	}
	return m, err
}

// lacking says with what somebody leads a requirement on.
func lacking(l guidance.Lead) builtin.Lacking {
	switch {
	case l.To != "":
		return builtin.Lacking{What: "the move to " + string(l.To), By: l.By, With: fmt.Sprintf(`PATCH {"status":%q} with its justification`, l.To)}
	case l.Request != "":
		return builtin.Lacking{What: cmp.Or(l.Needs, l.Field), By: l.By, With: l.Request + ", or PATCH with " + l.Field}
	}
	return builtin.Lacking{What: cmp.Or(l.Needs, l.Field), By: l.By, With: "PATCH with " + l.Field}
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

// Query implements builtin.Project.
func (p *Project) Query(_ context.Context, asked builtin.Query) (found builtin.RequirementList, err error) {
	q, err := queryOf(asked)
	if err != nil {
		return found, err
	}
	list, err := p.service.List(q)
	if err != nil {
		return found, err
	}
	if found.Total = list.Total; asked.Count {
		return found, nil
	}
	found.Next = list.After
	for _, s := range list.Requirements {
		one := summaryOf(s)
		if asked.Why {
			req, err := p.service.Stored(s.ID)
			if err != nil {
				return found, err
			}
			one.Why = reasonOf(req)
		}
		found.Requirements = append(found.Requirements, one)
	}
	return found, nil
}

func summaryOf(s projection.Summary) builtin.Requirement {
	return builtin.Requirement{
		ID: s.ID, Status: s.Status, Title: s.Title, Kind: s.Kind, WaitingFor: s.WaitingFor,
		Suspect: s.Suspect, Stale: s.Stale, Retired: s.Retired, Revision: s.Revision,
	}
}

func queryOf(asked builtin.Query) (q lookup.Query, err error) {
	q = lookup.Query{
		Status: lifecycle.Status(asked.Status), NotStatus: lifecycle.Status(asked.NotStatus),
		Role: lifecycle.Role(asked.Role), Kind: asked.Kind, By: asked.AssignedTo, Text: asked.Text,
		Suspect: asked.Suspect, Retired: asked.Retired, After: asked.After, Limit: asked.Limit,
	}
	if q.Limit == 0 {
		q.Limit = pageSize
	}
	for _, status := range []lifecycle.Status{q.Status, q.NotStatus} {
		if status != "" && !status.Valid() {
			return q, fault.New(fault.Malformed, "unknown_status", "%q is not a status",
				fault.Clip(string(status), 80)).WithFix("use one of %v", lifecycle.Statuses())
		}
	}
	if q.Role != "" {
		_, err = lifecycle.ParseRole(string(q.Role))
	}
	return q, err
}

// requestOfChange names the tool in the record of a refusal.
const requestOfChange = "requirement.change"

// Change implements builtin.Project: it proposes the change as the caller would by HTTP.
func (p *Project) Change(ctx context.Context, c builtin.Change) error {
	body, err := ledger.Encode(c.Members)
	if err != nil {
		return err
	}
	proposal := requirements.Proposal{Request: requestOfChange, ID: c.ID, Body: body, IdempotencyKey: c.Key,
		KeyMade: true, RequestID: c.Run, Holder: claiming.HolderOfRun(c.Run)}
	if c.Revision > 0 {
		proposal.IfMatch = []string{strconv.FormatUint(c.Revision, 10)}
	}
	_, err = p.service.Patch(ctx, lifecycle.Actor{Name: c.Caller.Name, Role: lifecycle.Role(c.Caller.Role)}, proposal)
	return err
}

// Evidence implements builtin.Project.
func (p *Project) Evidence(ctx context.Context, id string) (check builtin.EvidenceCheck, err error) {
	cited, stale, err := p.service.LookOver(ctx, id)
	if err != nil {
		return check, err
	}
	if cited == 0 {
		return check, fault.New(fault.Conflict, "no_evidence", "%s cites no evidence that could be looked up", id).
			WithFix("ask again when its work names files, commits or tests")
	}
	check.Cited = cited
	for _, s := range stale {
		check.Problems = append(check.Problems, fmt.Sprintf("%s: %s", s.Pointer, s.Detail))
	}
	return check, nil
}

// VerifyLog implements builtin.Project: the log is checked as somebody outside would, while it goes on. The state is
// read first, so that the log holds what it holds. ctx bounds it; a log too large for that is for the command verify.
func (p *Project) VerifyLog(ctx context.Context) (check builtin.LogCheck, err error) {
	if p.options.Signer.Key == "" {
		return check, fault.New(fault.Conflict, "no_key", "this service signs no checkpoints").
			WithFix("check its database with orchestrator verify")
	}
	select {
	case p.verifying <- struct{}{}:
		defer func() { <-p.verifying }()
	case <-ctx.Done():
		return check, ctx.Err()
	}
	src := auditor.FromLedger("the service", p.ledger, p.options.Signer, p.service.ProjectFile())
	report, err := auditor.Verify(ctx, src, auditor.Options{Key: p.options.Signer.Key})
	switch bad, is := errors.AsType[*auditor.Bad](err); {
	case is:
		check.Problems = []string{bad.Error()}
		return check, nil
	case ctx.Err() != nil:
		return check, ctx.Err()
	case err != nil:
		return check, err
	}
	return builtin.LogCheck{Records: report.Records, Root: report.Root.String()}, nil
}
