package conductor

import (
	"context"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
)

// earlierOf returns what a run had come to; nil if it has not ended yet.
func earlierOf(ctx context.Context, s *state.Store, run string) (before *trace.Earlier, err error) {
	err = s.View(ctx, func(v state.View) (err error) {
		before, err = trace.EarlierOf(v, run)
		return err
	})
	return before, err
}

// takeUp takes up what had become of an obligation, and takes what was run for it from the budgets.
func (r *run) takeUp(t *ObligationTrace) {
	if r.earlier.TakeUp(t, func(tool string) int { return stepsOf(r.Tools, tool) }) {
		r.spend(t)
	}
}

// stepsOf returns how many steps the plan of a tool has.
func stepsOf(tools *contract.Registry, tool string) int {
	if known, is := tools.Tool(tool); is {
		return len(known.Contract().Implementation.Steps)
	}
	return 0
}

// What is said of questions that nobody can answer.
const (
	viewersQuestion = "a viewer's run is not kept, so this cannot be answered: " +
		"send the obligations again, with what is missing"
	spokenQuestion = "this cannot be answered by itself: say the whole again in other words"
)
