package drive

import (
	"context"
	"slices"

	"orchestrator/internal/conductor"
	"orchestrator/internal/rules/lifecycle"
)

// Plan is what would be done first for a requirement.
type Plan struct {
	Requirement string                `json:"requirement"`
	Status      lifecycle.Status      `json:"status"`
	Role        string                `json:"role,omitempty"`       // whose work it is
	Obligation  string                `json:"obligation,omitempty"` // "" where nothing leads it on
	Needs       []string              `json:"needs,omitempty"`
	Tools       []conductor.Candidate `json:"tools"`         // in the order in which they would be tried
	Why         string                `json:"why,omitempty"` // why nothing would be run
}

// Plan returns what would be done first for each requirement of an order, and does and records nothing.
//
// Implements: ORC-291
func (d *Driver) Plan(ctx context.Context, o Order) ([]Plan, error) {
	all, err := d.Project.Select(ctx, o.Requirements)
	plan := []Plan{}
	for _, r := range all {
		if err != nil {
			break
		}
		var one Plan
		one, err = d.planFirst(ctx, o, r)
		plan = append(plan, one)
	}
	return plan, err
}

func (d *Driver) planFirst(ctx context.Context, o Order, r Requirement) (Plan, error) {
	one := Plan{Requirement: r.ID, Status: r.Status, Tools: []conductor.Candidate{}}
	stand, err := d.Project.Position(ctx, r.ID)
	if err != nil {
		return one, err
	}
	if one.Status = stand.Status; len(stand.Work) == 0 {
		one.Why = stand.Why
		return one, nil
	}
	due := stand.Work[0]
	one.Role, one.Obligation, one.Needs = due.Role, due.Obligation.String(), due.Needs
	planned, err := d.Conductor.Plan(ctx, o.Caller, requestFor(due.Obligation))
	if err != nil {
		return one, err
	}
	one.Tools = planned.Obligations[0].Candidates
	switch {
	case len(o.Roles) > 0 && !slices.Contains(o.Roles, due.Role):
		one.Tools, one.Why = []conductor.Candidate{}, "it waits for the "+due.Role
	case len(r.DependsOn) > 0:
		one.Tools, one.Why = []conductor.Candidate{}, "it depends on "+r.DependsOn[0]+", which is not done"
	case len(one.Tools) == 0:
		one.Why = "no tool satisfies " + one.Obligation
	case !slices.ContainsFunc(one.Tools, func(c conductor.Candidate) bool { return c.Taken }):
		one.Why = "no tool would be run"
	}
	return one, nil
}
