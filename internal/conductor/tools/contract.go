package tools

import (
	"slices"
	"strings"

	"orchestrator/internal/rules/planning"
)

// version is the version of all built-in contracts.
const version = "1.0.0"

// contract returns what the built-in tools have in common: they are sure, cheap and quick, and may run twice.
func contract(name, satisfies, description string, inputs []planning.Input, produces map[string]any) planning.Contract {
	slices.SortFunc(inputs, func(a, b planning.Input) int { return strings.Compare(a.Name, b.Name) })
	return planning.Contract{
		Name:           name,
		Version:        version,
		Description:    description,
		Satisfies:      []string{satisfies},
		Consumes:       inputs,
		Produces:       produces,
		Reliability:    planning.High,
		Cost:           planning.CostTiny,
		LatencyMS:      1,
		TimeoutMS:      1000,
		Verify:         planning.CheckOff,
		Idempotent:     true,
		Implementation: planning.Implementation{Means: planning.Builtin, Name: name},
	}
}

func required(name string, schema map[string]any) planning.Input {
	return planning.Input{Name: name, Schema: schema, Required: true}
}

func optional(name string, schema map[string]any) planning.Input {
	return planning.Input{Name: name, Schema: schema}
}

// textSchema returns the schema of a text of at most so many characters; 0 is no bound.
func textSchema(description string, most int) map[string]any {
	s := map[string]any{"type": "string", "description": description}
	if most > 0 {
		s["maxLength"] = most
	}
	return s
}

func flagSchema(description string) map[string]any {
	return map[string]any{"type": "boolean", "description": description}
}

func countSchema(description string, least int) map[string]any {
	return map[string]any{"type": "integer", "minimum": least, "description": description}
}

// listSchema returns the schema of a list of at most so many items; 0 is no bound.
func listSchema(description string, items map[string]any, most int) map[string]any {
	s := map[string]any{"type": "array", "items": items, "description": description}
	if most > 0 {
		s["maxItems"] = most
	}
	return s
}

// object returns the schema of an object with the members given and no others. Those named are required.
func object(members map[string]any, must ...string) map[string]any {
	names := make([]any, len(must))
	for i, name := range must {
		names[i] = name
	}
	return map[string]any{"type": "object", "properties": members, "required": names, "additionalProperties": false}
}
