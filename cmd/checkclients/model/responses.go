package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Tools      []responsesTool `json:"tools"` // of a namespace
}

type responsesItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
	ID      string          `json:"call_id"`
	Tools   []responsesTool `json:"tools"` // offered later
}

type responsesRequest struct {
	Model  string          `json:"model"`
	Stream bool            `json:"stream"`
	Input  json.RawMessage `json:"input"`
	Tools  []responsesTool `json:"tools"`
}

func (responses) read(_ string, body []byte) (*request, error) {
	var asked responsesRequest
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	r := &request{model: asked.Model, stream: asked.Stream, tools: flat("", asked.Tools)}
	var items []responsesItem
	if json.Unmarshal(asked.Input, &items) != nil {
		items = []responsesItem{{Type: "message", Role: "user", Content: asked.Input}}
	}
	for _, item := range items {
		r.tools = append(r.tools, flat("", item.Tools)...)
		switch text := textOf(item.Content); {
		case item.Type == "tool_search_output":
			r.results = append(r.results, result{id: item.ID, text: "tools were found"})
		case strings.HasSuffix(item.Type, "_call_output") && item.ID != "":
			r.results = append(r.results, result{id: item.ID, text: textOf(item.Output)})
		case item.Type == "agent_message": // from one agent to another
			r.user = append(r.user, string(item.Content))
		case item.Role == "user":
			r.user = append(r.user, text)
			r.after(text)
		case item.Role == "developer":
			r.after(text)
		}
	}
	return r, nil
}

// flat lists the tools, with those of each namespace. What the provider itself runs has no fields.
func flat(space string, tools []responsesTool) Tools {
	var all Tools
	for _, tool := range tools {
		if tool.Type == "namespace" {
			all = append(all, flat(tool.Name, tool.Tools)...)
			continue
		}
		name := tool.Name
		if name == "" {
			name = tool.Type
		}
		free := tool.Type == "custom"
		all = append(all, Tool{Name: name, Space: space, Fields: fieldsOf(tool.Parameters), Free: free})
	}
	return all
}

func (responses) write(w http.ResponseWriter, r *request, id string, call *Call, text string) {
	item := responsesItemOf(id, call, text)
	whole := object{"id": "resp_" + id, "object": "response", "status": "completed", "model": r.model,
		"output": []any{item},
		"usage": object{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110,
			"input_tokens_details":  object{"cached_tokens": 0},
			"output_tokens_details": object{"reasoning_tokens": 0}}}
	if !r.stream {
		writeJSON(w, whole)
		return
	}
	events(w,
		object{"type": "response.created", "response": object{"id": "resp_" + id, "status": "in_progress",
			"output": []any{}}},
		object{"type": "response.output_item.added", "output_index": 0, "item": item},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": whole})
}

// responsesItemOf returns what the model says: a text, or a call in the form that the kind of tool wants.
func responsesItemOf(id string, call *Call, text string) object {
	switch {
	case call == nil:
		return object{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}}}
	case call.Tool.Name == "tool_search":
		return object{"type": "tool_search_call", "id": "ts_" + id, "call_id": "call_" + id, "status": "completed",
			"execution": "client", "arguments": call.Input}
	case call.Tool.Free:
		item := object{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": "call_" + id, "status": "completed",
			"name": call.Tool.Name, "input": call.Text}
		return spaced(item, call)
	}
	return spaced(object{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "status": "completed",
		"name": call.Tool.Name, "arguments": call.inputOf()}, call)
}

func spaced(item object, call *Call) object {
	if call.Tool.Space != "" {
		item["namespace"] = call.Tool.Space
	}
	return item
}
