package conductor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/conductor/provenance"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
	"orchestrator/internal/strictjson"
)

// verifier evaluates what the tools of a run say.
type verifier struct {
	*run
	all bool // a VERIFY asks for every answer
}

func (r *run) verifier() verifier {
	return verifier{r, slices.ContainsFunc(r.request.Request.Obligations, flow.VerifiesAnswers)}
}

// The ways of evaluation.
const (
	byAgain   = "again"       // a built-in tool works it out
	byFacts   = trace.ByFacts // it is held against what sources state
	byNothing = trace.ByNothing
)

// finding is the outcome of the evaluation of one answer.
type finding struct {
	Verification
	Kept  map[string]any `json:"kept,omitempty"`  // what may be answered of it
	Gives bool           `json:"gives,omitempty"` // it is answered although nothing confirms it
	Late  bool           `json:"late,omitempty"`  // there was no time to find it
}

// verify evaluates every answer a second time, before any is given. What is not confirmed is not answered, unless the
// contract says that it is given as uncertain; what a VERIFY asked for is resolved by this.
func (r *run) verify(ctx context.Context) error {
	v := r.verifier()
	sound, waits, reports := true, false, 0
	for t := range r.trace.Each() {
		if !t.Obligation.Type.Answers() {
			continue
		}
		reports++
		waits = waits || t.Outcome == planning.OutClarify
		if t.Settled {
			sound = r.earlier.Answer(&r.trace, t.ID) && sound
			continue
		}
		if t.Result() == nil {
			sound = false
			continue
		}
		confirmed, err := v.confirm(ctx, t)
		if err != nil {
			return err
		}
		sound = sound && confirmed
		r.trace.Answers = append(r.trace.Answers, *t.Answer)
	}
	for i := range r.trace.Obligations {
		t := &r.trace.Obligations[i]
		switch {
		case !flow.VerifiesAnswers(t.Obligation) || t.Status != planning.Active || t.Outcome != "":
		case sound && reports > 0:
			t.End(planning.Resolved, planning.OutResolved, "")
		case waits && !r.ephemeral && !r.spoken:
			t.End(planning.Active, planning.OutClarify, "an answer is still to come")
		default:
			why := "an answer of this request is missing, or was not confirmed"
			if reports == 0 {
				why = "this request asks for no answer that could be checked: ask in the same one, as in 'what is 2+2; check the answers'"
			}
			t.End(planning.Failed, planning.OutFailed, why)
		}
	}
	return nil
}

// confirm checks one answer, once, and makes its text, or says that it is uncertain.
func (v verifier) confirm(ctx context.Context, t *ObligationTrace) (bool, error) {
	if t.Answer != nil {
		return !t.Answer.Uncertain, nil
	}
	f, err := v.find(ctx, t)
	if err != nil {
		return false, err
	}
	t.Verified = &f.Verification
	if f.Verified || f.By == byNothing {
		t.SetResult(f.Kept)
		t.Answer = &Answer{Obligation: t.ID, Result: f.Kept, Text: language.Out(t.Obligation, f.Kept)}
		if !f.Verified {
			t.Answer.Text = language.Unverified(t.Answer.Text)
		}
		return true, nil
	}
	answer := Answer{Obligation: t.ID, Text: language.Uncertain(t.Obligation, f.Why), Uncertain: true}
	if f.Gives {
		answer.Result = t.Result()
	} else {
		outcome := planning.OutFailed
		if f.Late {
			outcome = planning.OutTruncated
		}
		t.End(planning.Failed, outcome, "the answer was not confirmed: "+f.Why)
	}
	t.Doubt(t.Runs[len(t.Runs)-1].ID)
	t.Answer = &answer
	return false, nil
}

// find returns what was found of an answer before the run was cut off, or evaluates it: an act that came after it must
// not make it come true.
func (v verifier) find(ctx context.Context, t *ObligationTrace) (f finding, err error) {
	if v.resumed {
		var before state.Evidence
		err = v.state.View(ctx, func(s state.View) (err error) {
			before, _, err = s.Evidence(v.request.ID, t.ID)
			return err
		})
		if err != nil || before.Finding != nil {
			return f, cmp.Or(err, jsonv2.Unmarshal(before.Finding, &f, strictjson.Exact()))
		}
	}
	f, err = v.evaluate(ctx, t, t.Runs[len(t.Runs)-1])
	if errors.Is(err, budget.TimeIsUp) {
		f.Late, f.Verified, f.Why, err = true, false, errorText(err), nil
	}
	if err = cmp.Or(err, ctx.Err()); err != nil || f.By == byNothing {
		return f, err
	}
	raw, err := ledger.Encode(f)
	v.enqueue(func(w *state.Writer) error { return w.Evidence(t.Evidence(&f.Verification, raw)) })
	return f, err
}

// evaluate evaluates an answer: by the built-in tool of its kind, whoever answered, or else as the contract of the tool
// says.
//
// Implements: ORC-240
func (v verifier) evaluate(ctx context.Context, t *ObligationTrace, last Run) (finding, error) {
	tool, _ := v.Tools.Tool(last.Tool)
	c := tool.Contract()
	if by, is := v.evaluators.For(t.Obligation); is {
		return v.evaluateBy(ctx, t, last, by)
	}
	if c.Verify == planning.CheckOff && !v.all {
		return finding{Kept: t.Result(), Verification: Verification{By: byNothing, Why: "no built-in tool evaluates " +
			t.Obligation.String() + ", and the contract of " + c.Name + " asks for no verification"}}, nil
	}
	f, err := v.ownWay(ctx, t, c, last)
	if f.By == "" && err == nil {
		f, err = v.byFacts(ctx, t, c)
	}
	f.Gives = c.Verify == planning.CheckNonBlocking && !v.all
	return f, err
}

// evaluateBy has the built-in tool of the kind work the obligation out.
func (v verifier) evaluateBy(ctx context.Context, t *ObligationTrace, last Run, by *evaluating.Tool) (finding, error) {
	name := by.Contract.Name
	if last.Tool == name && v.box[name].Again != nil {
		return v.ownWay(ctx, t, by.Contract, last)
	}
	f := finding{Verification: Verification{By: byAgain, With: []string{name}}}
	inputs, missing, err := v.fillInputs(ctx, t.Obligation, &by.Contract)
	if err != nil {
		return f, err
	}
	call := v.callOf(t.Obligation, inputs, "")
	if len(missing) > 0 {
		f.Why = name + " cannot evaluate it: it needs " + strings.Join(missing, ", ")
		return f, nil
	}
	evaluated, err := by.Evaluate(ctx, call, t.RanAt)
	switch {
	case errors.Is(err, budget.TimeIsUp):
		return f, err
	case err != nil:
		f.Why = name + " cannot evaluate it: " + errorText(err)
		return f, nil
	}
	f.Kept, f.Why = by.Judge(last.Tool, t.Result(), evaluated)
	if f.Why == "" {
		err = v.view(ctx, func(s state.View) (err error) {
			f.Why, f.Sources, err = provenance.Doubted(s, v.request.ID, by.Rests(call, evaluated), v.functional)
			return err
		})
	}
	f.Verified = f.Why == ""
	return f, err
}

// ownWay evaluates the answer of a built-in tool by its other way or, where it has none, by running it once more. By is
// "" where it can be evaluated in neither way.
func (v verifier) ownWay(ctx context.Context, t *ObligationTrace, c planning.Contract, last Run) (finding, error) {
	name := c.Implementation.Name
	box, inBox := v.box[name]
	repeatable := inBox && box.Again != nil || v.stateTools[name].Repeatable
	if c.Implementation.Means != planning.Builtin || !repeatable {
		return finding{}, nil
	}
	f := finding{Kept: t.Result(), Verification: Verification{By: byAgain, With: []string{name}}}
	var err error
	if inBox {
		err = box.Again(ctx, tools.In{Payload: t.Obligation.Payload, Input: last.Inputs, Now: t.RanAt}, t.Result())
	} else {
		var again map[string]any
		bounded, stop := context.WithTimeout(ctx, time.Duration(c.TimeoutMS)*time.Millisecond)
		defer stop()
		again, _, err = v.stateTools[name].Run(bounded, v.callOf(t.Obligation, last.Inputs, ""))
		if err == nil && !state.Equal(again, t.Result()) {
			f.Why = "a second evaluation differs"
		}
	}
	switch {
	case errors.Is(err, budget.TimeIsUp):
		return f, err
	case err != nil:
		f.Why = errorText(err)
	}
	f.Verified = f.Why == ""
	return f, nil
}

// byFacts holds an answer against what sources state.
func (v verifier) byFacts(ctx context.Context, t *ObligationTrace, c planning.Contract) (finding, error) {
	f := finding{Verification: Verification{By: byFacts}}
	err := v.view(ctx, func(s state.View) error {
		found, err := provenance.Confirm(provenance.Question{
			Obligation: t.Obligation, User: builtin.UserSubject(v.request.Caller), Answered: t.Result(),
			Required: evaluating.Required(c.Produces), Functional: v.functional,
			Stated: v.statement(t).Said, About: c.About,
			Held: func(subject, predicate string) ([]provenance.Said, error) {
				return provenance.Held(s, v.request.ID, subject, predicate)
			},
		})
		f.Kept, f.Sources, f.Why, f.Verified = found.Kept, found.Sources, found.Why, found.Why == ""
		return err
	})
	for _, s := range f.Sources {
		f.With = append(f.With, s.ID)
	}
	return f, err
}

// statement returns what the caller states for an obligation; nothing where it came from another obligation.
func (r *run) statement(t *ObligationTrace) provenance.Request {
	said := provenance.Request{Run: r.request.ID, Obligation: t.ID, By: r.request.Caller.Name, Given: t.Given}
	for i, o := range r.request.Request.Obligations {
		if obligationID(i) == t.ID {
			said.Payload = o.Payload
		}
	}
	return said
}

// functional reports whether a subject has at most one object of a predicate: what a contract declares, and the name of
// a user.
func (r *run) functional(subject, predicate string) bool {
	return r.Tools.Functional(predicate) ||
		predicate == builtin.PredicateName && strings.HasPrefix(subject, builtin.UserPrefix)
}

// met checks that an obligation which is not a question was met by a tool that says so, where a built-in tool can tell:
// by what the store shows, or by checking once more. It returns why it was not, or "".
func (r *run) met(ctx context.Context, t *ObligationTrace, c planning.Contract, shown *Run) (string, error) {
	by, is := r.evaluators.For(t.Obligation)
	if !is || t.Obligation.Type.Answers() || c.Name == by.Contract.Name || !c.Meets(t.Obligation) {
		return "", nil
	}
	inputs, missing, err := r.fillInputs(ctx, t.Obligation, &by.Contract)
	if err != nil {
		return "", err
	}
	verdict := contract.Verdict{Condition: by.Contract.Name + " confirms " + t.Obligation.String()}
	if len(missing) > 0 {
		verdict.Why = "it needs " + strings.Join(missing, ", ")
	} else {
		verdict.Why = by.Unmet(ctx, r.callOf(t.Obligation, inputs, ""), c.Name, shown.Result)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	verdict.Holds = verdict.Why == ""
	shown.Postconditions = append(shown.Postconditions, verdict)
	if verdict.Holds {
		return "", nil
	}
	shown.Status = state.RunRefused
	return "it is not so: " + verdict.Why, nil
}
