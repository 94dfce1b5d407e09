// Package builtin holds the built-in tools that read or change what is stored: the facts that the conductor knows, and
// the project.
//
// Each is a contract and a function. The conductor gives a call all that a tool may see, and records what it asserts.
package builtin

import (
	"context"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

// Tool is a tool over what is stored.
type Tool struct {
	Run        func(ctx context.Context, c Call) (result map[string]any, asserted []Effect, err error)
	Repeatable bool // running it again evaluates the answer again
	// Shown looks up what the store shows of what the tool brings about, in the members that its postconditions name;
	// nil where running the tool changes nothing.
	Shown func(ctx context.Context, c Call) (result map[string]any, err error)
	// Rests lists the facts that an answer rests on; nil where it rests on none.
	Rests func(c Call, result map[string]any) []Fact

	// Missing names inputs that this very obligation lacks; nil where the contract says it all.
	Missing func(o planning.Obligation) []string
}

// Call is one call of a tool.
type Call struct {
	Caller     audit.Actor
	Run        string // id of the run of the conductor
	ID         string // of the run of the tool; "" where it is evaluated again
	Token      string // id of the token that the run was asked for with; "" where there was none
	Obligation planning.Obligation
	Inputs     map[string]any
	View       func(ctx context.Context, read func(state.View) error) error // of what is known, this run's own facts included
	Functional func(subject, predicate string) bool                         // a subject has at most one object; may be nil
	Relations  map[string]planning.Relation                                 // that contracts declare, by predicate
}

// Effect is an assertion that a tool makes besides its result, or the end of some.
type Effect struct {
	Subject, Predicate string
	Object             any
	Scope              string   // state.ScopeOwn or state.ScopeProject, where that is not what goes without saying
	Ends               []string // ids of assertions that it ends; nil where it makes one
}

// Fact is what is said of a subject.
type Fact struct {
	Subject, Predicate string
	Object             any
}

// text returns an input that is a text, or "".
func (c Call) text(name string) string {
	text, _ := c.Inputs[name].(string)
	return text
}

func (c Call) user() string { return UserSubject(c.Caller) }

// SubjectUser stands for the caller where a payload names a subject.
const SubjectUser = "user"

// UserPrefix begins the subjects of assertions on callers.
const UserPrefix = state.UserPrefix

// UserSubject returns the subject of assertions about a caller.
func UserSubject(caller audit.Actor) string { return UserPrefix + caller.Name }

// contractOf returns the contract of a built-in tool over what is known, or over the project.
func contractOf(name, description string, timeoutMS int, satisfies []string, produces map[string]any,
	consumes ...planning.Input) planning.Contract {
	return planning.Contract{
		Name: name, Version: "1", Description: description, Satisfies: satisfies, Consumes: consumes,
		Produces:    produces,
		Reliability: planning.High, Cost: planning.CostTiny, LatencyMS: 1, TimeoutMS: timeoutMS,
		Verify: planning.CheckBlocking, Idempotent: true,
		Implementation: planning.Implementation{Means: planning.Builtin, Name: name},
	}
}

// objectSchema returns the schema of an object.
func objectSchema(required []any, properties map[string]any) map[string]any {
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// Recover turns a panic into a failure of the tool alone.
func Recover(run func() (map[string]any, []Effect, error)) (result map[string]any, effects []Effect, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, effects, err = nil, nil, fault.New(fault.Internal, "tool_defect", "the tool panicked: %v", p).
				WithFix("report it, with the trace")
		}
	}()
	return run()
}
