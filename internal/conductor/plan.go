package conductor

import (
	"context"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// Plan lists what would be run for a request.
type Plan struct {
	Obligations []ObligationPlan `json:"obligations"`
}

// ObligationPlan lists what would be run for one obligation: the first candidate that is taken, and those after it if
// it fails.
type ObligationPlan struct {
	ID         string              `json:"id"`
	Obligation planning.Obligation `json:"obligation"`
	Why        string              `json:"why,omitempty"` // nothing would run, whatever candidates there are
	Candidates []Candidate         `json:"candidates"`
	Missing    []string            `json:"missing"` // inputs that nobody gives, where no candidate could run
}

// Plan returns what would be run, and runs and records nothing. Of what would run for one obligation it counts the
// first candidate against the budgets of the next, assuming that it succeeds.
func (c *Conductor) Plan(ctx context.Context, caller Caller, request planning.Request) (Plan, error) {
	r := c.newRun(state.Request{Caller: caller, Request: request})
	plan := Plan{Obligations: []ObligationPlan{}}
	for i, o := range request.Obligations {
		r.trace.Obligations[i] = ObligationTrace{ID: obligationID(i), Obligation: o, Status: planning.Active}
	}
	guardrails, _ := planning.Guardrails(request.Obligations)
	for _, i := range guardrails {
		if err := r.guard(ctx, &r.trace.Obligations[i]); err != nil {
			return plan, err
		}
	}
	broken := r.priorViolation()
	for i := range r.trace.Obligations {
		one, err := r.planObligation(ctx, &r.trace.Obligations[i], broken)
		if err != nil {
			return plan, err
		}
		plan.Obligations = append(plan.Obligations, one)
	}
	return plan, nil
}

// planObligation does what satisfy does, without runs: it returns what would be run for one obligation. broken is the
// guardrail that does not hold, or "".
func (r *run) planObligation(ctx context.Context, t *ObligationTrace, broken string) (ObligationPlan, error) {
	one := ObligationPlan{ID: t.ID, Obligation: t.Obligation, Why: broken, Candidates: []Candidate{},
		Missing: []string{}}
	if t.Obligation.Type == planning.Maintain || t.Obligation.Type == planning.Avoid {
		return one, nil
	}
	if verifiesAnswers(t.Obligation) {
		return one, nil
	}
	candidates := r.choice.Candidates(t.Obligation)
	if len(candidates) == 0 && one.Why == "" && t.Obligation.Type != planning.Clarify {
		one.Why = "no tool satisfies " + t.Obligation.String()
	}
	var missing []string
	runs, left, spent := false, 0, 0.0
	for _, candidate := range candidates {
		if broken != "" {
			one.Candidates = append(one.Candidates, Candidate{candidate.Name, false, broken})
			continue
		}
		v, err := r.planCandidate(ctx, t.Obligation, candidate, 0)
		if err != nil {
			return one, err
		}
		one.Candidates = append(one.Candidates, Candidate{candidate.Name, v.allowed, v.reason})
		if missing == nil {
			missing = v.missing
		}
		if v.allowed && !runs {
			runs, left, spent = true, r.runsLeft, r.costSpent
		}
		if v.ends != "" {
			break // a run ends there
		}
	}
	switch {
	case runs:
		r.runsLeft, r.costSpent = left, spent
	case missing != nil:
		one.Missing = missing
	}
	return one, nil
}

// planCandidate does what consider does, without effects: it allows a candidate that no check refuses, and takes its
// cost from the budgets.
func (r *run) planCandidate(ctx context.Context, o planning.Obligation, c *planning.Contract,
	depth int) (admission, error) {
	inputs, v, err := r.resolveInputs(ctx, o, c)
	if err != nil || !v.allowed {
		return v, err
	}
	if v, err = r.checkAllowed(ctx, o, c, inputs); err != nil || !v.allowed {
		return v, err
	}
	if depth > r.maxDepth() {
		return ended(planning.OutTruncated, "max_depth is exhausted"), nil
	}
	for _, name := range c.DependsOn {
		needed, _ := r.Tools.Tool(name)
		of := needed.Contract()
		if v, err = r.planCandidate(ctx, o, &of, depth+1); err != nil || !v.allowed {
			v.reason = "it depends on " + name + ": " + v.reason
			return v, err
		}
	}
	if why := r.budgetExceeded(c); why != "" {
		return ended(planning.OutTruncated, why), nil
	}
	r.runsLeft--
	r.costSpent += c.Cost.Weight()
	v.reason = "it would run"
	return v, nil
}

// maxDepth returns how deep tools may depend on others.
func (r *run) maxDepth() int {
	if most := r.request.Request.Budgets.MaxDepth; most > 0 {
		return most
	}
	return defaultDepth
}
