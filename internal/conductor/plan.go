package conductor

import (
	"context"
	"time"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
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

	Steps []ObligationPlan `json:"steps,omitempty"` // of the payload, or of the contract that is taken first
}

// Plan returns what would be run, and runs and records nothing. Of what would run for one obligation it counts the
// first candidate against the budgets of the next, assuming that it succeeds.
func (c *Conductor) Plan(ctx context.Context, caller Caller, request planning.Request) (Plan, error) {
	plan := Plan{Obligations: []ObligationPlan{}}
	if err := c.Check(request); err != nil {
		return plan, err
	}
	r := c.newRun(state.Request{Caller: caller, Request: request})
	r.left = func() time.Duration { return budget.Limit(planning.Budgets{}) } // a plan spends nothing
	for i, o := range request.Obligations {
		r.trace.Obligations[i] = newTrace(obligationID(i), o)
	}
	whole := (&scope{run: r, list: r.trace.Obligations}).within()
	guardrails, _ := planning.Guardrails(request.Obligations)
	for _, i := range guardrails {
		if err := r.guard(ctx, &r.trace.Obligations[i]); err != nil {
			return plan, err
		}
	}
	broken := r.priorViolation()
	var err error
	plan.Obligations, err = whole.plan(ctx, broken)
	return plan, err
}

// plan returns what would be run for each obligation of a list. They are looked at as they would be run, and shown as
// they stand.
func (s *scope) plan(ctx context.Context, broken string) ([]ObligationPlan, error) {
	var asked []planning.Obligation
	for i := range s.list {
		asked = append(asked, s.list[i].Obligation)
	}
	all := make([]ObligationPlan, len(asked))
	for _, i := range flow.Order(asked) {
		one, err := s.planObligation(ctx, &s.list[i], broken)
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	return all, nil
}

// planSteps returns what would be run for the steps of an obligation. Of too many none are shown.
func (s *scope) planSteps(ctx context.Context, t *ObligationTrace, steps []planning.Obligation,
	broken string) ([]ObligationPlan, error) {
	if s.lookedAt += len(steps); s.lookedAt > maxLookedAt || len(steps) == 0 || s.depth >= budget.Depth(s.request.Request.Budgets) {
		return nil, nil
	}
	return s.below(t, steps, map[string]any{}).plan(ctx, broken)
}

// planObligation does what conduct does, without runs: it returns what would be run for one obligation. broken is the
// guardrail that does not hold, or "".
func (s *scope) planObligation(ctx context.Context, t *ObligationTrace, broken string) (one ObligationPlan, err error) {
	one = ObligationPlan{ID: t.ID, Obligation: t.Obligation, Why: broken, Candidates: []Candidate{},
		Missing: []string{}}
	if t.Obligation.Type == planning.Maintain || t.Obligation.Type == planning.Avoid {
		return one, nil
	}
	if steps := flow.Steps(t.Obligation); steps != nil {
		if s.depth >= budget.Depth(s.request.Request.Budgets) {
			one.Why = depthExhausted
		}
		one.Steps, err = s.planSteps(ctx, t, steps, broken)
		return one, err
	}
	if flow.VerifiesAnswers(t.Obligation) {
		return one, nil
	}
	candidates := s.choice.Candidates(t.Obligation)
	if len(candidates) == 0 && one.Why == "" && t.Obligation.Type != planning.Clarify {
		one.Why = "no tool satisfies " + t.Obligation.String()
	}
	return one, s.planCandidates(ctx, t, candidates, &one)
}

// planCandidates adds what would become of each candidate, and counts the first that would run against the budgets.
func (s *scope) planCandidates(ctx context.Context, t *ObligationTrace, candidates []*planning.Contract,
	one *ObligationPlan) error {
	var missing []string
	runs, spent := false, s.spent
	for _, candidate := range candidates {
		if one.Why != "" {
			one.Candidates = append(one.Candidates, Candidate{Tool: candidate.Name, Taken: false, Reason: one.Why})
			continue
		}
		v, err := s.planCandidate(ctx, t, candidate)
		if err != nil {
			return err
		}
		one.Candidates = append(one.Candidates, Candidate{Tool: candidate.Name, Taken: v.allowed, Reason: v.reason})
		if missing == nil {
			missing = v.missing
		}
		if v.allowed && !runs {
			one.Steps, err = s.planSteps(ctx, t, candidate.Implementation.Steps, one.Why)
			if err != nil {
				return err
			}
			runs, spent = true, s.spent
		}
		if v.ends != "" {
			break // a run ends there
		}
	}
	switch {
	case runs:
		s.spent = spent
	case missing != nil:
		one.Missing = missing
	}
	return nil
}

// depthExhausted is why steps are not run.
const depthExhausted = "max_depth is exhausted"

// planCandidate does what consider does, without effects: it allows a candidate that no check refuses, and takes its
// cost from the budgets. What depends on the results of others is not known yet, and not checked.
func (s *scope) planCandidate(ctx context.Context, t *ObligationTrace, c *planning.Contract) (admission, error) {
	o, plan := t.Obligation, c.Implementation.Means == planning.Steps
	if why := c.Refuses(s.request.Caller.Role, o); why != "" {
		return refused(why), nil
	}
	takes := flow.Needs(o)
	inputs, missing, err := s.inputsOf(ctx, o, o, c)
	v := allowed
	switch {
	case err != nil || len(missing) > 0:
		return lacks(missing), err
	case len(takes) == 0:
		tool, _ := s.Tools.Tool(c.Name)
		if v = checkInputs(tool, inputs); v.allowed {
			v, err = s.checkAllowed(ctx, o, c, inputs)
		}
	}
	if err != nil || !v.allowed {
		return v, err
	}
	for _, name := range c.DependsOn {
		needed, _ := s.Tools.Tool(name)
		of := needed.Contract()
		if v, err = s.planCandidate(ctx, t, &of); err != nil || !v.allowed {
			v.reason = "it depends on " + name + ": " + v.reason
			return v, err
		}
	}
	switch why := s.spent.Refuses(c, s.Clock()); {
	case plan && s.depth >= budget.Depth(s.request.Request.Budgets):
		return ended(planning.OutTruncated, depthExhausted), nil
	case plan: // its steps are counted
	case why != "":
		return ended(planning.OutTruncated, why), nil
	default:
		s.spent.Run(*c)
	}
	v.reason = "it would run"
	if len(takes) > 0 {
		v.reason = "it would run with " + takes[0].String()
	}
	return v, nil
}
