package bridge

import (
	"context"
	"maps"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// The default and the bound of what is looked up of the log for one answer.
const (
	defaultRefusals = 20
	maxPages        = 50
)

// wasBefore returns the status before the last move.
func wasBefore(req lifecycle.Requirement) lifecycle.Status {
	if len(req.History) == 0 {
		return ""
	}
	return req.History[len(req.History)-1].From
}

// Refusals implements builtin.Project.
func (p *Project) Refusals(ctx context.Context, asked builtin.Refusals) (list builtin.RefusalList, err error) {
	limit := asked.Limit
	if limit == 0 {
		limit = defaultRefusals
	}
	q := lookup.Records{Kinds: lookup.Refusals(), Actor: asked.Actor, Requirement: asked.ID, SinceTime: asked.Since,
		Newest: true, Limit: limit + 1}
	for range maxPages {
		page, err := p.service.Find(ctx, q)
		if err != nil {
			return list, err
		}
		found, err := lookup.RefusalsOf(ctx, p.ledger, page.Records)
		if err != nil {
			return list, err
		}
		for _, r := range found {
			switch {
			case !asked.Until.IsZero() && !r.At.Before(asked.Until):
			case len(list.Refusals) == limit:
				list.More = true
				return list, nil
			default:
				list.Refusals = append(list.Refusals, builtin.Refusal{At: r.At, By: r.By, Role: string(r.Role), Of: r.Of,
					Code: string(r.Code), Detail: r.Detail, Times: r.Times, Record: r.Record})
			}
		}
		if q.At = page.Next; page.Next == 0 {
			return list, nil
		}
	}
	list.More = true
	return list, nil
}

// History implements builtin.Project.
func (p *Project) History(_ context.Context, id string) (h builtin.History, err error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return h, err
	}
	h = builtin.History{ID: req.ID, Status: req.Status}
	for _, m := range req.History {
		h.Moves = append(h.Moves, builtin.Move{From: m.From, To: m.To, By: m.By, Role: string(m.Role), At: m.At,
			Reason: m.Justification.Reason})
	}
	return h, nil
}

// Complete implements builtin.Project.
func (p *Project) Complete(_ context.Context, o planning.Obligation) planning.Obligation {
	id, _ := o.Payload["id"].(string)
	req, err := p.service.Stored(id)
	if err != nil || o.Type != planning.Achieve {
		return o
	}
	o.Payload = maps.Clone(o.Payload)
	if o.Payload["status"] == language.Held {
		o.Payload["status"] = string(heldFrom(req))
	}
	to, _ := o.Payload["status"].(string)
	if why, is := o.Payload["justification"].(map[string]any); is && why["evidence"] == nil {
		cited := []any{}
		for _, e := range p.evidenceFor(req, lifecycle.Status(to)) {
			cited = append(cited, citation(e))
		}
		o.Payload["justification"] = map[string]any{"reason": why["reason"], "evidence": cited}
	}
	return o
}

// heldFrom returns the status that a requirement returns to; its own, to which nothing moves, where it is not held.
func heldFrom(req lifecycle.Requirement) lifecycle.Status {
	if req.HeldFrom == "" {
		return req.Status
	}
	return req.HeldFrom
}
