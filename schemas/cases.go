package schemas

import (
	"net/url"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"orchestrator/internal/fault"
)

// keywordCases is the keyword that stands for the conditions of a schema that ask one member for a constant each:
//
//	"allOf": [{"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {…}}, …]
//
// becomes
//
//	orchestrator:cases: {"member": "kind", "of": {"a": {…}, …}}
//
// At most one of them holds, and it is found by one look into the value. The library would evaluate them all, and each
// that does not hold costs it more than the one that does.
const keywordCases = "orchestrator:cases"

// withCases returns a schema in which keywordCases and keywordValue stand for the conditions that they can stand for.
func withCases(node any) any {
	switch n := node.(type) {
	case []any:
		for i := range n {
			n[i] = withCases(n[i])
		}
	case map[string]any:
		for key := range n {
			n[key] = withCases(n[key])
		}
		takeValue(n)
		if all, is := n["allOf"].([]any); is {
			takeCases(n, all)
		}
	}
	return node
}

// takeCases moves the conditions of an allOf that ask the same member for different constants into keywordCases.
func takeCases(schema map[string]any, all []any) {
	var member string
	of, rest := map[string]any{}, []any{}
	for _, one := range all {
		asked, constant, then := condition(one)
		if member == "" {
			member = asked
		}
		if asked == "" || asked != member || of[constant] != nil {
			rest = append(rest, one)
		} else {
			of[constant] = then
		}
	}
	if member != "" {
		schema[keywordCases] = map[string]any{"member": member, "of": of}
	}
	if schema["allOf"] = rest; len(rest) == 0 {
		delete(schema, "allOf")
	}
}

// condition returns the member that a schema asks for a constant, and what applies then; "", "", nil for another
// schema.
func condition(schema any) (member, constant string, then any) {
	s, _ := schema.(map[string]any)
	asks, _ := s["if"].(map[string]any)
	properties, _ := asks["properties"].(map[string]any)
	required, _ := asks["required"].([]any)
	if s["then"] == nil || len(s) != 2 || len(asks) != 2 || len(properties) != 1 || len(required) != 1 {
		return "", "", nil
	}
	member, _ = required[0].(string)
	value, _ := properties[member].(map[string]any)
	constant, _ = value["const"].(string)
	if constant == "" || len(value) != 1 {
		return "", "", nil
	}
	return member, constant, s["then"]
}

// cases is keywordCases, compiled.
type cases struct {
	member string
	of     map[string]*jsonschema.Schema
}

// ourKeywords are the keywords that embedded schemas are compiled with.
var ourKeywords = map[string]jsonschema.ExtCompiler{
	keywordCases: casesCompiler{}, keywordValue: valueCompiler{},
}

// casesCompiler implements [jsonschema.ExtCompiler].
type casesCompiler struct{}

func (casesCompiler) Compile(c jsonschema.CompilerContext, schema map[string]any) (jsonschema.ExtSchema, error) {
	keyword, is := schema[keywordCases].(map[string]any)
	if !is {
		return nil, nil
	}
	compiled := cases{keyword["member"].(string), map[string]*jsonschema.Schema{}}
	for constant := range keyword["of"].(map[string]any) {
		path := keywordCases + "/of/" + url.PathEscape(fault.PointerToken(constant))
		s, err := c.Compile(path, true)
		if err != nil {
			return nil, err
		}
		compiled.of[constant] = s
	}
	return compiled, nil
}

// Validate implements [jsonschema.ExtSchema].
func (c cases) Validate(v jsonschema.ValidationContext, value any) error {
	if s := c.of[constantOf(value, c.member)]; s != nil {
		return v.Validate(s, keywordCases, value, "")
	}
	return nil
}

// constantOf returns a member of a value if it is a text, or "".
func constantOf(value any, member string) string {
	object, _ := value.(map[string]any)
	constant, _ := object[member].(string)
	return constant
}
