package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// generative is Google's Generative Language API.
type generative struct{}

type generativePart struct {
	Text     string `json:"text"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

type generativeRequest struct {
	Contents []struct {
		Role  string           `json:"role"`
		Parts []generativePart `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Functions []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
			Schema     json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

func (generative) read(path string, body []byte) (*request, error) {
	var asked generativeRequest
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	r := &request{stream: strings.HasSuffix(path, ":streamGenerateContent")}
	for _, group := range asked.Tools {
		for _, tool := range group.Functions {
			schema := tool.Schema
			if len(schema) == 0 {
				schema = tool.Parameters
			}
			r.tools = append(r.tools, Tool{Name: tool.Name, Fields: fieldsOf(schema)})
		}
	}
	for _, content := range asked.Contents {
		if content.Role == "model" {
			continue
		}
		for _, part := range content.Parts {
			if part.Response != nil {
				r.results = append(r.results, result{id: part.Response.ID, text: string(part.Response.Response)})
				continue
			}
			r.user = append(r.user, part.Text)
			r.after(part.Text)
		}
	}
	return r, nil
}

func (generative) write(w http.ResponseWriter, r *request, id string, call *Call, text string) {
	part := object{"text": text}
	if call != nil {
		part = object{"functionCall": object{"id": "call_" + id, "name": call.Tool.Name, "args": call.Input}}
	}
	answer := object{
		"candidates": []any{object{"index": 0, "finishReason": "STOP",
			"content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
	}
	if !r.stream {
		writeJSON(w, answer)
		return
	}
	events(w, answer)
}
