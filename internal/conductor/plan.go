package conductor

import (
	"context"

	"orchestrator/internal/ir"
	"orchestrator/internal/rules/planning"
)

// Planned is what would be run for a request.
type Planned struct {
	Obligations []PlannedFor `json:"obligations"`
}

// PlannedFor is what would be run for one obligation: the first candidate that is taken, and those after it if it fails.
type PlannedFor struct {
	ID         string              `json:"id"`
	Obligation planning.Obligation `json:"obligation"`
	Candidates []Candidate         `json:"candidates"`
	Missing    []string            `json:"missing"` // inputs that nobody gives, where no candidate could run
}

// Plan says what would be run, and runs and records nothing.
func (c *Conductor) Plan(ctx context.Context, caller Caller, request planning.Request) (Planned, error) {
	r := &run{Conductor: c, request: ir.Request{Caller: caller, Request: request}}
	plan := Planned{Obligations: []PlannedFor{}}
	guardrails, _ := planning.Guardrails(request.Obligations)
	for _, i := range guardrails {
		o := request.Obligations[i]
		condition, err := conditionOf(o)
		if err != nil {
			return plan, err
		}
		r.guardrails = append(r.guardrails, guardrail{&Traced{Obligation: o}, condition})
	}
	for i, o := range request.Obligations {
		one := PlannedFor{ID: obligationID(i), Obligation: o, Candidates: []Candidate{}, Missing: []string{}}
		var missing []string
		runs := false
		for _, candidate := range c.choice.Candidates(o) {
			inputs, a, err := r.given(ctx, o, candidate)
			if err == nil && a.taken {
				a, err = r.allowed(ctx, o, candidate, inputs)
			}
			if err != nil {
				return plan, err
			}
			if a.taken {
				runs, a.reason = true, "it would run"
			}
			if missing == nil {
				missing = a.missing
			}
			one.Candidates = append(one.Candidates, Candidate{candidate.Name, a.taken, a.reason})
		}
		if !runs && missing != nil {
			one.Missing = missing
		}
		plan.Obligations = append(plan.Obligations, one)
	}
	return plan, nil
}
