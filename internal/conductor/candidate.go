package conductor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// attempt is what came of a candidate.
type attempt struct {
	taken     bool
	reason    string
	missing   []string       // inputs that nobody gives
	result    map[string]any // it did; nil otherwise
	guardrail bool
	truncated bool
}

// consider runs a candidate, if nothing speaks against it: its inputs, what it depends on, the budgets, guardrails and
// conditions.
func (r *run) consider(ctx context.Context, t *ObligationTrace, c *planning.Contract, depth int) (attempt, error) {
	inputs, a, err := r.resolveInputs(ctx, t.Obligation, c)
	if err != nil || !a.taken {
		return a, err
	}
	if a, err = r.recheckAllowed(ctx, t, c, inputs); err != nil || !a.taken {
		return a, err
	}
	if a, err = r.runDependencies(ctx, t, c, depth); err != nil || !a.taken {
		return a, err
	}
	if why := r.budgetExceeded(c); why != "" {
		return attempt{reason: why, truncated: true}, nil
	}
	if len(c.DependsOn) > 0 { // what these did counts, too
		if a, err = r.recheckAllowed(ctx, t, c, inputs); err != nil || !a.taken {
			return a, err
		}
	}
	tool, _ := r.Tools.Tool(c.Name)
	return r.execute(ctx, t, tool, inputs)
}

// recheckAllowed tells whether a candidate may be run now. One that began before the run was cut off was allowed then, and what
// it did may be why it is not any more.
func (r *run) recheckAllowed(ctx context.Context, t *ObligationTrace, c *planning.Contract, inputs map[string]any) (attempt, error) {
	if r.resumed {
		if began, err := r.began(ctx, t, c); err != nil || began {
			return attempt{taken: true}, err
		}
	}
	return r.checkAllowed(ctx, t.Obligation, c, inputs)
}

// toolRunID is the id of the next run of a tool for an obligation.
func toolRunID(t *ObligationTrace) string { return fmt.Sprintf("%s/%d", t.ID, len(t.Runs)+1) }

// began tells whether the ledger has the beginning of this very run, or of one that it depends on.
func (r *run) began(ctx context.Context, t *ObligationTrace, c *planning.Contract) (began bool, err error) {
	err = r.state.View(ctx, func(v state.View) error {
		before, found, err := v.ToolRun(r.request.ID, toolRunID(t))
		began = found && (before.Tool == c.Name || slices.Contains(c.DependsOn, before.Tool))
		return err
	})
	return began, err
}

// resolveInputs gives a candidate its inputs; it is taken where none is missing or wrong.
func (r *run) resolveInputs(ctx context.Context, o planning.Obligation, c *planning.Contract) (map[string]any, attempt, error) {
	tool, _ := r.Tools.Tool(c.Name)
	inputs, missing, err := r.fillInputs(ctx, o, c)
	if known, is := r.stateTools[c.Implementation.Name]; is && c.Implementation.Means == planning.Builtin &&
		known.missing != nil {
		missing = append(missing, known.missing(o)...)
	}
	switch {
	case err != nil:
		return nil, attempt{}, err
	case len(missing) > 0:
		return nil, attempt{reason: "nobody gives " + strings.Join(missing, ", "), missing: missing}, nil
	}
	for _, in := range c.Consumes {
		if value, given := inputs[in.Name]; given {
			if err := tool.CheckInput(in.Name, value); err != nil {
				return nil, attempt{reason: in.Name + ": " + errorText(err)}, nil
			}
		}
	}
	return inputs, attempt{taken: true}, nil
}

// checkAllowed looks at the caller's role, the guardrails and the preconditions; the candidate is taken where nothing speaks
// against it.
func (r *run) checkAllowed(ctx context.Context, o planning.Obligation, c *planning.Contract,
	inputs map[string]any) (attempt, error) {
	outside := c.Implementation.Means != planning.Builtin // those of the box look at roles themselves
	if r.IsAgent(r.request.Caller) && o.Type != planning.Report && o.Type != planning.Verify {
		return attempt{reason: "an agent changes the project by PATCH /requirements/{id}, and by nothing that outlasts its run"}, nil
	}
	if c.Role != "" {
		if a, err := r.checkAgent(ctx, o, c); err != nil || !a.taken {
			return a, err
		}
	}
	if r.request.Caller.Role == planning.RoleViewer && outside && o.Type != planning.Report &&
		o.Type != planning.Verify {
		return attempt{reason: "a viewer changes nothing: ask with a token of another role"}, nil
	}
	tool, _ := r.Tools.Tool(c.Name)
	facts, err := r.facts(ctx, tool.Names, o, inputs)
	if err != nil {
		return attempt{}, err
	}
	if why := r.violation(facts); why != "" {
		return attempt{reason: why, guardrail: true}, nil
	}
	if not := firstFailing(tool.Preconditions(facts)); not != "" {
		return attempt{reason: "the precondition " + not}, nil
	}
	return attempt{taken: true}, nil
}

// budgetExceeded is the budget that a run of a tool would exceed; "" where none.
func (r *run) budgetExceeded(c *planning.Contract) string {
	b := r.request.Request.Budgets
	switch {
	case r.runsLeft <= 0:
		return "max_tool_runs is used up"
	case b.MaxCost > 0 && r.costSpent+c.Cost.Weight() > b.MaxCost:
		return fmt.Sprintf("it weighs %g, and of max_cost %g are left", c.Cost.Weight(), b.MaxCost-r.costSpent)
	case !r.Clock().Before(r.deadline):
		return "time_ms is used up"
	case r.resultBytes > maxResultBytes:
		return fmt.Sprintf("the results have more than %d MiB", maxResultBytes>>20)
	}
	return ""
}

// maxResultBytes is the most bytes of results from which a run gets no further ones: a trace has each, and each answer
// once more.
const maxResultBytes = 8 << 20

// runDependencies runs what a tool depends on; it is taken where all of that did.
func (r *run) runDependencies(ctx context.Context, t *ObligationTrace, c *planning.Contract, depth int) (attempt, error) {
	if depth > r.maxDepth() {
		return attempt{reason: "max_depth is used up", truncated: true}, nil
	}
	for _, name := range c.DependsOn {
		needed, _ := r.Tools.Tool(name)
		of := needed.Contract()
		first, err := r.consider(ctx, t, &of, depth+1)
		if err != nil || first.result == nil {
			first.reason, first.taken = "it depends on "+name+": "+first.reason, false
			return first, err
		}
	}
	return attempt{taken: true}, nil
}

// fillInputs gives the inputs their values; what the payload lacks is taken from what is known of the caller.
func (r *run) fillInputs(ctx context.Context, o planning.Obligation,
	c *planning.Contract) (inputs map[string]any, missing []string, err error) {
	err = r.view(ctx, func(v state.View) error {
		var failed error
		inputs, missing = planning.Fill(c, o, func(slot string) (any, bool) {
			held, err := v.Held(r.userSubject(), slot)
			if err != nil {
				failed = err
			}
			if len(held) != 1 {
				return nil, false
			}
			return held[0].Object, true
		})
		return failed
	})
	return inputs, missing, err
}

// userSubject is what assertions on the caller are about.
func (r *run) userSubject() string { return userPrefix + r.request.Caller.Name }

// userPrefix begins the subjects of assertions on callers.
const userPrefix = "user:"

// firstFailing is the first condition that does not hold; "" where all do.
func firstFailing(all []contract.Verdict) string {
	for _, v := range all {
		if !v.Holds {
			return strings.TrimSuffix(v.Condition+" does not hold: "+v.Why, ": ")
		}
	}
	return ""
}
