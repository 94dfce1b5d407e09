package tools

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/httpapi/problem"
)

// told returns a result: what the API answered, and the same in a few words.
func told(body jsontext.Value, text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(body),
	}
}

// toldOf is told of a value.
func toldOf(v any, text string) (*mcp.CallToolResult, error) {
	body, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	return told(body, text), err
}

// refusal returns the result of what the API refused: its problem.
func refusal(body jsontext.Value) *mcp.CallToolResult {
	r := told(body, rest.Explain(body))
	r.IsError = true
	return r
}

// failed returns the result of an error that is none of the API.
func failed(err error) *mcp.CallToolResult {
	if f := fault.As(err); f != nil {
		err = f.ForClients()
	}
	body, encoding := jsonv2.Marshal(problem.Of(err, ""), jsonv2.Deterministic(true))
	if encoding != nil {
		return told(jsontext.Value(`{}`), "the service met a defect")
	}
	return refusal(body)
}
