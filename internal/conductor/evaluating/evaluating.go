// Package evaluating works out with the built-in tools what an obligation comes to, whoever met it.
//
// Verification goes by the kind of an obligation, not by the tool that answered: where a built-in tool satisfies the
// kind, the answer of any other tool is held against what the built-in tool finds. For a REPORT the two results are
// compared. For an ACHIEVE the store shows whether it was brought about, and for a VERIFY the check is made again;
// there the postconditions of the built-in tool decide as well.
package evaluating

import (
	"context"
	"maps"
	"slices"
	"time"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/onrecord"
	"orchestrator/internal/conductor/schedule"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Set holds the built-in tools that evaluate, by the obligations that they evaluate. It never changes.
type Set map[string]*Tool

// Tool evaluates the obligations of its contract.
type Tool struct {
	Contract planning.Contract

	checked *contract.Tool
	senses  map[string]agreement.Sense
	rests   func(c builtin.Call, result map[string]any) []builtin.Fact
	work    func(ctx context.Context, c builtin.Call, at time.Time) (map[string]any, error)
}

// New returns the tools of the box that evaluate: those that need no store, and those over what is stored. A tool that
// the registry does not have evaluates nothing.
func New(registry *contract.Registry, box []tools.Tool, over map[string]builtin.Tool) Set {
	set := Set{}
	add := func(t *Tool) {
		checked, known := registry.Tool(t.Contract.Name)
		if t.checked = checked; !known {
			return
		}
		for _, pattern := range t.Contract.Satisfies {
			set[pattern] = t
		}
	}
	for _, b := range box {
		add(&Tool{Contract: b.Contract, senses: b.Senses, work: func(ctx context.Context, c builtin.Call,
			at time.Time) (map[string]any, error) {
			return b.Run(ctx, tools.In{Payload: c.Obligation.Payload, Input: c.Inputs, Now: at})
		}})
	}
	for _, c := range Contracts() {
		if b, is := over[c.Name]; is {
			add(&Tool{Contract: c, rests: b.Rests, work: lookUp(b)})
		}
	}
	return set
}

// Contracts returns those of all tools over what is stored.
func Contracts() []planning.Contract {
	return slices.Concat(builtin.FactContracts(), builtin.ProjectContracts(), schedule.Contracts(),
		onrecord.Contracts())
}

// lookUp returns how a tool over what is stored evaluates: by what the store shows, or by running once more.
func lookUp(b builtin.Tool) func(context.Context, builtin.Call, time.Time) (map[string]any, error) {
	return func(ctx context.Context, c builtin.Call, _ time.Time) (map[string]any, error) {
		if b.Shown != nil {
			return b.Shown(ctx, c)
		}
		result, _, err := b.Run(ctx, c)
		return result, err
	}
}

// For returns the tool that evaluates an obligation: the one of its kind, or else that of its type.
func (s Set) For(o planning.Obligation) (*Tool, bool) {
	t, known := s[o.String()]
	if !known {
		t, known = s[string(o.Type)]
	}
	return t, known
}

// Evaluate works out what an obligation comes to, with the inputs of the call, at a moment. Neither the time of its
// contract nor a defect of it is more than an error.
func (t *Tool) Evaluate(ctx context.Context, c builtin.Call, at time.Time) (result map[string]any, err error) {
	for _, in := range t.Contract.Consumes {
		value, given := c.Inputs[in.Name]
		if !given {
			continue
		}
		if err := t.checked.CheckInput(in.Name, value); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, time.Duration(t.Contract.TimeoutMS)*time.Millisecond)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fault.New(fault.Internal, "tool_defect", "the tool panicked: %v", p).
				WithFix("report it, with the trace")
		}
	}()
	return t.work(ctx, c, at)
}

// Judge compares the answer of a tool with what this one evaluated: in the members that its contract requires or, if it
// is its own answer, in all. It returns what may be answered, in values as the built-in tool writes them, or why
// nothing may be.
func (t *Tool) Judge(tool string, answered, evaluated map[string]any) (kept map[string]any, why string) {
	if tool == t.Contract.Name {
		if d := agreement.Strict(answered, evaluated, t.senses); d != nil {
			return nil, d.Between(tool, "a second evaluation")
		}
		return answered, ""
	}
	kept, d := agreement.Compare(answered, evaluated, Required(t.Contract.Produces), t.senses)
	if d != nil {
		return nil, d.Between(tool, t.Contract.Name)
	}
	return kept, ""
}

// Unmet returns why an obligation that is not a question was not met, although a tool says that it was; "" where it
// was.
func (t *Tool) Unmet(ctx context.Context, c builtin.Call, tool string, result map[string]any) string {
	evaluated, err := t.Evaluate(ctx, c, time.Time{})
	if err != nil {
		if failed := state.FailureOf(err); failed.Code != builtin.CodeNotShown {
			return "it cannot tell: " + failed.Detail
		}
		return state.FailureOf(err).Detail
	}
	if c.Obligation.Type == planning.Verify {
		if _, d := agreement.Compare(result, evaluated, Required(t.Contract.Produces), t.senses); d != nil {
			return d.Between(tool, t.Contract.Name) + builtin.Problems(evaluated)
		}
	}
	return t.unmet(c, evaluated)
}

// unmet returns the first postcondition of the contract that does not hold for what the tool evaluated, with what it
// found, or "".
func (t *Tool) unmet(c builtin.Call, evaluated map[string]any) string {
	facts := contract.Facts{Payload: c.Obligation.Payload, Input: c.Inputs,
		Caller: map[string]any{"name": c.Caller.Name, "role": c.Caller.Role}}
	for _, v := range t.checked.Postconditions(facts, evaluated) {
		if !v.Holds {
			found := maps.Clone(evaluated)
			maps.DeleteFunc(found, func(name string, _ any) bool {
				return !slices.Contains(Required(t.Contract.Produces), name)
			})
			return t.Contract.Name + " finds " + agreement.Shown(found) + ", where " + v.String()
		}
	}
	return ""
}

// Rests returns the facts that an answer rests on.
func (t *Tool) Rests(c builtin.Call, result map[string]any) []builtin.Fact {
	if t.rests == nil {
		return nil
	}
	return t.rests(c, result)
}

// Required returns the members that a schema of an object requires.
func Required(schema map[string]any) (names []string) {
	list, _ := schema["required"].([]any)
	for _, item := range list {
		if name, is := item.(string); is {
			names = append(names, name)
		}
	}
	return names
}
