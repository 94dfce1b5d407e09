package conductor

import (
	"maps"

	"orchestrator/internal/fault"
	"orchestrator/internal/strictjson"
)

// parseResult reads what an outside tool answered: one JSON object, by the rules for any body from outside. Its numbers
// keep their value; its texts and names are masked, since the result is recorded.
func parseResult(raw []byte, mask func(string) string) (map[string]any, error) {
	var result map[string]any
	_, err := strictjson.ParseUncounted(raw)
	if err == nil {
		err = strictjson.Fill(raw, &result)
	}
	if err != nil || result == nil {
		return nil, fault.New(fault.Invalid, "tool_answer", "the tool did not answer with one JSON object").
			WithFix("write {\"value\": …}, at most %d deep, with numbers of at most %d characters, and "+
				"nothing else to its standard output", strictjson.MaxDepth, strictjson.MaxNumber).Because(err)
	}
	return maskAll(result, mask).(map[string]any), nil
}

// maskAll masks the texts and names of a value.
func maskAll(value any, mask func(string) string) any {
	switch v := value.(type) {
	case string:
		return mask(v)
	case []any:
		for i := range v {
			v[i] = maskAll(v[i], mask)
		}
	case map[string]any:
		for name, member := range maps.Clone(v) {
			delete(v, name)
			v[mask(name)] = maskAll(member, mask)
		}
	}
	return value
}
