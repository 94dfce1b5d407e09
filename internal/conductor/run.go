package conductor

import (
	"context"
	"errors"
	"slices"
	"time"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/checking"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/conductor/underway"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// run is the state of one request while it is conducted.
type run struct {
	*Conductor
	journal
	period     *underway.Period // in which it goes on
	guardrails []checking.Guardrail
	spent      budget.Spent
	reported   *usage.Usage // by the agent that ran last
	trace      Trace
	rephrase   Rephrase
	onWait     func()            // called before it waits for what is outside of the process
	resumed    bool              // continues from what is recorded of it
	lookedAt   int               // steps of plans, before they are run
	scopes     map[string]*scope // by the ids of the obligations in them
	taken      map[string]any    // results that others took, by the ids of their obligations
	known      state.Known       // by conditions
	spoken     bool              // its obligations were made of words by a language model
	earlier    *trace.Earlier    // what it had come to before an answer; nil if it is new
}

// Limit returns how long a run may take.
func Limit(b planning.Budgets) time.Duration { return budget.Limit(b) }

// newRun prepares the run of a request.
func (c *Conductor) newRun(request state.Request) *run {
	r := &run{
		Conductor: c, period: c.now.Load(), journal: journal{store: c.state, request: request}, onWait: func() {},
		spent: budget.Of(request.Request.Budgets, c.Clock()), scopes: map[string]*scope{}, taken: map[string]any{},
		trace: Trace{ID: request.ID, Caller: request.Caller, Tools: c.Tools.Digest(),
			Obligations: make([]ObligationTrace, len(request.Request.Obligations)), Answers: []Answer{}},
	}
	r.left = func() time.Duration { return r.spent.Left(c.Clock()) }
	return r
}

// goesOn reports whether some of the run was on record before: it was cut off, or waited for an answer.
func (r *run) goesOn() bool { return r.resumed || r.earlier != nil }

// run runs a request from its beginning, or goes on with what is recorded of it.
func (r *run) run(ctx context.Context) (Trace, error) {
	if err := r.obligations(ctx); err != nil {
		return Trace{}, err
	}
	if err := r.verify(ctx); err != nil {
		return Trace{}, err
	}
	r.trace.Tell()
	if r.rephrase != nil {
		r.onWait()
		r.trace.RephraseAnswers(ctx, r.rephrase)
	}
	err := r.finish(ctx)
	return r.trace, err
}

// obligations runs the plan loop for each.
func (r *run) obligations(ctx context.Context) error {
	all := r.request.Request.Obligations
	for i, o := range all {
		r.trace.Obligations[i] = newTrace(obligationID(i), o)
		r.takeUp(&r.trace.Obligations[i])
	}
	if r.earlier != nil {
		r.trace.Missing = r.earlier.Trace.Missing
	}
	whole := (&scope{run: r, list: r.trace.Obligations}).within()
	guardrails, _ := planning.Guardrails(all)
	for _, i := range guardrails {
		if err := r.guard(ctx, &r.trace.Obligations[i]); err != nil {
			return err
		}
	}
	why := r.priorViolation()
	for _, i := range flow.Order(all) {
		t := &r.trace.Obligations[i]
		switch {
		case t.Settled || slices.Contains(guardrails, i):
			continue
		case why != "":
			t.End(planning.Failed, planning.OutGuardrail, why)
			continue
		case flow.VerifiesAnswers(t.Obligation):
			continue // the verification of the answers resolves it
		}
		err := whole.conduct(ctx, t)
		if err == nil { // what comes after it must not make a claim come true
			_, err = whole.settle(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	for _, i := range guardrails {
		if t := &r.trace.Obligations[i]; t.Status == planning.Active {
			t.End(planning.Resolved, planning.OutResolved, "")
		}
	}
	return nil
}

// guard keeps a guardrail for the runs to come, and checks it at once, unless it is about the inputs of a tool.
func (r *run) guard(ctx context.Context, t *ObligationTrace) error {
	condition, err := checking.Condition(t.Obligation)
	if err != nil {
		return err
	}
	g := checking.Guardrail{Traced: t, Condition: condition}
	r.guardrails = append(r.guardrails, g)
	// what the run itself has done may be why it does not hold now
	if condition.Names("input", "payload") || r.goesOn() {
		return nil
	}
	facts, err := r.facts(ctx, condition.Names, t.Obligation, nil)
	if err == nil {
		g.Violation(facts)
	}
	return t.Truncated(err)
}

// priorViolation returns why a guardrail that was checked does not hold, or "".
func (r *run) priorViolation() string {
	for _, g := range r.guardrails {
		if !g.Traced.Settled && g.Traced.Outcome == planning.OutGuardrail {
			return g.Traced.Why
		}
	}
	return ""
}

// violation returns why a guardrail does not hold for a run, or "".
func (r *run) violation(facts contract.Facts) string {
	for _, g := range r.guardrails {
		if why := g.Violation(facts); why != "" {
			return why
		}
	}
	return ""
}

// satisfy runs the candidates of one obligation, in order, until one succeeds.
func (r *run) satisfy(ctx context.Context, t *ObligationTrace) error {
	candidates := r.choice.Candidates(t.Obligation)
	switch {
	case len(candidates) == 0 && t.Obligation.Type == planning.Clarify:
		t.AwaitAnswer()
		return nil
	case len(candidates) == 0:
		noTool(r, t)
		return nil
	}
	for _, c := range candidates {
		t.MostSteps += len(c.Implementation.Steps)
	}
	var missing []string
	for _, c := range candidates {
		if t.Status == planning.Resolved {
			t.Considered(c.Name, false, "already resolved by another tool")
			continue
		}
		if i := slices.IndexFunc(t.Failed, func(f Candidate) bool { return f.Tool == c.Name }); i >= 0 {
			t.Candidates = append(t.Candidates, t.Failed[i])
			continue
		}
		o, err := r.consider(ctx, t, c)
		if err != nil {
			return err
		}
		t.Considered(c.Name, o.ran, o.reason)
		if missing == nil {
			missing = o.missing
		}
		switch {
		case o.ends != "":
			t.End(trace.StatusOf(o.ends), o.ends, o.reason)
			return nil
		case o.result != nil:
			t.SetResult(o.result)
			t.Refusal = nil
			t.End(planning.Resolved, planning.OutResolved, "")
		}
	}
	switch {
	case t.Status == planning.Resolved:
	// what an agent could not do is no question for who wants it done
	case missing != nil && (len(t.Runs) == 0 || !changesRequirement(t.Obligation)):
		ask(r, t, missing)
	default:
		t.Justify("failure of " + t.Obligation.String())
		t.End(planning.Escalated, planning.OutFailed, t.Reasons())
	}
	return nil
}

// noTool emits an obligation to find a tool, since no registered one satisfies this.
func noTool(r *run, t *ObligationTrace) {
	capability := t.Obligation.String()
	t.Discover()
	t.End(planning.Escalated, planning.OutFailed, "no tool satisfies "+capability)
	r.trace.Missing = append(r.trace.Missing, capability)
}

// facts returns what conditions are evaluated on. What is known, and the state of the project, are read only if a
// condition names them.
func (r *run) facts(ctx context.Context, names func(...string) bool, o planning.Obligation,
	inputs map[string]any) (f contract.Facts, err error) {
	f = contract.Facts{Payload: o.Payload, Input: inputs,
		Caller: map[string]any{"name": r.request.Caller.Name, "role": r.request.Caller.Role}}
	named := func(variable string) bool {
		return names(variable) || slices.ContainsFunc(r.guardrails,
			func(g checking.Guardrail) bool { return g.Condition.Names(variable) })
	}
	if named("state") && r.Project != nil {
		status, err := r.Project.Status(ctx)
		if err != nil {
			return f, err
		}
		f.State = status.Values()
	}
	if !named("ir") {
		return f, nil
	}
	err = r.view(ctx, func(v state.View) (err error) {
		f.Known, err = r.known.In(v)
		return err
	})
	return f, err
}

// finish records how everything ended, and the trace.
func (r *run) finish(ctx context.Context) error {
	for t := range r.trace.Each() {
		if t.Asked != nil {
			t.Obligation = *t.Asked // the inputs of its runs have the values, and the answers
		}
		t.CloseQuestions()
	}
	r.trace.Conclude()
	switch {
	case r.ephemeral:
		r.trace.Unanswerable(viewersQuestion)
	case r.spoken:
		r.trace.Unanswerable(spokenQuestion)
	}
	r.enqueue(func(w *state.Writer) error {
		if err := r.trace.Write(w); err != nil {
			return err
		}
		if err := w.Event(state.Event{ID: "end", Kind: "answered", What: string(r.trace.Status)}); err != nil {
			return err
		}
		return errors.Join(r.trace.PutQuestions(w, questions.Wait(r.request.Request)), w.Ended(r.request))
	})
	return r.flush(ctx, "ended")
}
