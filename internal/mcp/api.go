package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
)

// maxAnswer is the most bytes of an answer that is passed on.
const maxAnswer = 64 << 20

// call is a request to the API.
type call struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
}

// answer is what came back, whole.
type answer struct {
	Status int
	ETag   string
	Body   jsontext.Value
}

// api sends calls to the service.
type api struct{ Service }

// get reads a path.
func (a api) get(ctx context.Context, meta mcp.Meta, path string, query url.Values) (answer, error) {
	return a.send(ctx, meta, call{Method: http.MethodGet, Path: path, Query: query})
}

// send sends a call and reads the answer. What the API refuses is an answer as well.
func (a api) send(ctx context.Context, meta mcp.Meta, c call) (answer, error) {
	resp, err := a.open(ctx, meta, c)
	if err != nil {
		return answer{}, err
	}
	return read(resp)
}

// read reads an answer to its end.
func read(resp *http.Response) (answer, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fault.New(fault.TooLarge, "answer_too_large", "the answer has more than %d MiB", maxAnswer>>20).
			WithFix("ask for less: use fields and limit")
	}
	return answer{resp.StatusCode, resp.Header.Get("ETag"), jsontext.Value(bytes.TrimSpace(body))}, err
}

// open sends a call, whose answer the caller closes.
func (a api) open(ctx context.Context, meta mcp.Meta, c call) (*http.Response, error) {
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

// of returns the path of a requirement, or of something below it.
func of(id, below string) string { return "/requirements/" + url.PathEscape(id) + below }

// refused reports whether the API refused.
func (a answer) refused() bool { return a.Status >= http.StatusBadRequest }

// fill decodes an answer.
func (a answer) fill(v any) error {
	if err := unmarshal(a.Body, v); err != nil {
		return fmt.Errorf("the service answered %d with what is no JSON of its API: %w", a.Status, err)
	}
	return nil
}
