package conductor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// admission is the result of a check: whether a candidate may run or, if not, why not.
type admission struct {
	allowed bool
	reason  string
	missing []string         // required inputs without a value
	ends    planning.Outcome // of the obligation, when no further candidate may be considered either; "" otherwise
}

var allowed = admission{allowed: true}

func refused(reason string) admission { return admission{reason: reason} }

// ended refuses a candidate, and every other one of the obligation.
func ended(outcome planning.Outcome, reason string) admission {
	return admission{reason: reason, ends: outcome}
}

// outcome is what became of a candidate.
type outcome struct {
	ran     bool
	reason  string           // why it did not run, why it failed, or "succeeded"
	missing []string         // as in admission
	result  map[string]any   // nil unless it succeeded
	ends    planning.Outcome // as in admission
}

// notRun returns the outcome of a candidate that a check refused.
func notRun(a admission) outcome { return outcome{reason: a.reason, missing: a.missing, ends: a.ends} }

// consider runs a candidate unless a check refuses it: its inputs, its dependencies, the budgets, guardrails and
// conditions.
func (r *run) consider(ctx context.Context, t *ObligationTrace, c *planning.Contract) (outcome, error) {
	if why := c.Refuses(r.request.Caller.Role, t.Obligation); why != "" {
		return notRun(refused(why)), nil // and nobody is asked what it lacks
	}
	inputs, v, err := r.resolveInputs(ctx, t, c)
	if err != nil || !v.allowed {
		return notRun(v), err
	}
	if v, err = r.recheckAllowed(ctx, t, c, inputs); err != nil || !v.allowed {
		return notRun(v), err
	}
	if v, err = r.runDependencies(ctx, t, c); err != nil || !v.allowed {
		return notRun(v), err
	}
	if why := r.spent.Refuses(c, r.Clock()); why != "" {
		return notRun(ended(planning.OutTruncated, why)), nil
	}
	if len(c.DependsOn) > 0 { // the dependencies may have changed what the conditions are about
		if v, err = r.recheckAllowed(ctx, t, c, inputs); err != nil || !v.allowed {
			return notRun(v), err
		}
	}
	tool, _ := r.Tools.Tool(c.Name)
	if c.Implementation.Means == planning.Steps {
		return r.scopes[t.ID].satisfyByPlan(ctx, t, tool, inputs)
	}
	return r.execute(ctx, t, tool, inputs)
}

// recheckAllowed checks whether a candidate may run now. A tool that had started before a crash, and a
// plan that waited for an answer, was allowed then; its own effects may be why it is not allowed now, so it is not
// checked again.
func (r *run) recheckAllowed(ctx context.Context, t *ObligationTrace, c *planning.Contract,
	inputs map[string]any) (admission, error) {
	if r.goesOn() {
		if began, err := r.began(ctx, t, c); err != nil || began {
			return allowed, err
		}
	}
	return r.checkAllowed(ctx, t.Obligation, c, inputs)
}

// toolRunID returns the id of the next run of a tool for an obligation.
func toolRunID(t *ObligationTrace) string { return fmt.Sprintf("%s/%d", t.ID, len(t.Runs)+1) }

// began reports whether the ledger has the start of this very run, or of one that it depends on.
func (r *run) began(ctx context.Context, t *ObligationTrace, c *planning.Contract) (began bool, err error) {
	err = r.state.View(ctx, func(v state.View) error {
		before, found, err := v.ToolRun(r.request.ID, toolRunID(t))
		began = found && (before.Tool == c.Name || slices.Contains(c.DependsOn, before.Tool))
		return err
	})
	return began, err
}

// resolveInputs returns the inputs of a candidate, and refuses it if one is missing or does not match its schema.
func (r *run) resolveInputs(ctx context.Context, t *ObligationTrace,
	c *planning.Contract) (map[string]any, admission, error) {
	asked := t.Obligation
	if t.Asked != nil {
		asked = *t.Asked
	}
	inputs, missing, err := r.inputsOf(ctx, t.Obligation, asked, c)
	if err != nil || len(missing) > 0 {
		return nil, lacks(missing), err
	}
	tool, _ := r.Tools.Tool(c.Name)
	return inputs, checkInputs(tool, inputs), nil
}

// lacks refuses a candidate for the inputs that it lacks.
func lacks(missing []string) admission {
	return admission{reason: "missing input: " + strings.Join(missing, ", "), missing: missing}
}

// checkInputs holds the inputs of a candidate against their schemas.
func checkInputs(tool *contract.Tool, inputs map[string]any) admission {
	for _, in := range tool.Contract().Consumes {
		if value, given := inputs[in.Name]; given {
			if err := tool.CheckInput(in.Name, value); err != nil {
				return refused(in.Name + ": " + errorText(err))
			}
		}
	}
	return allowed
}

// checkAllowed checks the caller's role, the guardrails and the preconditions of a candidate.
func (r *run) checkAllowed(ctx context.Context, o planning.Obligation, c *planning.Contract,
	inputs map[string]any) (admission, error) {
	if r.IsAgent(r.request.Caller) && !o.Type.Reads() {
		return refused("agents change the project by PATCH /requirements/{id} alone, and keep nothing beyond their run"), nil
	}
	if c.Role != "" {
		if v, err := r.checkAgent(ctx, o, c); err != nil || !v.allowed {
			return v, err
		}
	}
	tool, _ := r.Tools.Tool(c.Name)
	facts, err := r.facts(ctx, tool.Names, o, inputs)
	if err != nil {
		return admission{}, err
	}
	if why := r.violation(facts); why != "" {
		return ended(planning.OutGuardrail, why), nil
	}
	if not := contract.FirstFailing(tool.Preconditions(facts)); not != "" {
		return refused("the precondition " + not), nil
	}
	return allowed, nil
}

// spend takes what was run before for an obligation, and for the steps of its plans, from the budgets. The run of a
// plan is that of its steps.
func (r *run) spend(t *ObligationTrace) {
	for i := range t.Runs {
		done := &t.Runs[i]
		tool, is := r.Tools.Tool(done.Tool)
		switch {
		case !is:
			r.spent.UnknownRun()
		case tool.Contract().Implementation.Means == planning.Steps:
			continue
		default:
			r.spent.Run(tool.Contract())
			if done.Agent = tool.Contract().Role != ""; done.Agent {
				r.spent.Agent(done.Usage)
			}
		}
		countRecorded(r, done.Result, done.Error)
	}
	for i := range t.Steps {
		r.spend(&t.Steps[i])
	}
}

// runDependencies runs the tools that a candidate depends on, and refuses the candidate if one does not succeed.
func (r *run) runDependencies(ctx context.Context, t *ObligationTrace, c *planning.Contract) (admission, error) {
	for _, name := range c.DependsOn {
		needed, _ := r.Tools.Tool(name)
		of := needed.Contract()
		first, err := r.consider(ctx, t, &of)
		if err != nil || first.result == nil {
			return admission{reason: "it depends on " + name + ": " + first.reason, missing: first.missing,
				ends: first.ends}, err
		}
	}
	return allowed, nil
}

// fillInputs resolves the inputs of a tool; what the payload lacks is taken from what is known of the caller.
func (r *run) fillInputs(ctx context.Context, o planning.Obligation,
	c *planning.Contract) (inputs map[string]any, missing []string, err error) {
	looksUp := false
	inputs, missing = planning.Fill(c, o, func(string) (any, bool) { looksUp = true; return nil, false })
	if !looksUp {
		return inputs, missing, r.state.Err(ctx)
	}
	err = r.view(ctx, func(v state.View) error {
		var failed error
		inputs, missing = planning.Fill(c, o, func(slot string) (any, bool) {
			held, err := v.Held(builtin.UserSubject(r.request.Caller), slot)
			if failed = cmp.Or(failed, err); len(held) != 1 {
				return nil, false
			}
			return held[0].Object, true
		})
		return failed
	})
	return inputs, missing, err
}

// inputsOf resolves the inputs of a tool, and names those that this very obligation lacks: with asked, which is the
// obligation without answers, it lacks what was asked for, until each has its answer.
func (r *run) inputsOf(ctx context.Context, o, asked planning.Obligation,
	c *planning.Contract) (inputs map[string]any, missing []string, err error) {
	inputs, missing, err = r.fillInputs(ctx, o, c)
	if known, is := r.stateTools[c.Implementation.Name]; is && c.Implementation.Means == planning.Builtin &&
		known.Missing != nil {
		missing = append(missing, slices.DeleteFunc(known.Missing(asked), func(member string) bool {
			_, given := o.Payload[member]
			return given
		})...)
	}
	return inputs, missing, err
}
