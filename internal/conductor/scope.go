package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// scope is a list of obligations that refer to one another by name: those of a request, or the steps of a plan.
type scope struct {
	*run
	list   []ObligationTrace
	names  map[string]int    // places in the list, by each name
	input  map[string]any    // what the plan of a contract was given
	beyond *scope            // where the plan stands; nil for a request
	given  []questions.Given // the answers to the questions of the plan
	depth  int               // obligations that the list came of
}

// within makes a list the scope of each obligation of it.
func (s *scope) within() *scope {
	s.names = make(map[string]int, len(s.list))
	for i := range s.list {
		s.scopes[s.list[i].ID] = s
		s.names[flow.Place(i)] = i
		if name := s.list[i].Obligation.Name; name != "" {
			s.names[name] = i
		}
	}
	return s
}

// conduct satisfies an obligation, once the values that it takes are there.
//
// Implements: ORC-253
func (s *scope) conduct(ctx context.Context, t *ObligationTrace) error {
	if lacks, err := s.lacksSource(ctx, t); err != nil || lacks {
		return err
	}
	asked := t.Obligation
	resolved, err := flow.Resolve(asked, flow.Values{Of: s.result, Take: func(bytes int) error {
		return errors.Join(ctx.Err(), s.spent.Take(bytes, s.Clock()))
	}})
	if err == nil && len(t.Takes) > 0 {
		err = contract.CheckResolved(resolved)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		if err = t.Truncated(err); err != nil {
			t.End(planning.Failed, planning.OutFailed, errorText(err))
		}
		return nil
	}
	s.takeAnswers(t, resolved)
	t.Asked, t.Obligation = &asked, questions.Effective(resolved, t.Given)
	if steps := flow.Steps(resolved); steps != nil {
		return t.Truncated(s.satisfyBySteps(ctx, t, steps))
	}
	return t.Truncated(s.satisfy(ctx, t))
}

// lacksSource ends an obligation, and returns true, if one that it takes a value from has none to give. Otherwise it
// records what is taken.
func (s *scope) lacksSource(ctx context.Context, t *ObligationTrace) (lacks bool, err error) {
	known := map[Taken]bool{}
	for _, ref := range flow.Needs(t.Obligation) {
		source := s.named(ref.Name)
		if source == nil {
			continue // an input of the contract
		}
		taken := Taken{To: ref.At, From: ref.String(), Obligation: source.ID}
		if known[taken] {
			continue
		}
		known[taken], t.Takes = true, append(t.Takes, taken)
		doubt, err := s.settle(ctx, source)
		switch {
		case err != nil:
			return false, err
		case source.Status == planning.Active:
			t.End(planning.Active, planning.OutClarify, "it waits for "+source.ID)
		case doubt != "":
			t.End(planning.Failed, planning.OutFailed,
				source.ID+", whose result it takes, was not confirmed: "+doubt)
		case source.Result() == nil:
			t.End(planning.Failed, planning.OutFailed,
				fmt.Sprintf("%s, whose result it takes, ended as %s: %s", source.ID, source.Outcome, source.Why))
		default:
			continue
		}
		t.Takes = t.Takes[:len(t.Takes)-1]
		return true, nil
	}
	return false, nil
}

// satisfyBySteps brings about an obligation whose payload has the steps.
func (s *scope) satisfyBySteps(ctx context.Context, t *ObligationTrace, steps []planning.Obligation) error {
	t.MostSteps = len(steps)
	o, err := s.bring(ctx, t, steps, nil)
	switch {
	case err != nil:
		return err
	case o.result != nil:
		t.SetResult(o.result)
		t.End(planning.Resolved, planning.OutResolved, "")
	case o.missing != nil:
		ask(s.run, t, o.missing)
	case o.ends != "":
		t.End(trace.StatusOf(o.ends), o.ends, o.reason)
	default:
		t.End(planning.Failed, planning.OutFailed, o.reason)
	}
	return nil
}

// satisfyByPlan runs the plan of a contract. It is a run of the tool like any other, made of those of its steps.
func (s *scope) satisfyByPlan(ctx context.Context, t *ObligationTrace, tool *contract.Tool,
	inputs map[string]any) (outcome, error) {
	c := tool.Contract()
	done := state.ToolRun{ID: toolRunID(t), Inputs: inputs}.Begin(c, t.Obligation)
	s.enqueue(func(w *state.Writer) error { return w.ToolRun(done) })
	o, err := s.bring(ctx, t, c.Implementation.Steps, inputs)
	if err != nil || !o.ran || o.ends == planning.OutClarify {
		return o, err
	}
	done.Status, done.Result = state.RunDone, o.result
	if o.result == nil {
		done.Status, done.Error = state.RunFailed, &state.Failure{Code: "step_failed", Detail: o.reason}
	}
	shown := Run{ID: done.ID, Tool: c.Name, Inputs: inputs, Result: o.result, Status: done.Status, Error: done.Error,
		Postconditions: []contract.Verdict{}}
	if o.result != nil {
		why, err := s.checkResult(ctx, t.Obligation, tool, &shown)
		if err == nil && why == "" {
			why, err = s.met(ctx, t, c, &shown)
		}
		if err != nil {
			return outcome{}, err
		}
		if why != "" {
			o.result, o.reason = nil, why
		}
	}
	done.Status, done.Error = shown.Status, shown.Error
	s.enqueue(func(w *state.Writer) error { return w.ToolRun(done) })
	t.Runs = append(t.Runs, shown)
	return o, nil
}

// settle has a result evaluated a second time before another obligation takes it, and returns why it is doubted, or "".
func (s *scope) settle(ctx context.Context, source *ObligationTrace) (doubt string, err error) {
	if answered := source.Answer; answered != nil { // it has been evaluated
		if answered.Uncertain {
			doubt = source.Verified.Why
		}
		return doubt, nil
	}
	if !source.Obligation.Type.Answers() || source.Result() == nil || !source.Status.Resolved() {
		return "", nil
	}
	if v := source.Verified; v != nil { // of a trace that was read back
		if !v.Verified && v.By != trace.ByNothing {
			doubt = v.Why
		}
		return doubt, nil
	}
	confirmed, err := s.verifier().confirm(ctx, source)
	if err == nil && !confirmed {
		doubt = source.Verified.Why
	}
	return doubt, err
}

// named returns the obligation of a name, which stands in this list or in one around it; nil if there is none.
func (s *scope) named(name string) *ObligationTrace {
	for ; s != nil; s = s.beyond {
		if s.input != nil && name == flow.Input {
			return nil
		}
		if i, is := s.names[name]; is {
			return &s.list[i]
		}
	}
	return nil
}

// result returns what the obligation of a name resulted in, or what the plan was given, as JSON is read. A result does
// not change once it is taken, and is read once.
func (s *scope) result(name string) any {
	given, of := any(s.input), ""
	if source := s.named(name); source != nil {
		given, of = source.Result(), source.ID
	}
	if value, is := s.taken[of]; is {
		return value
	}
	value, err := state.Plain[any](given)
	if err != nil {
		return nil // a result that was recorded can be written and read
	}
	if of != "" {
		s.taken[of] = value
	}
	return value
}

// bring brings an obligation about by the steps of a plan, in the order that follows from what they take. The first
// that is not resolved stops those after it. Nothing is run before all inputs are there that the steps need from
// outside.
//
// Implements: ORC-254, ORC-255
func (s *scope) bring(ctx context.Context, t *ObligationTrace, steps []planning.Obligation,
	input map[string]any) (outcome, error) {
	if s.depth >= budget.Depth(s.request.Request.Budgets) {
		return notRun(ended(planning.OutTruncated, depthExhausted)), nil
	}
	missing, err := s.lackedBySteps(ctx, steps, s.depth)
	if missing = s.unanswered(t, missing); err != nil || len(missing) > 0 {
		return notRun(lacks(missing)), err
	}
	below := s.below(t, steps, input)
	for _, i := range flow.Order(steps) {
		one := &below.list[i]
		if !one.Settled {
			err = below.conduct(ctx, one)
		}
		if err == nil {
			_, err = below.settle(ctx, one)
		}
		if err != nil {
			return outcome{}, err
		}
		if !one.Status.Resolved() {
			below.stop(one)
			return outcome{ran: true, reason: one.ID + ": " + one.Why, ends: endOf(one.Outcome)}, nil
		}
	}
	return outcome{ran: true, reason: "succeeded", result: trace.Results(below.list)}, nil
}

// endOf returns what ends with a step: if it failed, another tool may be tried.
func endOf(step planning.Outcome) planning.Outcome {
	if step == planning.OutFailed {
		return ""
	}
	return step
}

// below makes the scope of the steps of an obligation.
func (s *scope) below(t *ObligationTrace, steps []planning.Obligation, input map[string]any) *scope {
	first := len(t.Steps)
	for _, step := range steps {
		one := newTrace(t.StepID(), step)
		s.takeUp(&one)
		t.Steps = append(t.Steps, one)
	}
	return (&scope{run: s.run, list: t.Steps[first:], input: input, beyond: s, depth: s.depth + 1,
		given: t.Given}).within()
}

// stop ends the steps that have not had their turn when one was not resolved.
func (s *scope) stop(at *ObligationTrace) {
	for i := range s.list {
		one := &s.list[i]
		switch {
		case one.Outcome != "":
		case at.Status == planning.Active:
			one.End(planning.Active, planning.OutClarify, "it waits for "+at.ID)
		default:
			one.End(planning.Failed, planning.OutFailed, at.ID+" before it is "+string(at.Outcome))
		}
	}
}

// lackedBySteps returns the inputs that steps lack, in their order and each once.
func (s *scope) lackedBySteps(ctx context.Context, steps []planning.Obligation, depth int) (all []string, err error) {
	var told []string // slots of the caller that an earlier step makes known
	for _, i := range flow.Order(steps) {
		missing, err := s.lacked(ctx, steps[i], depth+1)
		if err != nil {
			return nil, err
		}
		for _, slot := range missing {
			if !slices.Contains(told, slot) && !slices.Contains(all, slot) {
				all = append(all, slot)
			}
		}
		if slot, is := strings.CutPrefix(steps[i].Kind(), planning.AboutCaller); is && steps[i].Type == planning.Achieve {
			told = append(told, slot)
		}
	}
	return all, nil
}

// lacked returns the inputs that an obligation lacks, whichever tool is taken: those of the first. Plans deeper than
// may be run are not looked at.
func (s *scope) lacked(ctx context.Context, o planning.Obligation, depth int) (missing []string, err error) {
	if s.lookedAt++; s.lookedAt > maxLookedAt || depth > budget.Depth(s.request.Request.Budgets) {
		return nil, nil
	}
	if steps := flow.Steps(o); steps != nil {
		return s.lackedBySteps(ctx, steps, depth)
	}
	for n, c := range s.choice.Candidates(o) {
		_, lacks, err := s.inputsOf(ctx, o, o, c)
		if err == nil && len(lacks) == 0 {
			lacks, err = s.lackedBySteps(ctx, c.Implementation.Steps, depth)
		}
		if err != nil || len(lacks) == 0 {
			return nil, err
		}
		if n == 0 {
			missing = lacks
		}
	}
	return missing, nil
}

// maxLookedAt bounds how many steps are looked at before a run, and shown of what would be run.
const maxLookedAt = 10_000
