package conductor

import (
	"context"
	"time"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/runner"
)

// dispatch runs a tool by its implementation kind. id is the run's, by which an external tool can tell that it ran
// before.
func (r *run) dispatch(ctx context.Context, c planning.Contract, o planning.Obligation, inputs map[string]any,
	id string) (map[string]any, []builtin.Effect, error) {
	limit := time.Duration(c.TimeoutMS) * time.Millisecond
	if c.Implementation.Means == planning.Builtin {
		bounded, stop := context.WithTimeout(ctx, limit)
		defer stop()
		return r.runBuiltin(bounded, c, r.callOf(o, inputs, id))
	}
	room := r.toolSlots
	if c.Role != "" {
		room = r.agentSlots
	}
	select {
	case room <- struct{}{}:
		defer func() { <-room }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	asked := outside.Call{Run: r.request.ID + "/" + id, Obligation: o, Inputs: inputs, Caller: r.request.Caller}
	if c.Role != "" {
		result, err := r.act(ctx, c, asked, limit)
		return result, nil, err
	}
	raw, err := outside.Run(ctx, r.Root, c.Implementation, limit, asked, nil)
	if err != nil {
		return nil, nil, err
	}
	result, err := outside.Result(raw, secret.Mask)
	return result, nil, err
}

// callOf returns a call of a built-in tool. id is that of its run, "" where it is evaluated again.
func (r *run) callOf(o planning.Obligation, inputs map[string]any, id string) builtin.Call {
	return builtin.Call{Caller: r.request.Caller, Run: r.request.ID, ID: id, Token: r.request.Token, Obligation: o,
		Inputs: inputs, View: r.view, Functional: r.functional, Relations: r.Tools.Relations()}
}

// runBuiltin runs a built-in tool.
func (r *run) runBuiltin(ctx context.Context, c planning.Contract, a builtin.Call) (map[string]any, []builtin.Effect, error) {
	if known, is := r.stateTools[c.Implementation.Name]; is {
		return builtin.Recover(func() (map[string]any, []builtin.Effect, error) { return known.Run(ctx, a) })
	}
	tool, is := r.box[c.Implementation.Name]
	if !is {
		return nil, nil, fault.New(fault.NotFound, runner.CodeMissing, "there is no built-in tool %q",
			c.Implementation.Name).WithFix("orchestrator tools list names them; correct the contract")
	}
	return builtin.Recover(func() (map[string]any, []builtin.Effect, error) {
		result, err := tool.Run(ctx, tools.In{Payload: a.Obligation.Payload, Input: a.Inputs, Now: r.Clock()})
		return result, nil, err
	})
}
