package conductor

import (
	"context"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// Planned is what would be run for a request.
type Planned struct {
	Obligations []PlannedFor `json:"obligations"`
}

// PlannedFor is what would be run for one obligation: the first candidate that is taken, and those after it if it
// fails.
type PlannedFor struct {
	ID         string              `json:"id"`
	Obligation planning.Obligation `json:"obligation"`
	Why        string              `json:"why,omitempty"` // nothing would run, whatever candidates there are
	Candidates []Candidate         `json:"candidates"`
	Missing    []string            `json:"missing"` // inputs that nobody gives, where no candidate could run
}

// Plan says what would be run, and runs and records nothing. Of what would run for one obligation it counts the first
// candidate against the budgets of the next: that it fails is not known beforehand.
func (c *Conductor) Plan(ctx context.Context, caller Caller, request planning.Request) (Planned, error) {
	r := c.of(state.Request{Caller: caller, Request: request})
	plan := Planned{Obligations: []PlannedFor{}}
	for i, o := range request.Obligations {
		r.trace.Obligations[i] = Traced{ID: obligationID(i), Obligation: o, Status: planning.Active}
	}
	guardrails, _ := planning.Guardrails(request.Obligations)
	for _, i := range guardrails {
		if err := r.guard(ctx, &r.trace.Obligations[i]); err != nil {
			return plan, err
		}
	}
	broken := r.brokenAlready()
	for i := range r.trace.Obligations {
		one, err := r.planned(ctx, &r.trace.Obligations[i], broken)
		if err != nil {
			return plan, err
		}
		plan.Obligations = append(plan.Obligations, one)
	}
	return plan, nil
}

// planned is the plan loop of one obligation, but for the runs. broken is the guardrail that does not hold; "" where
// all do.
func (r *run) planned(ctx context.Context, t *Traced, broken string) (PlannedFor, error) {
	one := PlannedFor{ID: t.ID, Obligation: t.Obligation, Why: broken, Candidates: []Candidate{}, Missing: []string{}}
	if t.Obligation.Type == planning.Maintain || t.Obligation.Type == planning.Avoid {
		return one, nil
	}
	candidates := r.choice.Candidates(t.Obligation)
	if len(candidates) == 0 && one.Why == "" && t.Obligation.Type != planning.Clarify && !ofAnswers(t.Obligation) {
		one.Why = "no tool satisfies " + t.Obligation.String()
	}
	var missing []string
	runs, left, spent := false, 0, 0.0
	for _, candidate := range candidates {
		if broken != "" {
			one.Candidates = append(one.Candidates, Candidate{candidate.Name, false, broken})
			continue
		}
		a, err := r.would(ctx, t.Obligation, candidate, 0)
		if err != nil {
			return one, err
		}
		one.Candidates = append(one.Candidates, Candidate{candidate.Name, a.taken, a.reason})
		if missing == nil {
			missing = a.missing
		}
		if a.taken && !runs {
			runs, left, spent = true, r.left, r.spent
		}
		if a.guardrail || a.truncated {
			break // a run ends there
		}
	}
	switch {
	case runs:
		r.left, r.spent = left, spent
	case missing != nil:
		one.Missing = missing
	}
	return one, nil
}

// would is consider without effects: a candidate is taken where nothing speaks against it, and the budgets are less
// what it weighs.
func (r *run) would(ctx context.Context, o planning.Obligation, c *planning.Contract, depth int) (attempt, error) {
	inputs, a, err := r.given(ctx, o, c)
	if err != nil || !a.taken {
		return a, err
	}
	if a, err = r.allowed(ctx, o, c, inputs); err != nil || !a.taken {
		return a, err
	}
	if depth > r.deepest() {
		return attempt{reason: "max_depth is used up", truncated: true}, nil
	}
	for _, name := range c.DependsOn {
		needed, _ := r.Tools.Tool(name)
		of := needed.Contract()
		if a, err = r.would(ctx, o, &of, depth+1); err != nil || !a.taken {
			a.reason = "it depends on " + name + ": " + a.reason
			return a, err
		}
	}
	if why := r.usedUp(c); why != "" {
		return attempt{reason: why, truncated: true}, nil
	}
	r.left--
	r.spent += c.Cost.Weight()
	a.reason = "it would run"
	return a, nil
}

// deepest is how deep tools may depend on others.
func (r *run) deepest() int {
	if most := r.request.Request.Budgets.MaxDepth; most > 0 {
		return most
	}
	return defaultDepth
}
