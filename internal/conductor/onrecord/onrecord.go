// Package onrecord holds the built-in tools that answer from what is on record: which tools there are for something,
// and who asked for it (DISCOVER_OP), and why something came to what it came to (JUSTIFY).
package onrecord

import (
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/rules/planning"
)

// The names of the tools.
const (
	discoverName = "tools.discover"
	justifyName  = "record.justify"
)

// Tools returns the tools by name. Without a project nothing is said of requirements.
//
// Implements: ORC-260, ORC-299
func Tools(project builtin.Project, registry *contract.Registry) map[string]builtin.Tool {
	return map[string]builtin.Tool{
		discoverName: {Run: discoverer{registry}.run, Repeatable: true},
		justifyName:  {Run: justifier{project, registry}.run, Repeatable: true},
	}
}

// Contracts returns the contracts of the tools.
func Contracts() []planning.Contract {
	text := map[string]any{"type": "string", "minLength": 1, "maxLength": 1000}
	list := map[string]any{"type": "array"}
	of := func(name, description string, satisfies planning.Type, input string, required []any,
		properties map[string]any) planning.Contract {
		return planning.Contract{
			Name: name, Version: "1", Description: description, Satisfies: []string{string(satisfies)},
			Consumes:       []planning.Input{{Name: input, Schema: text, Required: true}},
			Produces:       map[string]any{"type": "object", "required": required, "properties": properties},
			Postconditions: []string{"result." + input + " == input." + input},
			Reliability:    planning.High, Cost: planning.CostTiny, LatencyMS: 5, TimeoutMS: 10_000,
			Verify: planning.CheckBlocking, Idempotent: true,
			Implementation: planning.Implementation{Means: planning.Builtin, Name: name},
		}
	}
	return []planning.Contract{
		of(discoverName, "Says which tools satisfy something, what is nearest, and who asked for it when no tool did.",
			planning.DiscoverOp, "capability", []any{"capability", "tools", "nearest", "asked"},
			map[string]any{"capability": text, "tools": list, "nearest": list}),
		of(justifyName, "Says from the record why a run, an obligation of it, or a requirement is where it is.",
			planning.Justify, "about", []any{"about", "what", "status", "reasons"},
			map[string]any{"about": text, "status": text, "reasons": list}),
	}
}
