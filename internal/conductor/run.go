package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
)

// The budgets of a run that names none.
const (
	defaultToolRuns = 100
	defaultDepth    = 8
	defaultTime     = 10 * time.Minute
)

// run is one request on its way.
type run struct {
	*Conductor
	request      state.Request
	guardrails   []guardrail
	runsLeft     int       // runs of tools
	costSpent    float64   // what they weighed
	resultBytes  int       // bytes of results
	deadline     time.Time // the end of the time
	trace        Trace
	rephrase     Rephrase
	onWait       func()                        // is called before it waits for what is outside of the process
	ephemeral    bool                          // it leaves nothing behind
	resumed      bool                          // it goes on from what is recorded of it
	pending      []func(w *state.Writer) error // what the next step writes
	factsPending bool                          // among it is what others may ask for
}

// guardrail is a condition that is looked at before every run of a tool.
type guardrail struct {
	traced    *ObligationTrace
	condition *contract.Condition
}

// Limit is how long a run may take.
func Limit(b planning.Budgets) time.Duration {
	if b.TimeMS == 0 {
		return defaultTime
	}
	return time.Duration(b.TimeMS) * time.Millisecond
}

// newRun makes the run of a request.
func (c *Conductor) newRun(request state.Request) *run {
	b := request.Request.Budgets
	r := &run{Conductor: c, request: request, onWait: func() {}, runsLeft: b.MaxToolRuns, trace: Trace{
		ID: request.ID, Caller: request.Caller, Tools: c.Tools.Digest(), Obligations: make([]ObligationTrace,
			len(request.Request.Obligations)), Answers: []Answer{},
	}}
	if r.runsLeft == 0 {
		r.runsLeft = defaultToolRuns
	}
	r.deadline = c.Clock().Add(Limit(b))
	return r
}

// run runs a request from its beginning, or goes on with what is recorded of it.
func (r *run) run(ctx context.Context) (Trace, error) {
	if err := r.obligations(ctx); err != nil {
		return Trace{}, err
	}
	if err := r.verify(ctx); err != nil {
		return Trace{}, err
	}
	if r.rephrase != nil {
		r.onWait()
		r.rephraseAnswers(ctx)
	}
	return r.trace, r.finish(ctx)
}

// enqueue has something written with the next step, unless the run forgets: what changes nothing outside of the IR need
// not be there before it happens.
func (r *run) enqueue(write func(w *state.Writer) error) {
	if !r.ephemeral {
		r.pending = append(r.pending, write)
	}
}

// flush writes what is pending, as one record.
func (r *run) flush(ctx context.Context, name string) error {
	if len(r.pending) == 0 {
		return nil
	}
	err := r.state.Step(ctx, r.request.ID, name, r.request.Caller, func(w *state.Writer) error {
		for _, write := range r.pending {
			if err := write(w); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
		r.pending, r.factsPending = nil, false
	case errors.Is(err, state.ErrKeyTaken): // by a request that was sent at the same time
		return errUnderWay("another run")
	}
	return err
}

// view reads what is known, with what this run has asserted.
func (r *run) view(ctx context.Context, read func(v state.View) error) error {
	if r.factsPending {
		if err := r.flush(ctx, "known"); err != nil {
			return err
		}
	}
	return r.state.View(ctx, read)
}

// obligations runs the plan loop for each.
func (r *run) obligations(ctx context.Context) error {
	all := r.request.Request.Obligations
	for i, o := range all {
		r.trace.Obligations[i] = ObligationTrace{ID: obligationID(i), Obligation: o, Status: planning.Active,
			Candidates: []Candidate{}, Runs: []Run{}, Emitted: []Emitted{}}
	}
	guardrails, rest := planning.Guardrails(all)
	for _, i := range guardrails {
		if err := r.guard(ctx, &r.trace.Obligations[i]); err != nil {
			return err
		}
	}
	why := r.priorViolation()
	for _, i := range rest {
		t := &r.trace.Obligations[i]
		switch {
		case why != "":
			t.end(planning.Failed, planning.OutGuardrail, why)
			continue
		case verifiesAnswers(t.Obligation) && len(r.choice.Candidates(t.Obligation)) == 0:
			continue // the verification of the answers resolves it
		}
		if err := r.satisfy(ctx, t); err != nil {
			return err
		}
	}
	for _, i := range guardrails {
		if t := &r.trace.Obligations[i]; t.Status == planning.Active {
			t.end(planning.Resolved, planning.OutResolved, "")
		}
	}
	return nil
}

// verifiesAnswers tells whether an obligation is to verify the answers of its own request.
func verifiesAnswers(o planning.Obligation) bool {
	return o.Type == planning.Verify && (o.Kind() == "" || o.Kind() == "answers")
}

func conditionOf(o planning.Obligation) (*contract.Condition, error) {
	text, _ := o.Payload["condition"].(string)
	return contract.CompileCondition(text)
}

// guard keeps a guardrail for the runs to come, and looks at it at once, unless it is about what a tool is given.
func (r *run) guard(ctx context.Context, t *ObligationTrace) error {
	condition, err := conditionOf(t.Obligation)
	if err != nil {
		return err
	}
	g := guardrail{t, condition}
	r.guardrails = append(r.guardrails, g)
	// what the run itself has done may be why it does not hold now
	if condition.Names("input", "payload") || r.resumed {
		return nil
	}
	facts, err := r.facts(ctx, condition.Names, t.Obligation, nil)
	if err == nil {
		g.violation(facts)
	}
	return err
}

// priorViolation is why a guardrail that was looked at does not hold; "" where all do.
func (r *run) priorViolation() string {
	for _, g := range r.guardrails {
		if g.traced.Outcome == planning.OutGuardrail {
			return g.traced.Why
		}
	}
	return ""
}

// violation is the guardrail that does not hold for a run; "" where all do.
func (r *run) violation(facts contract.Facts) string {
	for _, g := range r.guardrails {
		if why := g.violation(facts); why != "" {
			return why
		}
	}
	return ""
}

// violation says why the guardrail does not hold; "" where it does. One that cannot be told does not.
func (g guardrail) violation(facts contract.Facts) string {
	verdict := g.condition.Holds(facts)
	if verdict.Decided() && verdict.Holds == (g.traced.Obligation.Type == planning.Maintain) {
		return ""
	}
	why := fmt.Sprintf("%s %s: ", g.traced.Obligation.Type, verdict.Condition)
	switch {
	case !verdict.Decided():
		why += "it cannot be evaluated: " + verdict.Why
	case verdict.Holds:
		why += "it holds"
	default:
		why += "it does not hold"
	}
	g.traced.end(planning.Failed, planning.OutGuardrail, why)
	return why
}

// satisfy is the plan loop of one obligation.
func (r *run) satisfy(ctx context.Context, t *ObligationTrace) error {
	candidates := r.choice.Candidates(t.Obligation)
	switch {
	case len(candidates) == 0 && t.Obligation.Type == planning.Clarify:
		awaitAnswer(t)
		return nil
	case len(candidates) == 0:
		r.noTool(t)
		return nil
	}
	var missing []string
	for _, c := range candidates {
		if t.Status == planning.Resolved {
			t.Candidates = append(t.Candidates, Candidate{c.Name, false, "already resolved by another tool"})
			continue
		}
		o, err := r.consider(ctx, t, c, 0)
		if err != nil {
			return err
		}
		t.Candidates = append(t.Candidates, Candidate{c.Name, o.ran, o.reason})
		if missing == nil {
			missing = o.missing
		}
		switch {
		case o.ends != "":
			t.end(planning.Failed, o.ends, o.reason)
			return nil
		case o.result != nil:
			t.answered = o.result
			t.end(planning.Resolved, planning.OutResolved, "")
		}
	}
	switch {
	case t.Status == planning.Resolved:
	case len(t.Runs) == 0 && missing != nil:
		r.clarify(t, missing)
	default:
		t.justify("failure of " + t.Obligation.String())
		t.end(planning.Escalated, planning.OutFailed, r.reasons(t))
	}
	return nil
}

// reasons are why each candidate did not do.
func (r *run) reasons(t *ObligationTrace) string {
	var all []string
	for _, c := range t.Candidates {
		all = append(all, c.Tool+": "+c.Reason)
	}
	return strings.Join(all, "; ")
}

// noTool asks for a tool that nobody has registered.
func (r *run) noTool(t *ObligationTrace) {
	capability := t.Obligation.String()
	t.emit(planning.DiscoverOp, map[string]any{"capability": capability})
	t.end(planning.Escalated, planning.OutFailed, "no tool satisfies "+capability)
	r.trace.Missing = append(r.trace.Missing, capability)
}

// awaitAnswer is for a question that only who asks can answer.
func awaitAnswer(t *ObligationTrace) {
	question, _ := t.Obligation.Payload["question"].(string)
	if strings.TrimSpace(question) == "" {
		question = fmt.Sprintf("it needs %v", t.Obligation.Payload["slot"])
	}
	t.end(planning.Active, planning.OutClarify, question)
}

// clarify asks for what is missing; the obligation waits for it.
func (r *run) clarify(t *ObligationTrace, missing []string) {
	for _, slot := range missing {
		t.emit(planning.Clarify, map[string]any{"slot": slot, "question": "what is " + slot + "?",
			"for": t.Obligation.String()})
	}
	t.end(planning.Active, planning.OutClarify, "it needs "+strings.Join(missing, ", "))
}

// facts are what conditions are held against. What is known, and the state of the project, are read only where one
// names them.
func (r *run) facts(ctx context.Context, names func(...string) bool, o planning.Obligation,
	inputs map[string]any) (f contract.Facts, err error) {
	f = contract.Facts{Payload: o.Payload, Input: inputs,
		Caller: map[string]any{"name": r.request.Caller.Name, "role": r.request.Caller.Role}}
	named := func(variable string) bool {
		return names(variable) || slices.ContainsFunc(r.guardrails,
			func(g guardrail) bool { return g.condition.Names(variable) })
	}
	if named("state") && r.Project != nil {
		status, err := r.Project.Status(ctx)
		if err != nil {
			return f, err
		}
		f.State = status.values()
	}
	if !named("ir") {
		return f, nil
	}
	err = r.view(ctx, func(v state.View) error {
		known, err := v.Facts()
		f.Known = known
		return err
	})
	return f, err
}

// finish records how everything ended, and the trace.
func (r *run) finish(ctx context.Context) error {
	each := []planning.Outcome{}
	for _, t := range r.trace.Obligations {
		each = append(each, t.Outcome)
	}
	r.trace.Status = planning.OutcomeOf(each)
	raw, err := ledger.Encode(r.trace)
	if err != nil {
		return err
	}
	r.enqueue(func(w *state.Writer) error {
		for _, t := range r.trace.Obligations {
			if err := putObligation(w, t); err != nil {
				return err
			}
		}
		if err := w.Event(state.Event{ID: "end", Kind: "answered", What: string(r.trace.Status)}); err != nil {
			return err
		}
		return errors.Join(w.Trace(raw), w.Ended(r.request))
	})
	return r.flush(ctx, "ended")
}

func putObligation(w *state.Writer, t ObligationTrace) error {
	if err := w.Obligation(state.Obligation{ID: t.ID, Status: t.Status, Of: t.Obligation, Why: t.Why}); err != nil {
		return err
	}
	for _, e := range t.Emitted {
		if err := w.Obligation(state.Obligation{ID: e.ID, Status: e.Status, Of: e.Obligation}); err != nil {
			return err
		}
	}
	if t.Verified == nil {
		return nil
	}
	return w.Evidence(state.Evidence{ID: t.ID, By: t.Verified.By, Verified: t.Verified.Verified, Why: t.Verified.Why})
}
