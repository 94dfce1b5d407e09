// Package tools holds the built-in tools that need no store: their contracts, how they run, and how their results are
// evaluated again.
//
// Each is a contract and two functions over a package that does the work: arith, lettercount, normalize and datalog. A
// tool reads no clock and nothing of its caller but its input.
package tools

import (
	"context"
	"time"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// In is the input of a tool.
type In struct {
	Payload map[string]any // of the obligation
	Input   map[string]any // the slots of the contract, as JSON has them; an optional one may be missing
	Now     time.Time
}

// Tool is a contract with the functions that implement it.
type Tool struct {
	Contract planning.Contract

	// Run gives a result that Contract.Produces admits. Its errors are *fault.Error: Invalid where the input is at
	// fault.
	Run func(ctx context.Context, in In) (result map[string]any, err error)

	// Again works the result out another way and compares; its error says what differs. It takes a result as Run gave
	// it, or as it was read back from JSON. It is nil where nothing can be evaluated again.
	Again func(ctx context.Context, in In, result map[string]any) error

	// Senses says of members of the result how another tool's are compared with them, where not as JSON.
	Senses map[string]agreement.Sense
}

// Box returns every tool that needs no store, in the order of their names.
func Box() []Tool {
	return []Tool{
		mathEval(),
		normalizeEmail(),
		normalizeURL(),
		rulesDeduce(),
		textCountLetters(),
		timeNow(),
	}
}

// text returns an input that must be there.
func (in In) text(name string) (string, error) {
	value, is := in.Input[name].(string)
	if !is {
		return "", badInput(name, "text")
	}
	return value, nil
}

// optionalText returns "" if the input is missing.
func (in In) optionalText(name string) (string, error) {
	if in.Input[name] == nil {
		return "", nil
	}
	return in.text(name)
}

// texts returns a list of text; one that is missing is empty.
func (in In) texts(name string) ([]string, error) {
	switch list := in.Input[name].(type) {
	case nil:
		return nil, nil
	case []string:
		return list, nil
	case []any:
		if texts, all := textsOf(list); all {
			return texts, nil
		}
	}
	return nil, badInput(name, "a list of text")
}

func textsOf(list []any) (texts []string, all bool) {
	texts = make([]string, len(list))
	for i, v := range list {
		text, is := v.(string)
		if !is {
			return nil, false
		}
		texts[i] = text
	}
	return texts, true
}

// flag returns false if the input is missing.
func (in In) flag(name string) (bool, error) {
	if in.Input[name] == nil {
		return false, nil
	}
	value, is := in.Input[name].(bool)
	if !is {
		return false, badInput(name, "true or false")
	}
	return value, nil
}

func badInput(name, want string) error {
	return fault.New(fault.Invalid, "tool_input", "%s is missing, or not %s", name, want).
		WithFix("give %s as the contract of the tool has it", name)
}

// unconfirmed returns the error of a result that is not confirmed. It is never nil.
func unconfirmed(tool string, why error) error {
	return fault.New(fault.Internal, "result_unconfirmed", "the result of %s is not confirmed: %s", tool, why.Error()).
		WithFix("do not use the result; report the input to the operator of the service").Because(why)
}
