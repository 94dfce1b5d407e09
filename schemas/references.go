package schemas

import "github.com/santhosh-tekuri/jsonschema/v5"

// keywordValue is the keyword that stands for a schema that admits a reference in the place of a value:
//
//	"if": {"$ref": "#/$defs/reference"}, "else": {…}
//
// becomes
//
//	orchestrator:value: {…}
//
// One look into the value tells a reference. The library would make an error of each value that is none.
const keywordValue = "orchestrator:value"

// takeValue puts keywordValue in the place of an if that asks for a reference.
func takeValue(schema map[string]any) {
	asks, _ := schema["if"].(map[string]any)
	members, _ := asks["properties"].(map[string]any)
	otherwise, has := schema["else"].(map[string]any)
	if _, is := members["from"]; !is || len(members) != 1 || !has || schema["then"] != nil {
		return
	}
	schema[keywordValue] = otherwise
	delete(schema, "if")
	delete(schema, "else")
}

// valueOf is keywordValue, compiled.
type valueOf struct{ schema *jsonschema.Schema }

// valueCompiler implements [jsonschema.ExtCompiler].
type valueCompiler struct{}

func (valueCompiler) Compile(c jsonschema.CompilerContext, schema map[string]any) (jsonschema.ExtSchema, error) {
	if _, is := schema[keywordValue]; !is {
		return nil, nil
	}
	s, err := c.Compile(keywordValue, true)
	return valueOf{s}, err
}

// Validate implements [jsonschema.ExtSchema].
func (o valueOf) Validate(v jsonschema.ValidationContext, value any) error {
	if isReference(value) {
		return nil
	}
	return v.Validate(o.schema, keywordValue, value, "")
}

// isReference reports whether a value is an object with the one member from, a text.
func isReference(value any) bool {
	object, _ := value.(map[string]any)
	_, is := object["from"].(string)
	return is && len(object) == 1
}
