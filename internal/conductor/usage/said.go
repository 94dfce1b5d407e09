package usage

import (
	"encoding/json"
)

// spoken is a message of a client that may have the words of its model.
type spoken struct {
	Type     string          `json:"type"`
	Result   json.RawMessage `json:"result"`   // Claude Code and Qwen Code, at the end
	Response json.RawMessage `json:"response"` // Gemini CLI, at the end
	Item     saying          `json:"item"`     // Codex, among others
	Part     saying          `json:"part"`     // opencode, among others
}

type saying struct {
	Type string          `json:"type"`
	Text json.RawMessage `json:"text"`
}

// Said returns the last words of the model in the output of a client whose usage can be read; "" where there are none.
// A report of usage is not what an agent says.
func Said(output []byte) (words string) {
	for _, raw := range valuesOf(output) {
		var m spoken
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		said := m.Response
		switch {
		case m.Type == "result":
			said = m.Result
		case m.Item.Type == "agent_message":
			said = m.Item.Text
		case m.Part.Type == "text":
			said = m.Part.Text
		}
		var text string
		if json.Unmarshal(said, &text) == nil && text != "" {
			words = text
		}
	}
	return words
}
