package conductor

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
)

// try runs the tool, and holds its result against the contract.
func (r *run) try(ctx context.Context, t *Traced, tool *contract.Tool, inputs map[string]any) (attempt, error) {
	c := tool.Contract()
	r.left--
	r.spent += c.Cost.Weight()
	done, err := r.once(ctx, t, c, inputs)
	if err != nil {
		return attempt{}, err
	}
	shown := Run{ID: done.ID, Tool: c.Name, Inputs: inputs, Result: done.Result, Status: done.Status,
		Error: done.Error, DurationMS: done.DurationMS, Postconditions: []contract.Verdict{}}
	defer func() {
		t.Runs = append(t.Runs, shown)
		if shown.Status == state.RunRefused {
			done.Status, done.Error = state.RunRefused, shown.Error
			r.later(func(w *state.Writer) error { return putRefused(w, t, done) })
		}
	}()
	why, err := r.unlike(ctx, t.Obligation, tool, &shown)
	switch {
	case err != nil:
		return attempt{}, err
	case c.Role != "" && ofProject(t.Obligation):
		return r.seen(ctx, t.Obligation, &shown, why)
	case why != "":
		return attempt{taken: true, reason: why, truncated: done.Status != state.RunDone &&
			!r.Clock().Before(r.until)}, nil
	}
	return attempt{taken: true, reason: "the first that did", result: done.Result}, nil
}

// unlike says what of a run is not as its contract promises; "" where all is.
func (r *run) unlike(ctx context.Context, o planning.Obligation, tool *contract.Tool, shown *Run) (string, error) {
	if shown.Status != state.RunDone {
		return "it failed: " + shown.Error.Detail, nil
	}
	if err := tool.CheckResult(shown.Result); err != nil {
		shown.Status, shown.Error = state.RunRefused, failureOf(err)
		return "its result is not what it produces: " + textOfError(err), nil
	}
	facts, err := r.facts(ctx, tool.Names, o, shown.Inputs)
	if err != nil {
		return "", err
	}
	shown.Postconditions = append(shown.Postconditions, tool.Postconditions(facts, shown.Result)...)
	if not := failing(shown.Postconditions); not != "" {
		shown.Status = state.RunRefused
		return "the postcondition " + not + problemsIn(shown.Result), nil
	}
	return "", nil
}

// seen is what came of an agent, as the project shows it: one that failed may have done its work before, and one that
// says that it did may have done nothing.
func (r *run) seen(ctx context.Context, o planning.Obligation, shown *Run, why string) (attempt, error) {
	verdict, err := r.arrived(ctx, o)
	if err != nil {
		return attempt{}, err
	}
	shown.Postconditions = append(shown.Postconditions, verdict)
	switch {
	case verdict.Holds && why == "":
		return attempt{taken: true, reason: "the first that did", result: shown.Result}, nil
	case verdict.Holds:
		return attempt{taken: true, reason: "the project has what it was to do, although " + why,
			result: map[string]any{}}, nil
	case why == "":
		shown.Status = state.RunRefused
		why = "it did not do its work: " + verdict.Why + lastWords(shown.Result)
	}
	return attempt{taken: true, reason: why}, nil
}

// once runs a tool, unless the ledger has what became of this very run: then that counts.
func (r *run) once(ctx context.Context, t *Traced, c planning.Contract, inputs map[string]any) (state.ToolRun, error) {
	done := state.ToolRun{ID: runID(t), Tool: c.Name, Version: c.Version, Inputs: inputs, Status: state.RunStarted}
	var before state.ToolRun
	var found bool
	err := r.ir.View(ctx, func(v state.View) (err error) {
		before, found, err = v.ToolRun(r.request.ID, done.ID)
		return err
	})
	switch {
	case err != nil:
		return done, err
	case found && (before.Tool != done.Tool || before.Version != done.Version ||
		!state.Equal(before.Inputs, done.Inputs)):
		before.Status, before.Error = state.RunFailed, toolsChanged(before)
		return before, nil
	case found && before.Status == state.RunRefused: // which is found out again
		before.Status = state.RunDone
		return before, nil
	case found && before.Status != state.RunStarted:
		return before, nil
	case found && !c.Idempotent:
		done.Error = &state.Failure{Code: "outcome_unknown",
			Detail: "the service ended while it ran, and it may not run twice",
			Fix:    "see what it did, and send the obligation again"}
		return r.ended(ctx, t, c, done, nil)
	case !found && lasting(c, t.Obligation): // it has to be known that it began, whatever becomes of the service
		r.later(func(w *state.Writer) error { return w.ToolRun(done) })
		if err := r.step(ctx, "tool started"); err != nil {
			return done, err
		}
	}
	if c.Implementation.Means != planning.Builtin {
		r.waits()
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

func toolsChanged(before state.ToolRun) *state.Failure {
	return &state.Failure{Code: "tools_changed",
		Detail: "when the run was cut off it was at " + before.Tool + " " + before.Version +
			" here: the tools, or what is known, have changed since",
		Fix: "send the obligation again"}
}

// grow counts a result. One that cannot be kept is none.
func (r *run) grow(result map[string]any) error {
	raw, err := ledger.Encode(result)
	if err != nil {
		return fault.New(fault.Invalid, "tool_answer", "what the tool answered cannot be kept").
			WithFix("have it answer with less, and less deep").Because(err)
	}
	r.size += len(raw)
	return nil
}

// ended records a run, at once where it lasts.
func (r *run) ended(ctx context.Context, t *Traced, tool planning.Contract, done state.ToolRun,
	effects []effect) (state.ToolRun, error) {
	done.Status = state.RunDone
	kind := "tool.succeeded"
	if done.Error != nil {
		done.Status, kind = state.RunFailed, "tool.failed"
	}
	r.later(func(w *state.Writer) error { return r.putRun(w, t, done, kind, effects) })
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
func (r *run) putRun(w *state.Writer, t *Traced, done state.ToolRun, kind string, effects []effect) error {
	id := r.request.ID + "/" + done.ID
	source, err := w.Source(state.Source{ID: id, Kind: "tool", Name: done.Tool})
	if err != nil {
		return err
	}
	if err := w.Event(state.Event{ID: done.ID, Kind: kind,
		What: done.Tool + " for " + t.Obligation.String()}); err != nil {
		return err
	}
	if done.Result != nil {
		if err := w.Assert(state.Assertion{ID: id, Subject: state.OfRun + r.request.ID, Predicate: t.ID,
			Object: done.Result, Confidence: 1, Source: source}, true); err != nil {
			return err
		}
	}
	for i, e := range effects {
		a := state.Assertion{ID: fmt.Sprintf("%s/%d", id, i+1), Subject: e.Subject, Predicate: e.Predicate,
			Object: e.Object, Confidence: 1, Source: source}
		if err := w.Assert(a, e.Single); err != nil {
			return err
		}
	}
	return w.ToolRun(done)
}

// putRefused puts on record that the result of a run was not what its contract promises, or not what the project shows.
func putRefused(w *state.Writer, t *Traced, done state.ToolRun) error {
	return errors.Join(w.ToolRun(done),
		w.Event(state.Event{ID: done.ID + "/refused", Kind: "tool.refused",
			What: done.Tool + " for " + t.Obligation.String()}))
}

// failureOf is an error as a trace has it, without what looks like a secret.
func failureOf(err error) *state.Failure {
	if f := fault.As(err); f != nil {
		f = secret.Masked(f)
		return &state.Failure{Code: f.Code, Detail: f.Detail, Fix: f.Fix}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &state.Failure{Code: "tool_timeout", Detail: "it did not end in time",
			Fix: "give the request more time_ms, or the contract a longer timeout_ms"}
	}
	return &state.Failure{Code: "tool_failed", Detail: secret.Mask(err.Error())}
}

func textOfError(err error) string { return failureOf(err).Detail }
