package contract

import (
	"encoding/json"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// InputSchema returns the schema of an input, with its numbers as requests have them; nil if there is no such input.
func (t *Tool) InputSchema(name string) (schema map[string]any) {
	for _, in := range t.contract.Consumes {
		if in.Name != name {
			continue
		}
		written, err := json.Marshal(in.Schema)
		if err == nil {
			err = jsonv2.Unmarshal(written, &schema, strictjson.Exact)
		}
		if err != nil {
			return in.Schema // which was read from JSON, and can be written
		}
	}
	return schema
}

// CheckSchema returns what is wrong with the schema of a question, with pointers into it. A question may have none.
func CheckSchema(schema map[string]any) []fault.Field {
	if schema == nil {
		return nil
	}
	_, found := schemas.Compile(schema)
	return found
}

// CheckAnswer holds the answer to a question against the schema of its slot, or, where that is nil, against what the
// schema of obligations says of that member of the payload. It returns what is wrong, with pointers into the value.
func CheckAnswer(o planning.Obligation, slot string, schema jsontext.Value, value any) []fault.Field {
	if schema != nil {
		var read map[string]any
		if err := jsonv2.Unmarshal(schema, &read, strictjson.Exact); err != nil {
			return []fault.Field{{Code: "schema", Detail: err.Error()}}
		}
		compiled, wrong := schemas.Compile(read)
		if len(wrong) > 0 {
			return wrong
		}
		return compiled.Violations(value)
	}
	if o.Type == planning.Clarify {
		return nil
	}
	payload := map[string]any{"kind": o.Kind(), slot: value}
	request := map[string]any{"obligations": []any{map[string]any{"type": string(o.Type), "payload": payload}}}
	var wrong []fault.Field
	for _, f := range schemas.Violations(schemas.Obligations, request) {
		if at, is := strings.CutPrefix(f.Pointer, "/obligations/0/payload/"+fault.PointerToken(slot)); is {
			f.Pointer = at
			wrong = append(wrong, f)
		}
	}
	return wrong
}
