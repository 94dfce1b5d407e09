package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/httpapi/mcp/tools"
)

// The resources.
const (
	uriStatus      = "project://status"
	uriWorkflow    = "workflow://table"
	uriRequirement = "requirement://" // and an id
)

const typeJSON = "application/json"

// resources are what a client reads by address.
type resources struct{ rest.API }

func (s resources) add(to *mcp.Server) {
	to.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: uriRequirement + "{+id}", Name: "requirement", Title: "A requirement", MIMEType: typeJSON,
		Description: "One requirement as it stands: text, status, and what each role has written.",
	}, s.read)
	to.AddResource(&mcp.Resource{
		URI: uriStatus, Name: "status", Title: "Status of the project", MIMEType: typeJSON,
		Description: "Verdict, reasons and counts over all requirements.",
	}, s.read)
	to.AddResource(&mcp.Resource{
		URI: uriWorkflow, Name: "workflow", Title: "The workflow", MIMEType: typeJSON,
		Description: "Statuses, and the moves between them: by whom, and on what conditions.",
	}, s.read)
}

// read reads a resource. One that is not there is an error of the protocol, -32602.
func (s resources) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	body, err := s.body(ctx, req.Params.Meta, req.Params.URI)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: typeJSON, Text: string(body)},
	}}, nil
}

func (s resources) body(ctx context.Context, meta mcp.Meta, uri string) (jsontext.Value, error) {
	path := pathOf(uri)
	if path == "" {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	got, err := s.Get(ctx, meta, path, nil)
	switch {
	case err != nil:
		return nil, err
	case got.Refused():
		return nil, refusedAs(got)
	case uri != uriStatus:
		return got.Body, nil
	}
	var whole tools.Members
	if err := got.Fill(&whole); err != nil {
		return nil, err
	}
	status, err := tools.Only(whole, tools.MembersOfProject)
	if err != nil {
		return nil, err
	}
	return jsonv2.Marshal(status, jsonv2.Deterministic(true))
}

// refusedAs returns the error of the protocol that a refusal is where there is no result for it.
func refusedAs(a rest.Answer) error {
	code := int64(jsonrpc.CodeInternalError)
	if a.Status < http.StatusInternalServerError {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: rest.Explain(a.Body), Data: json.RawMessage(a.Body)}
}

// pathOf returns the path of the API that a resource is read from, or "" for none.
func pathOf(uri string) string {
	switch uri {
	case uriStatus:
		return "/project/review"
	case uriWorkflow:
		return "/workflow"
	}
	if id := idOf(uri); id != "" {
		return rest.Requirement(id, "")
	}
	return ""
}

// idOf returns the id of the requirement that a resource is, or "".
func idOf(uri string) string {
	escaped, is := strings.CutPrefix(uri, uriRequirement)
	id, err := url.PathUnescape(escaped)
	if !is || err != nil {
		return ""
	}
	return id
}
