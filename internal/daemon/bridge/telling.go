package bridge

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/webhook/hook"
)

// Bounds of what a message says.
const (
	mostReasons  = 5
	longestWhy   = 2000 // bytes
	longestTitle = 500
)

// Telling says in a message what a person needs to know of a record: who has to act now, why, and where to look.
type Telling struct {
	Project *Project
	Runs    func(ctx context.Context, run string) (conductor.RunSummary, error)
	URL     string // of the service
}

// Tell makes the message of a hook about a record. Who waits, and why, is as it is now.
//
// Implements: ORC-322
func (t Telling) Tell(ctx context.Context, h hook.Hook, r audit.Record) (hook.Message, error) {
	m := hook.Message{Kind: r.Kind, WaitingFor: []string{}, Subject: r.Subject, Record: r.Seq, At: r.At, By: r.Actor,
		AsOf: t.Project.ledger.Head().Size, Webhook: h.Name}
	base := strings.TrimSuffix(cmp.Or(h.Link, t.URL), "/") + "/ui" // a person follows the link
	m.Link = base + "/audit/records/" + strconv.FormatUint(r.Seq, 10)
	reasons := refusalOf(r)
	if r.Kind == state.KindStepped {
		run := state.RunOf(r.Subject)
		m.Link = base + "/traces/" + url.PathEscape(run)
		reasons = append(reasons, t.ofRun(ctx, &m, run)...)
	} else if id, is := Present(t.Project.service, r.Subject); is {
		m.Link = base + "/requirements/" + url.PathEscape(id)
		more, err := t.ofRequirement(&m, id)
		if err != nil {
			return m, err
		}
		reasons = append(reasons, more...)
	}
	m.Why = fault.Clip(strings.Join(reasons, "; "), longestWhy)
	return m, nil
}

// Present returns the id of the requirement that has an id, or had it last; false where there is none.
func Present(s *requirements.Service, id string) (string, bool) {
	_, err := s.Stored(id)
	if err == nil {
		return id, true
	}
	unknown := fault.As(err)
	return unknown.RenamedTo, unknown.RenamedTo != ""
}

// refusalOf returns what a record says of a refusal.
func refusalOf(r audit.Record) []string {
	if r.Kind != record.KindRefused && r.Kind != record.KindRequestRefused {
		return nil
	}
	var data struct {
		Refusal *struct {
			Code   fault.Code `json:"code"`
			Detail string     `json:"detail"`
		} `json:"refusal"`
	}
	if err := jsonv2.Unmarshal(r.Data, &data); err != nil || data.Refusal == nil {
		return nil // it is kept apart, being large
	}
	return []string{fmt.Sprintf("%s (%s) was refused (%s): %s", r.Actor.Name, r.Actor.Role, data.Refusal.Code,
		data.Refusal.Detail)}
}

// ofRequirement fills in what a requirement waits for, and returns why.
func (t Telling) ofRequirement(m *hook.Message, id string) (why []string, err error) {
	req, err := t.Project.service.Stored(id)
	if err != nil {
		return nil, err
	}
	view, err := t.Project.service.Next(id, lifecycle.Actor{}, "")
	if err != nil {
		return nil, err
	}
	m.Requirement, m.Title, m.Status = &id, fault.Clip(req.Title, longestTitle), string(req.Status)
	for _, party := range view.WaitingFor {
		m.WaitingFor = append(m.WaitingFor, string(party))
	}
	for _, l := range t.Project.service.Leads(req) {
		reason := string(l.By) + ": " + l.Do()
		if l.Needs != "" && l.Needs != l.Do() {
			reason += " (" + l.Needs + ")"
		}
		why = append(why, reason)
	}
	for _, o := range view.AgainstDone {
		why = append(why, "against done: "+o.Detail+" ("+string(o.By)+": "+o.With+")")
	}
	if len(why) == 0 {
		why = []string{"nobody has to do anything: it is " + string(req.Status)}
	}
	return why[:min(len(why), mostReasons)], nil
}

// ofRun fills in whom a run of the conductor asks, and returns what.
func (t Telling) ofRun(ctx context.Context, m *hook.Message, run string) (why []string) {
	summary, err := t.Runs(ctx, run)
	if err != nil {
		return nil // a viewer's run is not kept
	}
	for _, o := range summary.Obligations {
		if id, is := o.Obligation.Payload["id"].(string); is && m.Requirement == nil {
			if id, known := Present(t.Project.service, id); known {
				m.Requirement = &id
			}
		}
		for _, q := range o.Questions {
			if q.Waits() {
				why = append(why, fmt.Sprintf("the run %s asks %s (%s): %s", run, summary.Caller.Name,
					summary.Caller.Role, q.Question))
			}
		}
	}
	if len(why) > 0 {
		m.WaitingFor = []string{summary.Caller.Role}
		if pm := string(lifecycle.PM); !slices.Contains(m.WaitingFor, pm) {
			m.WaitingFor = append(m.WaitingFor, pm) // who may answer as well
		}
	}
	return why[:min(len(why), mostReasons)]
}
