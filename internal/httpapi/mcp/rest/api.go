// Package rest sends requests to the REST API, and reads its answers, for the door of the Model Context Protocol.
package rest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
)

// maxAnswer is the most bytes of an answer that is passed on.
const maxAnswer = 64 << 20

// FirstStateless is the first version of the protocol whose clients are asked, and told of changes, without a session.
const FirstStateless = "2026-07-28"

// Service answers requests to the REST API, each in the name of one token. A request has a path, and no host; the
// Answer is whatever the API answers, and its body may take as long as it takes. An error means that there is none.
type Service interface {
	Do(r *http.Request) (*http.Response, error)
}

// Call is a request to the API.
type Call struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
}

// Answer is what came back, whole.
type Answer struct {
	Status int
	ETag   string
	Body   jsontext.Value
}

// API sends calls to the service.
type API struct{ Service }

// Get reads a path.
func (a API) Get(ctx context.Context, meta mcp.Meta, path string, query url.Values) (Answer, error) {
	return a.Send(ctx, meta, Call{Method: http.MethodGet, Path: path, Query: query})
}

// Send sends a call and reads the answer. What the API refuses is an answer as well.
func (a API) Send(ctx context.Context, meta mcp.Meta, c Call) (Answer, error) {
	resp, err := a.Open(ctx, meta, c)
	if err != nil {
		return Answer{}, err
	}
	return Read(resp)
}

// Read reads an answer to its end.
func Read(resp *http.Response) (Answer, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fault.New(fault.Unavailable, "answer_too_large", "the answer has more than %d MiB", maxAnswer>>20).
			WithFix("ask for less: use fields and limit")
	}
	return Answer{resp.StatusCode, resp.Header.Get("ETag"), jsontext.Value(bytes.TrimSpace(body))}, err
}

// Open sends a call, whose answer the caller closes.
func (a API) Open(ctx context.Context, meta mcp.Meta, c Call) (*http.Response, error) {
	to := &url.URL{Path: c.Path, RawQuery: c.Query.Encode()}
	if raw, err := url.PathUnescape(c.Path); err == nil {
		to.Path, to.RawPath = raw, c.Path
	}
	r, err := http.NewRequestWithContext(ctx, c.Method, to.String(), bytes.NewReader(c.Body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.Header {
		r.Header[name] = values
	}
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/json, application/problem+json")
	}
	if parent, is := meta["traceparent"].(string); is {
		r.Header.Set("Traceparent", parent)
	}
	return a.Do(r)
}

// Requirement returns the path of a requirement, or of something below it.
func Requirement(id, below string) string { return "/requirements/" + url.PathEscape(id) + below }

// Refused reports whether the API refused.
func (a Answer) Refused() bool { return a.Status >= http.StatusBadRequest }

// Fill decodes an answer.
func (a Answer) Fill(v any) error {
	if err := Unmarshal(a.Body, v); err != nil {
		return fault.New(fault.Unavailable, "unexpected_answer",
			"the service answered %d with what is no JSON of its API",
			a.Status).WithFix("check that what answers is the service, of the same version as this program").
			Because(err)
	}
	return nil
}

// Unmarshal decodes what was held against a schema, or comes from the API: the names of fields are those of members,
// whatever their case.
func Unmarshal(raw []byte, v any) error {
	return json.Unmarshal(raw, v, json.MatchCaseInsensitiveNames(true))
}
