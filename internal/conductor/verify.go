package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// verify evaluates every answer a second time, before any is given. What is not confirmed is not answered, where the
// contract blocks it, or where a VERIFY alone asked for it; what a VERIFY asked for is resolved by this.
func (r *run) verify(ctx context.Context) error {
	sound, waits, reports := true, false, 0
	for i := range r.trace.Obligations {
		t := &r.trace.Obligations[i]
		if t.Obligation.Type != planning.Report {
			continue
		}
		reports++
		waits = waits || t.Outcome == planning.OutClarify
		if t.settled {
			sound = r.earlier.answer(&r.trace, t.ID) && sound
			continue
		}
		if t.answered == nil {
			sound = false
			continue
		}
		confirmed, err := r.confirm(ctx, t)
		if err != nil {
			return err
		}
		sound = sound && confirmed
	}
	for i := range r.trace.Obligations {
		t := &r.trace.Obligations[i]
		switch {
		case t.Obligation.Type != planning.Verify || t.Status != planning.Active || t.Outcome != "":
		case sound && reports > 0:
			t.end(planning.Resolved, planning.OutResolved, "")
		case waits && !r.ephemeral && !r.spoken:
			t.end(planning.Active, planning.OutClarify, "an answer is still to come")
		default:
			t.end(planning.Failed, planning.OutFailed, "there is no answer, one is missing, or one was not confirmed")
		}
	}
	return nil
}

// confirm checks one answer, and gives it, or says that it is uncertain.
func (r *run) confirm(ctx context.Context, t *ObligationTrace) (bool, error) {
	last := t.Runs[len(t.Runs)-1]
	tool, _ := r.Tools.Tool(last.Tool)
	c := tool.Contract()
	by, cause := r.evaluate(ctx, t, c, last)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if by != "" {
		t.Verified = &Verification{By: by, Verified: cause == nil}
	}
	answer := Answer{Obligation: t.ID, Result: t.answered, Text: language.Out(t.Obligation, t.answered)}
	if cause == nil {
		r.trace.Answers = append(r.trace.Answers, answer)
		return true, nil
	}
	t.Verified.Why = errorText(cause)
	answer.Uncertain, answer.Text = true, language.Uncertain(t.Obligation, t.Verified.Why)
	if c.Verify != planning.CheckNonBlocking {
		answer.Result = nil
		t.end(planning.Failed, planning.OutFailed, "the answer was not confirmed: "+t.Verified.Why)
	}
	t.emit(planning.Justify, map[string]any{"about": "verification of " + t.Obligation.String(),
		"evidence": map[string]any{"by": by, "why": t.Verified.Why, "run": last.ID}})
	r.trace.Answers = append(r.trace.Answers, answer)
	return false, nil
}

// evaluate evaluates a result a second time: by the tool's own other way, or against what is known. by is "" if neither
// the contract nor the request asks for it.
func (r *run) evaluate(ctx context.Context, t *ObligationTrace, c planning.Contract, last Run) (by string, err error) {
	if c.Verify == planning.CheckOff && !slices.ContainsFunc(r.request.Request.Obligations, verifiesAnswers) {
		return "", nil
	}
	if c.Implementation.Means == planning.Builtin {
		if k, is := r.stateTools[c.Implementation.Name]; is && k.Repeatable {
			return "again", r.evaluateAgain(ctx, k, t.Obligation, c, t.answered)
		}
		if tool := r.box[c.Implementation.Name]; tool.Again != nil {
			return "again", tool.Again(ctx, tools.In{Payload: t.Obligation.Payload, Input: last.Inputs,
				Now: r.Clock()}, t.answered)
		}
	}
	return "facts", r.crossCheck(ctx, t, last)
}

// evaluateAgain runs a state tool once more, with what is known now, and compares.
func (r *run) evaluateAgain(ctx context.Context, k builtin.Tool, o planning.Obligation, c planning.Contract,
	result map[string]any) error {
	inputs, missing, err := r.fillInputs(ctx, o, &c)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fault.New(fault.Conflict, "answer_differs", "an input is no longer known: %v", missing).
			WithFix("ask again")
	}
	again, _, err := k.Run(ctx, r.callOf(o, inputs, ""))
	if err != nil {
		return err
	}
	if !state.Equal(again, result) {
		return fault.New(fault.Conflict, "answer_differs", "a second evaluation returned %v", fmt.Sprint(again)).
			WithFix("ask again: what is known has changed")
	}
	return nil
}

// crossCheck checks an answer against what is known: it is recorded as it was answered, unless the run leaves nothing
// behind, and nothing that is known contradicts it.
func (r *run) crossCheck(ctx context.Context, t *ObligationTrace, last Run) error {
	if err := r.flush(ctx, "known"); err != nil { // what is held of this very run is looked at
		return err
	}
	return r.state.View(ctx, func(v state.View) error {
		if !r.ephemeral {
			if err := r.checkRecorded(v, t, last); err != nil {
				return err
			}
		}
		return r.checkContradiction(v, t)
	})
}

// checkRecorded requires exactly one assertion of an answer, with the tool that answered as its source.
func (r *run) checkRecorded(v state.View, t *ObligationTrace, last Run) error {
	held, err := v.Held(state.RunPrefix+r.request.ID, t.ID)
	if err != nil {
		return err
	}
	if len(held) != 1 || !state.Equal(held[0].Object, t.answered) {
		return fault.New(fault.Conflict, "answer_not_held", "the recorded answer differs from the one given").
			WithFix("ask again")
	}
	source, found, err := v.Source(held[0].Source)
	if err != nil {
		return err
	}
	if !found || source.Run != r.request.ID || source.Name != last.Tool {
		return errors.New("the answer has no source")
	}
	return nil
}

// checkContradiction checks an answer about the caller against what is known of the caller. Only a single object, held
// in its place, contradicts it; of several any may be meant, and what nobody has said contradicts nothing.
func (r *run) checkContradiction(v state.View, t *ObligationTrace) error {
	slot, is := strings.CutPrefix(t.Obligation.Kind(), planning.AboutCaller)
	if !is {
		return nil
	}
	held, err := v.Held(builtin.UserSubject(r.request.Caller), slot)
	if err != nil || len(held) != 1 {
		return err
	}
	for _, member := range []string{"value", slot} {
		if said, has := t.answered[member]; has && !state.Equal(said, held[0].Object) {
			return fault.New(fault.Conflict, "answer_contradicted", "it is known that the %s is %s", slot,
				fault.Clip(fmt.Sprint(held[0].Object), 80)).
				WithFix("send ACHIEVE(%s) if that has changed", t.Obligation.Kind())
		}
	}
	return nil
}
