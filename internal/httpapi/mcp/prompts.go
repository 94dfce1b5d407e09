package mcp

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/httpapi/mcp/tools"
	"orchestrator/internal/rules/lifecycle"
)

// prompt is a prompt: what it asks for, and what of the project comes with it.
type prompt struct {
	name, title, description string
	needsID                  bool // else the argument requirement may be left out
	takesID                  bool
	text                     string

	uri  func(id string) string                          // names the data
	path func(id string) (path string, query url.Values) // where the API has it; nil where the data is a resource
}

// words are the texts that clients are given, by file.
//
//go:embed words
var words embed.FS

// say returns texts, one after the other.
func say(names ...string) string {
	var all []byte
	for _, name := range names {
		text, err := words.ReadFile("words/" + name + ".txt")
		if err != nil {
			panic(err) // they are embedded
		}
		all = append(all, text...)
	}
	return string(bytes.TrimSpace(all))
}

func promptsOf(role lifecycle.Role) []prompt {
	all := []prompt{{
		name: string(role), title: "Work as " + string(role), takesID: true, text: say(howTo(role)...),
		description: "What the role " + string(role) + " is to do, and what waits for it.",
		uri:         func(id string) string { return "agenda://" + string(role) + "/" + url.PathEscape(id) },
		path:        pathOfTurn,
	}}
	if role != lifecycle.PM {
		return all
	}
	return append(all, prompt{
		name: "review_project", title: "Review the project", text: say("review_project", "data"),
		description: "Whether the project is done, and what stands in the way.",
		uri:         func(string) string { return uriStatus },
	}, prompt{
		name: "review_requirement", title: "Review a requirement", takesID: true, needsID: true,
		text:        say("review_requirement", "data"),
		description: "Whether a requirement can be signed off: its evidence and gates as they are now.",
		path:        func(id string) (string, url.Values) { return rest.Requirement(id, "/review"), nil },
		uri:         func(id string) string { return "review://" + url.PathEscape(id) },
	})
}

// howTo names the texts that tell a role what to do: its own, and what those do that change something, with a claim or
// without.
func howTo(role lifecycle.Role) []string {
	switch role {
	case lifecycle.Viewer:
		return []string{"viewer", "data"}
	case lifecycle.PM:
		return []string{"pm", "change", "data"}
	}
	return []string{string(role), "claim", "change", "data"}
}

// pathOfTurn is what waits for a role: of one requirement, or of all.
func pathOfTurn(id string) (string, url.Values) {
	if id == "" {
		return "/next", url.Values{"limit": {"5"}}
	}
	return rest.Requirement(id, "/next"), url.Values{"fields": {tools.FieldsOfNext}}
}

// addPrompts adds those of a role, whose data the API has.
func addPrompts(to *mcp.Server, role lifecycle.Role, api rest.API) {
	for _, p := range promptsOf(role) {
		listed := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.description}
		if p.takesID {
			listed.Arguments = []*mcp.PromptArgument{{Name: "requirement", Title: "Requirement",
				Description: "its id, such as REQ-001", Required: p.needsID}}
		}
		to.AddPrompt(listed, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return p.get(ctx, api, req)
		})
	}
}

// get returns the words of a prompt, and the data of the project as a resource of its own: what stands in it is
// nobody's instruction.
func (p prompt) get(ctx context.Context, api rest.API, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	id := req.Params.Arguments["requirement"]
	if p.needsID && id == "" {
		return nil, invalid("the prompt %s needs the argument requirement, such as REQ-001", p.name)
	}
	data, err := p.data(ctx, api, req.Params.Meta, id)
	if err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{Description: p.description, Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: p.text}},
		{Role: "user", Content: &mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{URI: p.uri(id), MIMEType: typeJSON, Text: string(data)}}},
	}}, nil
}

// data returns what of the project comes with a prompt.
func (p prompt) data(ctx context.Context, api rest.API, meta mcp.Meta, id string) (jsontext.Value, error) {
	if p.path == nil {
		return resources{api}.body(ctx, meta, p.uri(id))
	}
	path, query := p.path(id)
	got, err := api.Get(ctx, meta, path, query)
	if err == nil && got.Refused() {
		err = refusedAs(got)
	}
	return got.Body, err
}

// invalid is an error of the protocol about what was sent.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
