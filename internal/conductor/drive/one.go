package drive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/runner"
)

// mostFails is how often the tests of a requirement may fail in one order before it is blocked.
const mostFails = 3

// runTime bounds one obligation, in milliseconds: a day. Each tool has its own time-out.
const runTime = 86_400_000

// pollEvery is how often a run is looked at that somebody else has begun on a requirement.
const pollEvery = 200 * time.Millisecond

// one drives one requirement until nothing leads it on.
func (c *carrying) one(ctx context.Context, r Requirement) End {
	end := End{Requirement: r.ID, Status: r.Status}
	if !c.hold(r.ID) {
		end.Outcome, end.Why = Waiting, "it is driven already, by another order"
		return c.ended(end)
	}
	defer c.release(r.ID)
	for fails := 0; c.next(ctx, &end, &fails); {
	}
	return c.ended(end)
}

// next has the next obligation of a requirement brought about. Where nothing leads it on any more it returns false, and
// end says why.
func (c *carrying) next(ctx context.Context, end *End, fails *int) bool {
	stand, ok := c.stand(ctx, end)
	if !ok {
		return false
	}
	due := stand.Due[0]
	if len(c.Roles) > 0 && !slices.Contains(c.Roles, due.Role) {
		return end.as(Waiting, fmt.Sprintf("for the %s: %s", due.Role, wants(due)))
	}
	if why := c.halted(ctx); why != "" {
		return end.as(Stopped, why)
	}
	c.tells(Event{Begun: &Begun{end.Requirement, due.Role, due.Obligation.String(), stand.Moves}})
	step, trace, err := c.conduct(ctx, end.Requirement, due, stand.Status)
	var now Stand
	if err == nil {
		now, err = c.Project.Stand(context.WithoutCancel(ctx), end.Requirement)
	}
	if err != nil {
		return end.as(Failed, secret.Mask(err.Error()))
	}
	c.count(trace.Obligations[0])
	step.To, step.Moves, end.Status = now.Status, now.Moves, now.Status
	c.stepped(step, end)
	if step.To == testedFail && step.From != testedFail {
		*fails++
	}
	switch {
	case *fails > mostFails:
		return c.block(ctx, end, fmt.Sprintf("its tests failed %d times", *fails))
	case step.Outcome == planning.OutResolved || !same(now.Due, due):
		return true
	case len(trace.Missing) > 0 || step.Outcome == planning.OutClarify:
		return end.as(Waiting,
			fmt.Sprintf("for the %s: %s; no agent is there for it: declare one in the folder tools, or supply it",
				due.Role, wants(due)))
	case untried(trace, due):
		return end.as(Waiting, fmt.Sprintf("for the %s: %s; %s", due.Role, wants(due), step.Why))
	}
	return c.block(ctx, end, step.Why)
}

// unmet are the failures of tools that could not be run at all: they say nothing of the requirement, and somebody has
// to mend them first.
var unmet = []fault.Code{runner.CodeMissing, runner.CodeUndeclared, runner.CodePinMismatch, runner.CodeNotStarted,
	runner.CodeUnreachable, runner.CodeHostRefused, prompt.CodeMalformed}

// untried tells whether nothing that came of an obligation is about the requirement: no tool could be run, a budget was
// used up, or the move that a person could make as well was refused.
func untried(trace conductor.Trace, due conductor.Due) bool {
	of := trace.Obligations[0]
	return trace.Status == planning.OutTruncated || len(due.Needs) == 0 ||
		!slices.ContainsFunc(of.Runs, func(r conductor.Run) bool {
			return r.Error == nil ||
				!slices.Contains(unmet, r.Error.Code)
		})
}

// as ends a requirement.
func (e *End) as(outcome Outcome, why string) bool {
	e.Outcome, e.Why = outcome, why
	return false
}

func (c *carrying) stepped(step Step, end *End) {
	end.Steps++
	c.tells(Event{Step: &step})
}

// stand is where a requirement stands when nobody else works on it; not ok where nothing leads it on.
func (c *carrying) stand(ctx context.Context, end *End) (stand Stand, ok bool) {
	err := c.alone(ctx, end.Requirement)
	if err == nil {
		stand, err = c.Project.Stand(ctx, end.Requirement)
	}
	switch {
	case ctx.Err() != nil:
		return stand, end.as(Stopped, gone)
	case err != nil:
		return stand, end.as(Failed, secret.Mask(err.Error()))
	}
	end.Status = stand.Status
	switch {
	case stand.Status == done:
		return stand, end.as(Done, "")
	case stand.Status == blocked:
		return stand, end.as(Blocked, stand.Why)
	case len(stand.Due) == 0:
		return stand, end.as(Waiting, stand.Why)
	}
	return stand, true
}

// gone is why an order ends that nobody waits for.
const gone = "whoever asked for it is gone"

// alone waits until no other run works on a requirement.
func (c *carrying) alone(ctx context.Context, id string) error {
	for told := ""; ; {
		run, err := c.Conductor.UnderWay(ctx, id)
		if err != nil || run == "" {
			return err
		}
		if run != told {
			c.tells(Event{Waits: &Waits{id, run}})
			told = run
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// halted is why no further step is begun; "" where one may be.
func (c *carrying) halted(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return gone
	case c.Draining != nil && c.Draining():
		return "the service ends"
	}
	return c.take()
}

// same tells whether what was due still is what is due first.
func same(now []conductor.Due, due conductor.Due) bool {
	return len(now) > 0 && now[0].Role == due.Role && now[0].Is(due.Obligation)
}

func wants(due conductor.Due) string {
	if len(due.Needs) == 0 {
		return fmt.Sprintf("%s to %v", due.Obligation, due.Obligation.Payload["status"])
	}
	return due.Obligation.String() + ": " + strings.Join(due.Needs, "; ")
}

func requestFor(o planning.Obligation) planning.Request {
	return planning.Request{Obligations: []planning.Obligation{o}, Budgets: planning.Budgets{TimeMS: runTime}}
}

// conduct has one obligation brought about.
func (c *carrying) conduct(ctx context.Context, id string, due conductor.Due,
	from string) (Step, conductor.Trace, error) {
	trace, err := c.Conductor.Conduct(ctx, c.Caller, requestFor(due.Obligation))
	if err != nil {
		return Step{}, trace, err
	}
	of := trace.Obligations[0]
	step := Step{Requirement: id, Role: due.Role, Obligation: of.Obligation.String(), Run: trace.ID,
		Outcome: trace.Status, Why: of.Why, From: from}
	if n := len(of.Runs); n > 0 {
		step.Tool = of.Runs[n-1].Tool
		step.Why = cmp.Or(why(of), step.Why)
	}
	return step, trace, nil
}

// why says why each tool that was run did not do. A JUSTIFY of the trace has it, too.
func why(of conductor.Traced) string {
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

// fixFor is what is to be done about the failure of a tool; "" where nothing is known.
func fixFor(of conductor.Traced, tool string) string {
	i := slices.IndexFunc(of.Runs, func(r conductor.Run) bool { return r.Tool == tool && r.Error != nil })
	switch {
	case i < 0:
		return ""
	case of.Runs[i].Error.Code == lifecycle.CodeEvidenceNotFound:
		return "commit what the move cites: the document of the requirement, or the work"
	}
	return of.Runs[i].Error.Fix
}

// block ends a requirement that nobody could lead on. It says why, in the justification of the move.
func (c *carrying) block(ctx context.Context, end *End, why string) bool {
	if c.Caller.Role != planning.RolePM {
		return end.as(Failed, why+"; only a pm can block it")
	}
	const longest = 4000
	not := func(cause string) bool { return end.as(Failed, why+"; and it could not be blocked: "+cause) }
	ctx = context.WithoutCancel(ctx)
	obligation, err := c.Project.Block(ctx, end.Requirement, "given up on: "+fault.Clip(secret.Mask(why), longest))
	var step Step
	if err == nil {
		step, _, err = c.conduct(ctx, end.Requirement, conductor.Due{Role: planning.RolePM, Obligation: obligation},
			end.Status)
	}
	if err != nil {
		return not(secret.Mask(err.Error()))
	}
	if step.Outcome == planning.OutResolved {
		end.Status = blocked
	}
	step.To = end.Status
	c.stepped(step, end)
	if step.Outcome != planning.OutResolved {
		return not(step.Why)
	}
	return end.as(Blocked, why)
}
