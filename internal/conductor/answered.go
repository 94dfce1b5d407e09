package conductor

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/strictjson"
)

// object reads what an outside tool answered: one JSON object, by the rules for any body from outside. Its numbers keep their value.
func object(raw []byte) (result map[string]any, effects []effect, err error) {
	if _, err = strictjson.Parse(raw); err == nil {
		err = strictjson.Fill(raw, &result)
	}
	if err != nil || result == nil {
		return nil, nil, fault.New(fault.Invalid, "tool_answer", "the tool did not answer with one JSON object").
			WithFix("have it write {\"value\": …}, at most %d deep, with numbers of at most %d characters, and nothing else to its standard output", strictjson.MaxDepth, strictjson.MaxNumber).Because(err)
	}
	return result, nil, nil
}
