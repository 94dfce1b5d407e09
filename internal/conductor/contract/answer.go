package contract

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// inputSchema returns the schema of an input, with its numbers as requests have them; nil if there is no such input.
func (t *Tool) inputSchema(name string) (schema map[string]any) {
	for _, in := range t.contract.Consumes {
		if in.Name != name {
			continue
		}
		written, err := json.Marshal(in.Schema)
		if err == nil {
			err = jsonv2.Unmarshal(written, &schema, strictjson.Exact())
		}
		if err != nil {
			return in.Schema // which was read from JSON, and can be written
		}
	}
	return schema
}

// CheckQuestions refuses a CLARIFY whose schema is none, among the obligations of a request and the steps of its plans.
func CheckQuestions(request planning.Request) error {
	wrong := questionsIn("/obligations", request.Obligations)
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Malformed, ObligationsInvalid, "the schema of a CLARIFY cannot be used").
		WithFix("write schema as JSON Schema 2020-12, such as {\"type\":\"string\"}, or leave it out").
		WithFields(wrong...)
}

// questionsIn returns what is wrong with the schemas of the CLARIFYs in a list, with pointers that begin with at.
func questionsIn(at string, list []planning.Obligation) (wrong []fault.Field) {
	for i, o := range list {
		payload := fmt.Sprintf("%s/%d/payload", at, i)
		if schema, is := o.Payload["schema"].(map[string]any); is && o.Type == planning.Clarify {
			for _, w := range checkSchema(schema) {
				w.Pointer = payload + "/schema" + w.Pointer
				wrong = append(wrong, w)
			}
		}
		wrong = append(wrong, questionsIn(payload+"/steps", flow.Steps(o))...)
	}
	return wrong
}

// checkSchema returns what is wrong with the schema of a question, with pointers into it. A question may have none.
func checkSchema(schema map[string]any) []fault.Field {
	if schema == nil {
		return nil
	}
	_, found := schemas.Compile(schema)
	return found
}

// CheckAnswer holds the answer to a question against the schema of its slot, where there is one, and against what the
// schema of obligations says of that member of the payload: an answer has to fit what a payload has to. It returns what
// is wrong, with pointers into the value.
func CheckAnswer(o planning.Obligation, slot string, schema jsontext.Value, value any) []fault.Field {
	if schema != nil {
		var read map[string]any
		if err := jsonv2.Unmarshal(schema, &read, strictjson.Exact()); err != nil {
			return []fault.Field{{Code: "schema", Detail: err.Error()}}
		}
		compiled, wrong := schemas.Compile(read)
		if len(wrong) > 0 {
			return wrong
		}
		if wrong = compiled.Violations(value); len(wrong) > 0 {
			return wrong
		}
	}
	if o.Type == planning.Clarify {
		return nil
	}
	if steps := flow.Steps(o); steps != nil { // one of which lacks it
		return checkForSteps(steps, slot, value)
	}
	at := payloadAt + "/" + fault.PointerToken(slot)
	var wrong []fault.Field
	for _, f := range violationsOf(o, slot, value) {
		if inside, is := strings.CutPrefix(f.Pointer, at); is && (inside == "" || inside[0] == '/') {
			f.Pointer = inside
			wrong = append(wrong, f)
		}
	}
	if len(wrong) == 0 && saysNothing(value) && ofBox(o) {
		wrong = []fault.Field{{Code: "empty", Detail: "an answer says something"}}
	}
	return wrong
}

// payloadAt points to the payload of the only obligation of a request.
const payloadAt = "/obligations/0/payload"

// ofBox reports whether the schema of obligations has a kind: then it admits no member that it does not name.
func ofBox(o planning.Obligation) bool {
	return len(violationsOf(o, "no_such_member", "")) > len(violationsOf(o, "kind", o.Kind()))
}

// saysNothing reports whether a value is a blank text, or a list without items. As an input of the box it fails, and
// the question would be used up.
func saysNothing(value any) bool {
	list, isList := value.([]any)
	text, isText := value.(string)
	return isList && len(list) == 0 || isText && strings.TrimSpace(text) == ""
}

// violationsOf holds an obligation with one member in its payload against the schema of obligations.
func violationsOf(o planning.Obligation, member string, value any) []fault.Field {
	payload := map[string]any{"kind": o.Kind(), member: value}
	return schemas.Violations(schemas.Obligations,
		map[string]any{"obligations": []any{map[string]any{"type": string(o.Type), "payload": payload}}})
}

// checkForSteps returns what is wrong with an answer by the first step that lacks the slot, if it fits none of them.
func checkForSteps(steps []planning.Obligation, slot string, value any) (wrong []fault.Field) {
	for _, step := range steps {
		if _, given := step.Payload[slot]; given {
			continue
		}
		found := CheckAnswer(step, slot, nil, value)
		if len(found) == 0 {
			return nil
		}
		if wrong == nil {
			wrong = found
		}
	}
	return wrong
}

// SlotSchema returns the schema of an input of the first tool that has it, among candidates and what they depend on;
// nil if none has.
func (r *Registry) SlotSchema(candidates []*planning.Contract, slot string) map[string]any {
	for _, c := range candidates {
		tool, _ := r.Tool(c.Name)
		if schema := tool.inputSchema(slot); schema != nil {
			return schema
		}
		for _, name := range c.DependsOn {
			needed, _ := r.Tool(name)
			if schema := r.SlotSchema([]*planning.Contract{&needed.contract}, slot); schema != nil {
				return schema
			}
		}
	}
	return nil
}
