// Package tools has the tools of the door of the Model Context Protocol: each is a form of a few requests to the REST
// API, with an answer that is as short as it may be.
package tools

import (
	"context"
	_ "embed" // for tools.json
	"encoding/json"
	"maps"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// listing is the tools as they are listed, but for what roles change of them.
//
//go:embed tools.json
var listing []byte

// listed is an entry of the listing.
type listed struct {
	Name        string               `json:"name"`
	Title       string               `json:"title"`
	Description string               `json:"description"`
	Annotations *mcp.ToolAnnotations `json:"annotations"`
	Roles       []lifecycle.Role     `json:"roles"` // that can use it; none for all
	Input       map[string]any       `json:"inputSchema"`
	Output      json.RawMessage      `json:"outputSchema"`
}

// tool is a tool of a role: what is listed, and what its arguments are held against.
type tool struct {
	mcp.Tool
	input *schemas.Schema
}

// offer is whose tools there are: those of a role, with or without files of the client.
type offer struct {
	role  lifecycle.Role
	files bool
}

// tools of each offer are made once.
var tools = struct {
	sync.Mutex
	of map[offer][]tool
}{of: map[offer][]tool{}}

func toolsOf(o offer) []tool {
	tools.Lock()
	defer tools.Unlock()
	if tools.of[o] == nil {
		tools.of[o] = makeTools(o)
	}
	return tools.of[o]
}

func makeTools(o offer) []tool {
	var all []listed
	must(jsonv2.Unmarshal(listing, &all))
	var made []tool
	for _, l := range all {
		if len(l.Roles) > 0 && !slices.Contains(l.Roles, o.role) {
			continue
		}
		t := tool{Tool: mcp.Tool{Name: l.Name, Title: l.Title, Description: l.Description, Annotations: l.Annotations}}
		properties, _ := l.Input["properties"].(map[string]any)
		switch {
		case l.Name == toolChange:
			maps.Copy(properties, changeFields(o.role))
		case l.Name == toolAttach && o.files:
			l.Input["required"] = []any{"id"}
		case l.Name == toolAttach:
			delete(properties, "path")
		}
		t.InputSchema, t.OutputSchema = schemaOf(l.Input), schemaOf(l.Output)
		var wrong []fault.Field
		if t.input, wrong = schemas.Compile(l.Input); wrong != nil {
			panic(wrong) // the listing is embedded
		}
		made = append(made, t)
	}
	return made
}

// changeFields returns the schemas of what a role may send of a change.
func changeFields(role lifecycle.Role) map[string]any {
	all := schemas.Inlined(schemas.ChangeRequest)["properties"].(map[string]any)
	own := lifecycle.FieldsOf(role)
	maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(own, name) })
	return portable(all).(map[string]any)
}

// conditions are keywords that tell one case from another. Not every client can pass them on to its model, and the API
// holds each change against all of them.
var conditions = []string{"allOf", "if", "then", "else", "not", "dependentRequired"}

// portable returns a schema without conditions, in which each value has one type: the API takes null as well, where it
// clears a member.
func portable(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		for name, value := range s {
			types, several := value.([]any)
			switch {
			case slices.Contains(conditions, name):
				delete(s, name)
			case name == "type" && several:
				s[name] = types[0]
			default:
				s[name] = portable(value)
			}
		}
	case []any:
		for i := range s {
			s[i] = portable(s[i])
		}
	}
	return schema
}

// schemaOf returns a schema in the form that the SDK need not read again for each server.
func schemaOf(v any) *jsonschema.Schema {
	raw, err := json.Marshal(v)
	must(err)
	s := new(jsonschema.Schema)
	must(json.Unmarshal(raw, s))
	return s
}

// must panics: what is read is embedded.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Of returns the tools that a caller can use, as they are listed.
func Of(s *Caller) []*Tool {
	var all []*Tool
	for _, t := range toolsOf(offer{s.Role, s.Report != nil}) {
		all = append(all, &Tool{&t.Tool, t, s})
	}
	return all
}

// Tool is a tool of a caller.
type Tool struct {
	Listed *mcp.Tool
	tool   tool
	caller *Caller
}

// Call calls the tool. What is wrong is a result as well, for whoever called to correct.
func (t *Tool) Call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	result, err := t.caller.call(ctx, t.tool, req)
	if err != nil {
		return failed(err), nil
	}
	return result, nil
}

// call checks the arguments and makes the calls of a tool. A change is held against its schema by the API, which puts
// its refusal on record.
func (s *Caller) call(ctx context.Context, t tool, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	raw := jsontext.Value(req.Params.Arguments)
	if len(raw) == 0 {
		raw = jsontext.Value(`{}`)
	}
	value, err := strictjson.Parse(raw)
	if err != nil {
		return nil, err
	}
	if t.Name == toolChange {
		value = envelope(value)
	}
	if wrong := t.input.Violations(value); len(wrong) > 0 {
		return nil, fault.New(fault.Malformed, CodeArguments, "the arguments of %s do not fit its schema", t.Name).
			WithFix("send arguments as tools/list has them").WithFields(wrong...)
	}
	return handlers[t.Name](s, ctx, req, raw)
}

// CodeArguments is the code of arguments that do not fit the schema of their tool.
const CodeArguments fault.Code = "invalid_arguments"
