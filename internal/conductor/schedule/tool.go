package schedule

import (
	"context"
	"strings"
	"time"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

const toolName = "schedule.add"

// Tools returns the tool that makes schedules, by its name.
func Tools(k *Keeper) map[string]builtin.Tool {
	return map[string]builtin.Tool{toolName: {Run: k.schedule, Shown: none}}
}

// Contracts returns the contract of that tool.
func Contracts() []planning.Contract {
	text := map[string]any{"type": "string", "minLength": 1, "maxLength": 64}
	optional := func(name string, schema map[string]any) planning.Input {
		return planning.Input{Name: name, Schema: schema}
	}
	return []planning.Contract{{
		Name: toolName, Version: "1", Satisfies: []string{string(planning.Schedule)},
		Description: "Keeps obligations, and conducts them at a time, or again and again, in the caller's name.",
		Consumes: []planning.Input{optional("at", text), optional("budgets", map[string]any{"type": "object"}),
			optional("every", text),
			{Name: "obligations", Required: true,
				Schema: map[string]any{"type": "array", "minItems": 1, "maxItems": 20}},
			optional("until", text)},
		Produces: map[string]any{"type": "object", "required": []any{"id", "first"},
			"properties": map[string]any{"id": text, "first": text, "every": text, "until": text}},
		Preconditions: []string{planning.NotViewer}, // which leaves nothing behind
		Reliability:   planning.High, Cost: planning.CostTiny, LatencyMS: 5, TimeoutMS: 5000, Verify: planning.CheckOff,
		Idempotent:     true,
		Implementation: planning.Implementation{Means: planning.Builtin, Name: toolName},
	}}
}

// none says of the word of another tool that the service does not keep such a schedule.
func none(context.Context, builtin.Call) (map[string]any, error) {
	return nil, fault.New(fault.NotFound, codeUnknown, "the service keeps no schedule of this run").
		WithFix("take SCHEDULE out of what the tool satisfies: %s makes schedules", toolName)
}

// schedule makes a schedule. Its id comes from the run and the obligation, so that a run that was cut off makes it
// once.
//
// Implements: ORC-257
func (k *Keeper) schedule(ctx context.Context, c builtin.Call) (map[string]any, []builtin.Effect, error) {
	if c.Token == "" {
		return nil, nil, state.RefusedChange(fault.New(fault.Forbidden, codeForbidden,
			"a schedule ends with the token that it was made with, and this run has none").
			WithFix("send the SCHEDULE to POST /obligations"))
	}
	obligation, _, _ := strings.Cut(c.ID, "/")
	timing, err := Read(planning.Inputs(c.Inputs), k.clock())
	if err != nil {
		return nil, nil, state.RefusedChange(inRequest(obligation, err))
	}
	s := state.Schedule{
		ID: c.Run + "-" + obligation, Run: c.Run, By: c.Caller, Token: c.Token, Kind: c.Obligation.Kind(),
		Obligations: flow.Scheduled(c.Obligation), First: timing.First, EveryMS: timing.Every.Milliseconds(),
		Until: timing.Until, Next: timing.First,
	}
	if s.Budgets, err = budgetsOf(c.Inputs["budgets"]); err != nil {
		return nil, nil, err
	}
	if s, err = k.add(ctx, s); err != nil {
		return nil, nil, state.RefusedChange(err)
	}
	result := map[string]any{"id": s.ID, "first": shown(s.First)}
	if every := timingOf(s).Every; every > 0 {
		result["every"] = Words(every)
	}
	if !s.Until.IsZero() {
		result["until"] = shown(s.Until)
	}
	return result, nil, nil
}

// budgetsOf reads the budgets of a payload.
func budgetsOf(value any) (b planning.Budgets, err error) {
	if value == nil {
		return b, nil
	}
	if b, err = state.Plain[planning.Budgets](value); err != nil {
		return b, fault.New(fault.Invalid, CodeTime, "budgets cannot be read").
			WithFix("write them as those of a request").Because(err)
	}
	return b, nil
}

// Words writes a duration without parts that are zero: 1h30m.
func Words(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
