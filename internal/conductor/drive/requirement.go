package drive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/outbound"
	"orchestrator/internal/system/runner"
)

// maxTestFailures is how often the tests of a requirement may fail in one order before it is blocked.
const maxTestFailures = 3

// obligationTimeMS bounds one obligation, in milliseconds: a day. Each tool has its own time-out.
const obligationTimeMS = 86_400_000

// pollInterval is how often a run that somebody else has begun on a requirement is checked.
const pollInterval = 200 * time.Millisecond

// runOne drives one requirement until nothing leads it on.
func (j *job) runOne(ctx context.Context, r Requirement) End {
	end := End{Requirement: r.ID, Status: r.Status}
	if !j.hold(r.ID) {
		end.Outcome, end.Why = Waiting, "already being driven by another request"
		return j.emitEnd(end)
	}
	defer j.release(r.ID)
	for fails := 0; j.advance(ctx, &end, &fails); {
	}
	j.leave(ctx, &end)
	return j.emitEnd(end)
}

// advance conducts the next obligation of a requirement. It reports whether there may be another; if not, end says why.
func (j *job) advance(ctx context.Context, end *End, fails *int) bool {
	stand, ok := j.position(ctx, end)
	if !ok {
		return false
	}
	due := stand.Work[0]
	if len(j.Roles) > 0 && !slices.Contains(j.Roles, due.Role) {
		return end.finish(Waiting, fmt.Sprintf("for the %s: %s", due.Role, describe(due)))
	}
	if by, err := j.Project.Claimed(ctx, end.Requirement, due.Role); err != nil || by != "" {
		return end.claimed(due, by, err)
	}
	if why := j.stopReason(ctx, due); why != "" {
		return end.finish(Stopped, why)
	}
	if ok, again := j.prepare(ctx, end, stand); !ok || again {
		j.giveBack()
		return again
	}
	j.emit(Event{Begun: &Begun{end.Requirement, due.Role, due.Obligation.String(), stand.Moves}})
	step, trace, err := j.conduct(ctx, end.Requirement, due, stand.Status)
	var now Position
	if err == nil {
		now, err = j.Project.Position(context.WithoutCancel(ctx), end.Requirement)
	}
	if err != nil {
		return end.finish(Failed, secret.Mask(err.Error()))
	}
	j.countFailures(trace.Obligations[0])
	step.Usage = j.spend(trace.Obligations[0], end)
	step.To, step.Moves, end.Status = now.Status, now.Moves, now.Status
	j.emitStep(step, end)
	if !j.inspect(ctx, end, due, step) {
		return false
	}
	if step.To == lifecycle.TestedFail && step.From != lifecycle.TestedFail {
		*fails++
	}
	switch {
	case *fails > maxTestFailures:
		return j.block(ctx, end, fmt.Sprintf("its tests failed %d times", *fails))
	case step.Outcome == planning.OutResolved || !stillFirst(now.Work, due):
		return true
	case len(trace.Missing) > 0 || step.Outcome == planning.OutClarify:
		return end.finish(Waiting,
			fmt.Sprintf("for the %s: %s; there is no agent for it: declare one in the folder tools, or do the work yourself",
				due.Role, describe(due)))
	case failedBeforeRunning(trace, due):
		return end.finish(Waiting, fmt.Sprintf("for the %s: %s; %s", due.Role, describe(due), step.Why))
	}
	return j.block(ctx, end, step.Why)
}

// setupErrors are the codes of failures to run a tool at all: they say nothing about the requirement. Somebody has to
// mend them first, or has the work.
var setupErrors = []fault.Code{runner.CodeMissing, runner.CodeUndeclared, runner.CodePinMismatch,
	runner.CodeNotStarted, runner.CodeUnreachable, outbound.CodeRefused, prompt.CodeMalformed,
	claiming.CodeClaimed}

// failedBeforeRunning reports whether the outcome says nothing about the requirement: no tool could be run, a budget
// was exhausted, or a move was refused that a person could make as well.
func failedBeforeRunning(trace conductor.Trace, due builtin.Work) bool {
	of := trace.Obligations[0]
	return trace.Status == planning.OutTruncated || len(due.Needs) == 0 ||
		!slices.ContainsFunc(of.Runs, func(r conductor.Run) bool {
			return r.Error == nil ||
				!slices.Contains(setupErrors, r.Error.Code)
		})
}

// finish ends a requirement.
func (e *End) finish(outcome Outcome, why string) bool {
	e.Outcome, e.Why = outcome, why
	return false
}

// claimed ends a requirement whose work somebody else has to itself.
func (e *End) claimed(due builtin.Work, by string, err error) bool {
	if err != nil {
		return e.finish(Failed, secret.Mask(err.Error()))
	}
	return e.finish(Waiting, fmt.Sprintf("for %s: %s", by, describe(due)))
}

func (j *job) emitStep(step Step, end *End) {
	end.Steps++
	j.emit(Event{Step: &step})
}

// position returns where a requirement stands once nobody else works on it; ok is false if nothing leads it on.
func (j *job) position(ctx context.Context, end *End) (stand Position, ok bool) {
	err := j.waitForOthers(ctx, end.Requirement)
	if err == nil {
		stand, err = j.Project.Position(ctx, end.Requirement)
	}
	switch {
	case ctx.Err() != nil:
		return stand, end.finish(Stopped, callerGone)
	case err != nil:
		return stand, end.finish(Failed, secret.Mask(err.Error()))
	}
	end.Status = stand.Status
	switch {
	case stand.Status == lifecycle.Done:
		return stand, end.finish(Done, "")
	case stand.Status == lifecycle.Blocked:
		return stand, end.finish(Blocked, stand.Why)
	case len(stand.Work) == 0:
		return stand, end.finish(Waiting, stand.Why)
	}
	return stand, true
}

// callerGone is why an order ends whose caller has gone.
const callerGone = "the caller disconnected"

// waitForOthers waits until no other run works on a requirement.
func (j *job) waitForOthers(ctx context.Context, id string) error {
	for told := ""; ; {
		run, err := j.Conductor.ActiveRun(ctx, id)
		if err != nil || run == "" {
			return err
		}
		if run != told {
			j.emit(Event{Waits: &Waits{id, run}})
			told = run
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// stopReason returns why no further step is begun, or "".
func (j *job) stopReason(ctx context.Context, due builtin.Work) string {
	switch {
	case ctx.Err() != nil:
		return callerGone
	case j.Draining != nil && j.Draining():
		return "the service ends"
	case len(due.Needs) > 0 && j.exhausted() != "":
		return j.exhausted()
	}
	return j.takeStep()
}

// stillFirst reports whether the work that was done is still what is due first.
func stillFirst(now []builtin.Work, due builtin.Work) bool {
	return len(now) > 0 && now[0].Role == due.Role && now[0].Matches(due.Obligation)
}

func describe(due builtin.Work) string {
	if len(due.Needs) == 0 {
		return fmt.Sprintf("%s to %v", due.Obligation, due.Obligation.Payload["status"])
	}
	return due.Obligation.String() + ": " + strings.Join(due.Needs, "; ")
}

func requestFor(o planning.Obligation) planning.Request {
	return planning.Request{Obligations: []planning.Obligation{flow.Literal(o)},
		Budgets: planning.Budgets{TimeMS: obligationTimeMS}}
}

// conduct conducts one obligation.
func (j *job) conduct(ctx context.Context, id string, due builtin.Work,
	from lifecycle.Status) (Step, conductor.Trace, error) {
	trace, err := j.Conductor.Conduct(ctx, j.Caller, j.bounded(requestFor(due.Obligation)))
	if err != nil {
		return Step{}, trace, err
	}
	of := trace.Obligations[0]
	step := Step{Requirement: id, Role: due.Role, Obligation: of.Obligation.String(), Run: trace.ID,
		Outcome: trace.Status, Why: of.Why, From: from}
	if n := len(of.Runs); n > 0 {
		step.Tool = of.Runs[n-1].Tool
		step.Why = cmp.Or(failureReasons(of), step.Why)
	}
	return step, trace, nil
}

// failureReasons returns why each tool that was run failed. A JUSTIFY of the trace has it, too.
func failureReasons(of conductor.ObligationTrace) string {
	var all []string
	for i, c := range of.Candidates {
		did := of.Outcome == planning.OutResolved &&
			!slices.ContainsFunc(of.Candidates[i+1:], func(later conductor.Candidate) bool { return later.Taken })
		if c.Taken && !did {
			all = append(all, c.Tool+": "+c.Reason)
			if fix := fixFor(of, c.Tool); fix != "" {
				all = append(all, fix)
			}
		}
	}
	return strings.Join(all, "; ")
}

// fixFor returns what to do about the failure of a tool; "" if nothing is known.
func fixFor(of conductor.ObligationTrace, tool string) string {
	i := slices.IndexFunc(of.Runs, func(r conductor.Run) bool { return r.Tool == tool && r.Error != nil })
	switch {
	case i < 0:
		return ""
	case of.Runs[i].Error.Code == lifecycle.CodeEvidenceNotFound:
		return "commit what the move cites: the document of the requirement, or the work"
	}
	return of.Runs[i].Error.Fix
}

// block blocks a requirement that nobody could lead on, with the reason as the justification of the move, unless it
// could not come back from there.
func (j *job) block(ctx context.Context, end *End, why string) bool {
	ctx = context.WithoutCancel(ctx)
	noWay, err := j.Project.NoWayBack(ctx, end.Requirement, lifecycle.Blocked)
	switch {
	case err != nil:
		return end.finish(Failed, why+"; "+secret.Mask(err.Error()))
	case noWay != "":
		return end.finish(Waiting, why+"; it was not blocked, since it could not come back: "+noWay)
	}
	if j.Caller.Role != string(lifecycle.PM) {
		return end.finish(Failed, why+"; only a pm can block it")
	}
	const longest = 4000
	not := func(cause string) bool { return end.finish(Failed, why+"; and it could not be blocked: "+cause) }
	obligation, err := j.Project.Block(ctx, end.Requirement, "given up on: "+fault.Clip(secret.Mask(why), longest))
	var step Step
	if err == nil {
		step, _, err = j.conduct(ctx, end.Requirement,
			builtin.Work{Role: string(lifecycle.PM), Obligation: obligation},
			end.Status)
	}
	if err != nil {
		return not(secret.Mask(err.Error()))
	}
	if step.Outcome == planning.OutResolved {
		end.Status = lifecycle.Blocked
	}
	step.To = end.Status
	j.emitStep(step, end)
	if step.Outcome != planning.OutResolved {
		return not(step.Why)
	}
	return end.finish(Blocked, why)
}
