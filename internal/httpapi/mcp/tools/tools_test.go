package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
)

// answering is a service that gives one answer to whatever is asked.
type answering struct {
	status int
	body   string
	asked  []string
}

func (a *answering) Do(r *http.Request) (*http.Response, error) {
	if a.status == 0 {
		return nil, errors.New("nobody answers")
	}
	a.asked = append(a.asked, r.Method+" "+r.URL.RequestURI())
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body))},
		nil
}

// using returns a tool of a role, which asks a service.
func using(t testing.TB, to *answering, role lifecycle.Role, name string) *Tool {
	t.Helper()
	report := func(_ context.Context, path string) ([]byte, error) { return []byte(path), nil }
	for _, tool := range Of(&Caller{API: rest.API{Service: to}, Role: role, Report: report}) {
		if tool.Listed.Name == name {
			return tool
		}
	}
	t.Fatalf("%s has no tool %s", role, name)
	return nil
}

func called(t testing.TB, tool *Tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	got, err := tool.Call(t.Context(), &mcp.CallToolRequest{
		Params: &mcp.CallToolParamsRaw{Name: tool.Listed.Name, Arguments: []byte(arguments)}})
	require.NoError(t, err)
	return got
}

// Verifies: ORC-313
func TestTheBoundaryKnowsEveryTool(t *testing.T) {
	policy := boundary.DefaultPolicy()
	seen := 0
	for name := range handlers {
		for _, server := range []string{"mcp__orchestrator__", "orchestrator_", "orchestrator-"} {
			require.False(t, policy.MayChange(boundary.Call{Tool: server + name}), name)
			seen++
		}
	}
	require.Equal(t, 30, seen)
	require.True(t, policy.MayChange(boundary.Call{Tool: "mcp__orchestrator__delete"}))
	require.True(t, policy.MayChange(boundary.Call{Tool: "mcp__other__change"}))
}

// Clients pass schemas on to models, and not every one can pass these keywords on.
//
// Verifies: ORC-307
func TestSchemasHaveNoConditions(t *testing.T) {
	var requirePortable func(at string, schema any)
	requirePortable = func(at string, schema any) {
		switch s := schema.(type) {
		case map[string]any:
			for name, value := range s {
				require.NotContains(t, []string{"allOf", "if", "then", "else", "not", "dependentRequired"}, name, at)
				if _, several := value.([]any); name == "type" {
					require.False(t, several, at)
				}
				requirePortable(at+"/"+name, value)
			}
		case []any:
			for _, value := range s {
				requirePortable(at, value)
			}
		}
	}
	for _, role := range lifecycle.Roles() {
		for _, tool := range Of(&Caller{Role: role}) {
			for _, schema := range []any{tool.Listed.InputSchema, tool.Listed.OutputSchema} {
				raw, err := json.Marshal(schema)
				require.NoError(t, err)
				var read any
				require.NoError(t, json.Unmarshal(raw, &read))
				requirePortable(string(role)+" "+tool.Listed.Name, read)
			}
		}
	}
}

// Whatever a service answers, a tool has a result, which says so if it is none of the API.
//
// Verifies: ORC-308
func TestAStrangeAnswerIsAnError(t *testing.T) {
	arguments := map[string]string{"next": `{}`, "requirement": `{"id":"R"}`, "list": `{}`, "review": `{}`,
		"history": `{"id":"R"}`, "change": `{"id":"R","status":"done"}`, "claim": `{"id":"R"}`,
		"attach_report": `{"id":"R","path":"r"}`, "ask": `{"utterance":"u"}`, "whoami": `{}`}
	for name, sent := range arguments {
		for _, service := range []*answering{{200, "<html>", nil}, {200, `[]`, nil}, {200, "", nil}, {500, "<html>",
			nil},
			{502, "", nil}, {0, "", nil}, {200, `{"standing":7,"moves":7,"fields":7,"records":7,"requirements":7}`,
				nil}} {
			got := called(t, using(t, service, lifecycle.Tester, name), sent)
			require.True(t, got.IsError || service.body != "" && service.body[0] == '{', "%s: %v", name, service)
			require.NotEmpty(t, got.Content)
		}
	}
}

// An id is one segment of the path, whatever stands in it.
func TestAnIDLeavesNoPath(t *testing.T) {
	for _, id := range []string{"../audit", "a/b", "a?x=1", "a#b", "%2e%2e", "ä b", "."} {
		service := &answering{200, `{}`, nil}
		encoded, err := jsontext.AppendQuote(nil, id)
		require.NoError(t, err)
		called(t, using(t, service, lifecycle.Coder, "requirement"), `{"id":`+string(encoded)+`,"fields":["all"]}`)
		require.Len(t, service.asked, 1)
		path, _, _ := strings.Cut(strings.TrimPrefix(service.asked[0], "GET /requirements/"), "?")
		require.NotContains(t, path, "/", id)
		require.NotContains(t, path, "#", id)
		require.NotEqual(t, "..", path)
	}
}

// FuzzArguments: no arguments make a tool panic, and none that its schema refuses reach the API.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"id":"REQ-001"}`, `{"id":1}`, `{"id":"a","id":"b"}`, `[]`, `null`, `"x"`,
		`{"utterance":"x","run":"y","value":[[]]}`, `{"fields":["all"],"limit":1e99}`, "\xff",
		`{"id":"R","status":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		for name := range handlers {
			service := &answering{404, `{"code":"unknown_requirement","detail":"there is none","status":404}`, nil}
			got := called(t, using(t, service, lifecycle.Tester, name), arguments)
			require.True(t, got.IsError, name)
			if strings.Contains(got.Content[0].(*mcp.TextContent).Text, string(CodeArguments)) {
				require.Empty(t, service.asked, "%s asked although its arguments do not fit", name)
			}
		}
	})
}
