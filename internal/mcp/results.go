package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
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
	var p problem.Problem
	_ = unmarshal(body, &p) // what is no problem is shown as it is
	r := told(body, refusalText(p, string(body)))
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

// refusalText says what was refused, why, and what to do instead.
func refusalText(p problem.Problem, otherwise string) string {
	if p.Code == "" {
		return fault.Clip(otherwise, 500)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Refused (%s): %s.", p.Code, strings.TrimSuffix(p.Detail, "."))
	for _, f := range p.Errors {
		fmt.Fprintf(&b, "\n- %s", strings.TrimPrefix(f.Pointer+": "+f.Detail, ": "))
	}
	if p.Fix != "" {
		fmt.Fprintf(&b, "\nWhat to do: %s.", strings.TrimSuffix(p.Fix, "."))
	}
	return b.String()
}
