package model

import (
	"encoding/json"
	"net/http"
)

// anthropic is the Messages API.
type anthropic struct{}

type anthropicRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input_schema"`
	} `json:"tools"`
}

type anthropicPart struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"`
	ID      string          `json:"tool_use_id"`
}

func (anthropic) read(_ string, body []byte) (*request, error) {
	var asked anthropicRequest
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	r := &request{model: asked.Model, stream: asked.Stream}
	for _, tool := range asked.Tools {
		r.tools = append(r.tools, Tool{Name: tool.Name, Fields: fieldsOf(tool.Input)})
	}
	for _, message := range asked.Messages {
		if message.Role == "assistant" {
			continue
		}
		var parts []anthropicPart
		if json.Unmarshal(message.Content, &parts) != nil {
			parts = []anthropicPart{{Type: "text", Text: textOf(message.Content)}}
		}
		for _, part := range parts {
			if part.Type == "tool_result" {
				r.results = append(r.results, result{id: part.ID, text: textOf(part.Content)})
				continue
			}
			r.user = append(r.user, part.Text)
			r.after(part.Text)
		}
	}
	return r, nil
}

func (anthropic) write(w http.ResponseWriter, r *request, id string, call *Call, text string) {
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text}, "end_turn"
	whole := object{"type": "text", "text": text}
	if call != nil {
		block = object{"type": "tool_use", "id": "toolu_" + id, "name": call.Tool.Name, "input": object{}}
		whole = object{"type": "tool_use", "id": "toolu_" + id, "name": call.Tool.Name, "input": call.Input}
		delta, stop = object{"type": "input_json_delta", "partial_json": call.inputOf()}, "tool_use"
	}
	usage := object{"input_tokens": 100, "output_tokens": 10}
	message := object{"id": "msg_" + id, "type": "message", "role": "assistant", "model": r.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !r.stream {
		message["content"], message["stop_reason"] = []any{whole}, stop
		writeJSON(w, message)
		return
	}
	events(w,
		object{"type": "message_start", "message": message},
		object{"type": "content_block_start", "index": 0, "content_block": block},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage},
		object{"type": "message_stop"})
}
