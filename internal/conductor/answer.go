package conductor

import (
	"context"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/replying"
)

// Reply is an answer to a question of a run.
type Reply = questions.Reply

// Answer records the answer to a question that waits, with its source, and goes on with the run where it stood. The
// same answer of the same caller again gives the trace as it is now.
func (c *Conductor) Answer(ctx context.Context, caller Caller, run string, reply Reply) (Trace, error) {
	if err := c.state.CheckBudget(ctx, caller); err != nil {
		return Trace{}, err
	}
	defer c.goneOnWith.Begin(run)()
	var before Trace
	request, repeated, err := replying.Record(ctx, c.state, c.Project, caller, run, reply, &before)
	if err != nil || repeated {
		return before, err
	}
	r := c.newRun(request)
	if r.earlier, err = earlierOf(ctx, c.state, run); err != nil {
		return Trace{}, err
	}
	return c.runDetached(ctx, r)
}
