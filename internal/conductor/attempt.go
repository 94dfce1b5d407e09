package conductor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"orchestrator/internal/contract"
	"orchestrator/internal/fault"
	"orchestrator/internal/ir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
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

// consider runs a candidate, if nothing speaks against it: its inputs, what it depends on, the budgets, guardrails and conditions.
func (r *run) consider(ctx context.Context, t *Traced, c *planning.Contract, depth int) (attempt, error) {
	inputs, a, err := r.given(ctx, t.Obligation, c)
	if err != nil || !a.taken {
		return a, err
	}
	if a, err = r.needed(ctx, t, c, depth); err != nil || !a.taken {
		return a, err
	}
	if why := r.usedUp(c); why != "" {
		return attempt{reason: why, truncated: true}, nil
	}
	if a, err = r.allowed(ctx, t.Obligation, c, inputs); err != nil || !a.taken {
		return a, err
	}
	tool, _ := r.Tools.Tool(c.Name)
	return r.try(ctx, t, tool, inputs)
}

// given gives a candidate its inputs; it is taken where none is missing or wrong.
func (r *run) given(ctx context.Context, o planning.Obligation, c *planning.Contract) (map[string]any, attempt, error) {
	tool, _ := r.Tools.Tool(c.Name)
	inputs, missing, err := r.fill(ctx, o, c)
	switch {
	case err != nil:
		return nil, attempt{}, err
	case len(missing) > 0:
		return nil, attempt{reason: "nobody gives " + strings.Join(missing, ", "), missing: missing}, nil
	}
	for _, in := range c.Consumes {
		if value, given := inputs[in.Name]; given {
			if err := tool.CheckInput(in.Name, value); err != nil {
				return nil, attempt{reason: in.Name + ": " + textOfError(err)}, nil
			}
		}
	}
	return inputs, attempt{taken: true}, nil
}

// allowed looks at the caller's role, the guardrails and the preconditions; the candidate is taken where nothing speaks against it.
func (r *run) allowed(ctx context.Context, o planning.Obligation, c *planning.Contract, inputs map[string]any) (attempt, error) {
	outside := c.Implementation.Means != planning.Builtin // those of the box look at roles themselves
	if r.request.Caller.Role == viewer && outside && o.Type != planning.Report && o.Type != planning.Verify {
		return attempt{reason: "a viewer changes nothing: ask with a token of another role"}, nil
	}
	tool, _ := r.Tools.Tool(c.Name)
	facts, err := r.facts(ctx, tool.Names, o, inputs)
	if err != nil {
		return attempt{}, err
	}
	if why := r.broken(facts); why != "" {
		return attempt{reason: why, guardrail: true}, nil
	}
	if not := failing(tool.Preconditions(facts)); not != "" {
		return attempt{reason: "the precondition " + not}, nil
	}
	return attempt{taken: true}, nil
}

// viewer is the role that only reads.
const viewer = "viewer"

// usedUp is the budget that a run of a tool would exceed; "" where none.
func (r *run) usedUp(c *planning.Contract) string {
	b := r.request.Request.Budgets
	switch {
	case r.left <= 0:
		return "max_tool_runs is used up"
	case b.MaxCost > 0 && r.spent+c.Cost.Weight() > b.MaxCost:
		return fmt.Sprintf("it weighs %g, and of max_cost %g are left", c.Cost.Weight(), b.MaxCost-r.spent)
	case !r.Clock().Before(r.until):
		return "time_ms is used up"
	case r.size > mostResults:
		return fmt.Sprintf("the results have more than %d MiB", mostResults>>20)
	}
	return ""
}

// mostResults is the most bytes of results from which a run gets no further ones: a trace has each, and each answer once more.
const mostResults = 8 << 20

// needed runs what a tool depends on; it is taken where all of that did.
func (r *run) needed(ctx context.Context, t *Traced, c *planning.Contract, depth int) (attempt, error) {
	most := r.request.Request.Budgets.MaxDepth
	if most == 0 {
		most = defaultDepth
	}
	if depth > most {
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

// fill gives the inputs their values; what the payload lacks is taken from what is known of the caller.
func (r *run) fill(ctx context.Context, o planning.Obligation, c *planning.Contract) (inputs map[string]any, missing []string, err error) {
	err = r.view(ctx, func(v ir.View) error {
		var failed error
		inputs, missing = planning.Fill(c, o, func(slot string) (any, bool) {
			held, err := v.Held(r.user(), slot)
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

// user is what assertions on the caller are about.
func (r *run) user() string { return ofUser + r.request.Caller.Name }

// ofUser begins the subjects of assertions on callers.
const ofUser = "user:"

// failing is the first condition that does not hold; "" where all do.
func failing(all []contract.Verdict) string {
	for _, v := range all {
		if !v.Holds {
			return strings.TrimSuffix(v.Condition+" does not hold: "+v.Why, ": ")
		}
	}
	return ""
}

// try runs the tool, and holds its result against the contract.
func (r *run) try(ctx context.Context, t *Traced, tool *contract.Tool, inputs map[string]any) (attempt, error) {
	c := tool.Contract()
	r.left--
	r.spent += c.Cost.Weight()
	done, err := r.once(ctx, t, c, inputs)
	if err != nil {
		return attempt{}, err
	}
	shown := Run{ID: done.ID, Tool: c.Name, Inputs: inputs, Result: done.Result, Status: done.Status, Error: done.Error, DurationMS: done.DurationMS, Postconditions: []contract.Verdict{}}
	defer func() { t.Runs = append(t.Runs, shown) }()
	if done.Status != ir.RunDone {
		return attempt{taken: true, reason: "it failed: " + done.Error.Detail, truncated: !r.Clock().Before(r.until)}, nil
	}
	if err := tool.CheckResult(done.Result); err != nil {
		shown.Status, shown.Error = runRefused, failureOf(err)
		return attempt{taken: true, reason: "its result is not what it produces: " + textOfError(err)}, nil
	}
	facts, err := r.facts(ctx, tool.Names, t.Obligation, inputs)
	if err != nil {
		return attempt{}, err
	}
	shown.Postconditions = append(shown.Postconditions, tool.Postconditions(facts, done.Result)...)
	if not := failing(shown.Postconditions); not != "" {
		shown.Status = runRefused
		return attempt{taken: true, reason: "the postcondition " + not + problemsIn(done.Result)}, nil
	}
	return attempt{taken: true, reason: "the first that did", result: done.Result}, nil
}

// once runs a tool, unless the ledger has what became of this very run: then that counts.
func (r *run) once(ctx context.Context, t *Traced, c planning.Contract, inputs map[string]any) (ir.ToolRun, error) {
	done := ir.ToolRun{ID: fmt.Sprintf("%s/%d", t.ID, len(t.Runs)+1), Tool: c.Name, Version: c.Version, Inputs: inputs, Status: ir.RunStarted}
	var before ir.ToolRun
	var found bool
	err := r.ir.View(ctx, func(v ir.View) (err error) {
		before, found, err = v.ToolRun(r.request.ID, done.ID)
		return err
	})
	switch {
	case err != nil:
		return done, err
	case found && (before.Tool != done.Tool || before.Version != done.Version || !ir.Equal(before.Inputs, done.Inputs)):
		before.Status, before.Error = ir.RunFailed, &ir.Failure{Code: "tools_changed", Fix: "send the obligation again",
			Detail: "when the run was cut off it was at " + before.Tool + " " + before.Version + " here: the tools, or what is known, have changed since"}
		return before, nil
	case found && before.Status != ir.RunStarted:
		return before, nil
	case found && !c.Idempotent:
		done.Error = &ir.Failure{Code: "outcome_unknown", Detail: "the service ended while it ran, and it may not run twice", Fix: "see what it did, and send the obligation again"}
		return r.ended(ctx, t, c, done, nil)
	case !found && lasting(c, t.Obligation): // it has to be known that it began, whatever becomes of the service
		r.later(func(w *ir.Writer) error { return w.ToolRun(done) })
		if err := r.step(ctx, "tool started"); err != nil {
			return done, err
		}
	}
	begun := r.Clock()
	bounded, stop := context.WithTimeout(ctx, r.until.Sub(begun))
	defer stop()
	result, effects, err := r.means(bounded, c, t.Obligation, inputs, done.ID)
	if err != nil && r.ending.Err() != nil {
		return done, r.ending.Err() // the service ends: the run is gone on with when it is back
	}
	if !r.Deterministic {
		done.DurationMS = float64(r.Clock().Sub(begun).Microseconds()) / 1000
	}
	done.Result = result
	if err == nil {
		err = r.grow(result)
	}
	if err != nil {
		done.Result, done.Error = nil, failureOf(err)
	}
	return r.ended(ctx, t, c, done, effects)
}

// grow counts a result. One that cannot be kept is none.
func (r *run) grow(result map[string]any) error {
	raw, err := ledger.Encode(result)
	if err != nil {
		return fault.New(fault.Invalid, "tool_answer", "what the tool answered cannot be kept").WithFix("have it answer with less, and less deep").Because(err)
	}
	r.size += len(raw)
	return nil
}

// ended records a run, at once where it lasts.
func (r *run) ended(ctx context.Context, t *Traced, tool planning.Contract, done ir.ToolRun, effects []effect) (ir.ToolRun, error) {
	done.Status = ir.RunDone
	kind := "tool.succeeded"
	if done.Error != nil {
		done.Status, kind = ir.RunFailed, "tool.failed"
	}
	r.later(func(w *ir.Writer) error { return r.putRun(w, t, done, kind, effects) })
	r.known = r.known || len(effects) > 0
	if !lasting(tool, t.Obligation) {
		return done, nil
	}
	return done, r.step(ctx, "tool ended")
}

// lasting tells whether a run does something that lasts outside of the IR: then it is recorded before and after.
func lasting(c planning.Contract, o planning.Obligation) bool {
	return c.Implementation.Means != planning.Builtin || o.Type == planning.Achieve || !c.Idempotent
}

// putRun puts a run with its source, its event, an assertion of its result, and what it asserts itself.
func (r *run) putRun(w *ir.Writer, t *Traced, done ir.ToolRun, kind string, effects []effect) error {
	id := r.request.ID + "/" + done.ID
	source, err := w.Source(ir.Source{ID: id, Kind: "tool", Name: done.Tool})
	if err != nil {
		return err
	}
	if err := w.Event(ir.Event{ID: done.ID, Kind: kind, What: done.Tool + " for " + t.Obligation.String()}); err != nil {
		return err
	}
	if done.Result != nil {
		if err := w.Assert(ir.Assertion{ID: id, Subject: ir.OfRun + r.request.ID, Predicate: t.ID, Object: done.Result, Confidence: 1, Source: source}, true); err != nil {
			return err
		}
	}
	for i, e := range effects {
		a := ir.Assertion{ID: fmt.Sprintf("%s/%d", id, i+1), Subject: e.Subject, Predicate: e.Predicate, Object: e.Object, Confidence: 1, Source: source}
		if err := w.Assert(a, e.Single); err != nil {
			return err
		}
	}
	return w.ToolRun(done)
}

// failureOf is an error as a trace has it, without what looks like a secret.
func failureOf(err error) *ir.Failure {
	if f, is := errors.AsType[*fault.Error](err); is {
		f = secret.Masked(f)
		return &ir.Failure{Code: f.Code, Detail: f.Detail, Fix: f.Fix}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &ir.Failure{Code: "tool_timeout", Detail: "it did not end in time", Fix: "give the request more time_ms, or the contract a longer timeout_ms"}
	}
	return &ir.Failure{Code: "tool_failed", Detail: secret.Mask(err.Error())}
}

func textOfError(err error) string { return failureOf(err).Detail }
