package conductor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
)

// execute runs the tool, and checks its result against the contract.
func (r *run) execute(ctx context.Context, t *ObligationTrace, tool *contract.Tool,
	inputs map[string]any) (outcome, error) {
	c := tool.Contract()
	for _, before := range t.Runs { // another tool depended on it before an answer
		if t.Failed != nil && before.Tool == c.Name && before.Status == state.RunDone &&
			state.Equal(before.Inputs, inputs) {
			return outcome{ran: true, reason: "succeeded", result: before.Result}, nil
		}
	}
	r.spent.Run(c)
	done, err := r.executeOnce(ctx, t, c, inputs)
	if err != nil {
		return outcome{}, err
	}
	shown := Run{ID: done.ID, Tool: c.Name, Inputs: inputs, Result: done.Result, Status: done.Status,
		DurationMS: done.DurationMS, Usage: done.Usage, Agent: c.Role != "", Postconditions: []contract.Verdict{}}
	shown.Error, t.Refusal = done.Error.Separate()
	if c.Role != "" {
		r.spent.Agent(done.Usage)
	}
	defer func() {
		t.Runs = append(t.Runs, shown)
		if shown.Status == state.RunRefused {
			done.Status, done.Error = state.RunRefused, shown.Error
			r.enqueue(func(w *state.Writer) error { return putRefused(w, t, done) })
		}
	}()
	why, err := r.checkResult(ctx, t.Obligation, tool, &shown)
	switch {
	case err != nil:
		return outcome{}, err
	case c.Role != "" && changesRequirement(t.Obligation):
		return r.checkAgentOutcome(ctx, t, c, &shown, why)
	case why == "":
		why, err = r.met(ctx, t, c, &shown)
	}
	switch {
	case err != nil:
		return outcome{}, err
	case why != "":
		o := outcome{ran: true, reason: why}
		if done.Status != state.RunDone && r.spent.UsedUp(r.Clock()) {
			o.ends = planning.OutTruncated
		}
		return o, nil
	}
	t.RanAt = done.At
	return outcome{ran: true, reason: "succeeded", result: done.Result}, nil
}

// checkResult returns how a run violates the tool's contract, or "".
func (r *run) checkResult(ctx context.Context, o planning.Obligation, tool *contract.Tool, shown *Run) (string, error) {
	if shown.Status != state.RunDone {
		return "it failed: " + shown.Error.Detail, nil
	}
	if err := tool.CheckResult(shown.Result); err != nil {
		shown.Status, shown.Error = state.RunRefused, state.FailureOf(err)
		return "result does not match the contract's schema: " + errorText(err), nil
	}
	facts, err := r.facts(ctx, tool.Names, o, shown.Inputs)
	if err != nil {
		return "", err
	}
	shown.Postconditions = append(shown.Postconditions, tool.Postconditions(facts, shown.Result)...)
	if not := contract.FirstFailing(shown.Postconditions); not != "" {
		shown.Status = state.RunRefused
		return "the postcondition " + not + builtin.Problems(shown.Result), nil
	}
	return "", nil
}

// checkAgentOutcome judges an agent by the state of the project, not by what it reports: one that failed may have done
// its work before, and one that reports success may have done nothing.
func (r *run) checkAgentOutcome(ctx context.Context, t *ObligationTrace, c planning.Contract, shown *Run,
	why string) (outcome, error) {
	verdict, err := r.projectVerdict(ctx, t.Obligation)
	if err != nil {
		return outcome{}, err
	}
	shown.Postconditions = append(shown.Postconditions, verdict)
	not := ""
	if verdict.Holds { // what it was to do is not waited for any more; it may be so since something else was done
		if not, err = r.met(ctx, t, c, shown); err != nil {
			return outcome{}, err
		}
	}
	switch {
	case not != "" && why == "":
		return outcome{ran: true, reason: not}, nil
	case not != "":
		shown.Status = state.RunFailed
		return outcome{ran: true, reason: why}, nil
	case verdict.Holds && why == "":
		return outcome{ran: true, reason: "succeeded", result: shown.Result}, nil
	case verdict.Holds:
		return outcome{ran: true, reason: "the project shows the work as done, although " + why,
			result: map[string]any{}}, nil
	case why == "":
		shown.Status = state.RunRefused
		why = "the work was not done: " + verdict.Why + outside.LastWords(shown.Result)
	}
	return outcome{ran: true, reason: why}, nil
}

// executeOnce runs a tool, unless the ledger has the outcome of this very run: then that counts.
func (r *run) executeOnce(ctx context.Context, t *ObligationTrace, c planning.Contract,
	inputs map[string]any) (state.ToolRun, error) {
	done := state.ToolRun{ID: toolRunID(t), Inputs: inputs}.Begin(c, t.Obligation)
	before, began, err := r.onRecord(ctx, done)
	switch {
	case err != nil:
		return done, err
	case began && before.Status != state.RunStarted:
		countRecorded(r, before.Result, before.Error)
		return before, nil
	case began && !c.Idempotent:
		done.Error = state.OutcomeUnknown()
		return r.recordRun(ctx, t, c, done, nil)
	case !began && hasSideEffects(c, t.Obligation): // it has to be known that it began, whatever becomes of the service
		r.enqueue(func(w *state.Writer) error { return w.ToolRun(done) })
		if err := r.flush(ctx, "tool started"); err != nil {
			return done, err
		}
	}
	done, effects, err := r.runNow(ctx, t, c, done)
	if err != nil {
		return done, err
	}
	return r.recordRun(ctx, t, c, done, effects)
}

// onRecord returns what the ledger has of a run, and whether it has begun. Where another tool was run in its place, it
// has failed.
func (r *run) onRecord(ctx context.Context, asked state.ToolRun) (before state.ToolRun, began bool, err error) {
	if r.goesOn() {
		err = r.state.View(ctx, func(v state.View) (err error) {
			before, began, err = v.ToolRun(r.request.ID, asked.ID)
			return err
		})
	}
	switch {
	case err != nil || !began:
	case before.Tool != asked.Tool || before.Version != asked.Version || !state.Equal(before.Inputs, asked.Inputs):
		before.Status, before.Error = state.RunFailed, state.ToolsChanged(before)
	case before.Status == state.RunRefused: // which is found out again
		before.Status = state.RunDone
	}
	return before, began, err
}

// runNow runs a tool within its time. Its error is that of a service that ends; what the tool fails with is in the run.
func (r *run) runNow(ctx context.Context, t *ObligationTrace, c planning.Contract,
	done state.ToolRun) (state.ToolRun, []builtin.Effect, error) {
	if c.Implementation.Means != planning.Builtin {
		r.onWait()
	}
	begun := r.Clock()
	bounded, stop := context.WithTimeout(ctx, r.spent.Deadline.Sub(begun))
	defer stop()
	r.reported = nil
	result, effects, err := r.dispatch(bounded, c, t.Obligation, done.Inputs, done.ID)
	done.Usage = r.reported
	if err != nil && r.period.Err() != nil {
		return done, nil, r.period.Err() // the run is gone on with when the service is back
	}
	done.At, done.Result = r.Clock(), result
	if !r.Deterministic {
		done.DurationMS = float64(done.At.Sub(begun).Microseconds()) / 1000
	}
	if err == nil {
		err = r.countResult(result)
	}
	if err != nil {
		done.Result, done.Error, effects = nil, state.FailureOf(err), nil
	}
	return done, effects, nil
}

// countResult takes a result from the budgets. One that exceeds them, or that cannot be encoded, is an error.
func (r *run) countResult(result map[string]any) error {
	raw, err := ledger.Encode(result)
	if err != nil {
		return fault.New(fault.Invalid, "tool_answer", "the tool's result cannot be encoded").
			WithFix("return a smaller result, or one nested less deeply").Because(err)
	}
	return r.spent.Result(len(raw))
}

// countRecorded takes what is on record of a run from the budgets.
func countRecorded(r *run, result map[string]any, failed *state.Failure) {
	raw := []byte{}
	if result != nil {
		raw, _ = ledger.Encode(result) // which was recorded, and can be written
	}
	r.spent.Recorded(len(raw), cmp.Or(failed, &state.Failure{}).Code)
}

// recordRun records a run, at once if it has side effects.
func (r *run) recordRun(ctx context.Context, t *ObligationTrace, tool planning.Contract, done state.ToolRun,
	effects []builtin.Effect) (state.ToolRun, error) {
	done.Status = state.RunDone
	kind := "tool.succeeded"
	if done.Error != nil {
		done.Status, kind = state.RunFailed, "tool.failed"
	}
	r.enqueue(func(w *state.Writer) error { return r.putRun(w, t, done, kind, effects) })
	r.factsPending = r.factsPending || len(effects) > 0
	if !hasSideEffects(tool, t.Obligation) {
		return done, nil
	}
	return done, r.flush(ctx, "tool ended")
}

// hasSideEffects reports whether a run has effects outside of the conductor's state: then it is recorded before and
// after.
func hasSideEffects(c planning.Contract, o planning.Obligation) bool {
	return c.Implementation.Means != planning.Builtin || o.Type.Changes() || !c.Idempotent
}

// putRun writes a run with its source, its event, an assertion of its result, and what it asserts itself.
func (r *run) putRun(w *state.Writer, t *ObligationTrace, done state.ToolRun, kind string,
	effects []builtin.Effect) error {
	id := r.request.ID + "/" + done.ID
	source, err := w.Source(state.Source{ID: id, Kind: state.SourceTool, Name: done.Tool, From: t.Sources()})
	if err != nil {
		return err
	}
	if err := w.Event(state.Event{ID: done.ID, Kind: kind,
		What: done.Tool + " for " + t.Obligation.String()}); err != nil {
		return err
	}
	if done.Result != nil {
		if err := w.Assert(state.Assertion{ID: id, Subject: state.RunPrefix + r.request.ID, Predicate: t.ID,
			Object: done.Result, Confidence: 1, Source: source}, state.Single); err != nil {
			return err
		}
	}
	if err := r.putEffects(w, t, done, source, effects); err != nil {
		return err
	}
	return w.ToolRun(done)
}

// putEffects writes what a run asserts. If all that the tool was given stands in the request or in answers, that is who
// has stated it.
func (r *run) putEffects(w *state.Writer, t *ObligationTrace, done state.ToolRun, source string,
	effects []builtin.Effect) (err error) {
	id := r.request.ID + "/" + done.ID
	stated, answer := r.statement(t).States(done.Inputs)
	switch {
	case answer != "":
		source = answer
	case stated && len(effects) > 0:
		source, err = w.Source(state.Source{ID: id + "/caller", Kind: state.SourceCaller, Name: r.request.Caller.Name})
	case len(effects) > 0:
		err = putWords(r, w, t, done)
	}
	if err != nil {
		return err
	}
	for i, e := range effects {
		a := state.Assertion{ID: fmt.Sprintf("%s/%d", id, i+1), Subject: e.Subject, Predicate: e.Predicate,
			Object: e.Object, Confidence: 1, Source: source, Scope: e.Scope}
		if e.Ends != nil {
			err = errors.Join(err, w.End(e.Subject, e.Predicate, e.Ends))
			continue
		}
		holding := state.Many
		if r.functional(e.Subject, e.Predicate) {
			holding = state.Functional
		}
		if holding == state.Functional && strings.HasPrefix(e.Subject, builtin.UserPrefix) {
			holding = state.Single // users have the last word about themselves
		}
		if err := w.Assert(a, holding); err != nil {
			return err
		}
	}
	return err
}

// putWords adds to the source of a run whose word it was given.
func putWords(r *run, w *state.Writer, t *ObligationTrace, done state.ToolRun) error {
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(done.Inputs)), func(name string) bool {
		_, given := t.Obligation.Payload[name]
		return given
	})
	words, err := w.WordsIn(builtin.UserSubject(r.request.Caller), known)
	if err != nil {
		return err
	}
	_, err = w.Source(state.Source{ID: r.request.ID + "/" + done.ID, Kind: state.SourceTool, Name: done.Tool,
		From: t.Sources(), Words: append(words, r.trace.Words(t, r.Tools.Outside)...)})
	return err
}

// putRefused records that the result of a run violates the contract, or is not what the project shows.
func putRefused(w *state.Writer, t *ObligationTrace, done state.ToolRun) error {
	return errors.Join(w.ToolRun(done),
		w.Event(state.Event{ID: done.ID + "/refused", Kind: "tool.refused",
			What: done.Tool + " for " + t.Obligation.String()}))
}

func errorText(err error) string { return state.FailureOf(err).Detail }
