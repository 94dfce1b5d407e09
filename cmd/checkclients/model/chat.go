package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat is OpenAI's Chat Completions API.
type chat struct{}

type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		ID      string          `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func (chat) read(_ string, body []byte) (*request, error) {
	var asked chatRequest
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	r := &request{model: asked.Model, stream: asked.Stream}
	for _, tool := range asked.Tools {
		r.tools = append(r.tools, Tool{Name: tool.Function.Name, Fields: fieldsOf(tool.Function.Parameters)})
	}
	for _, message := range asked.Messages {
		text := textOf(message.Content)
		switch message.Role {
		case "tool":
			r.results = append(r.results, result{id: message.ID, text: text})
		case "user":
			r.user = append(r.user, text)
			r.after(text)
		}
	}
	return r, nil
}

func (chat) write(w http.ResponseWriter, r *request, id string, call *Call, text string) {
	message, stop := object{"role": "assistant", "content": text}, "stop"
	if call != nil {
		message = object{"role": "assistant", "content": nil, "tool_calls": []any{object{"index": 0,
			"id": "call_" + id, "type": "function",
			"function": object{"name": call.Tool.Name, "arguments": call.inputOf()}}}}
		stop = "tool_calls"
	}
	usage := object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	answer := func(kind string, choice object) object {
		choice["index"] = 0
		return object{"id": "chat_" + id, "object": kind, "created": 1, "model": r.model,
			"choices": []any{choice}, "usage": usage}
	}
	if !r.stream {
		writeJSON(w, answer("chat.completion", object{"message": message, "finish_reason": stop}))
		return
	}
	events(w,
		answer("chat.completion.chunk", object{"delta": message, "finish_reason": nil}),
		answer("chat.completion.chunk", object{"delta": object{}, "finish_reason": stop}))
	fmt.Fprint(w, "data: [DONE]\n\n")
}
