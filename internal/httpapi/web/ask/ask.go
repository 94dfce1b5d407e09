// Package ask calls the REST API of the same process for the pages, in the name of whoever is signed in. A page knows
// nothing that the API does not answer, and changes nothing that the API does not accept.
package ask

import (
	"bytes"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
)

// API calls the API with one token.
type API struct {
	Handler http.Handler
	From    *http.Request // which the calls are made for
	Token   string
	ID      string // of the request that the calls are made for
}

// Call is a request to the API.
type Call struct {
	Method, Path string // the path is percent-encoded
	Query        url.Values
	Header       http.Header
	Body         []byte
}

// Answer is what the API answered, whole.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Get reads a path into a value of the type that the API encodes. What the API refuses is a *Refusal.
func (a API) Get(path string, query url.Values, into any) error {
	got := a.Send(Call{Method: http.MethodGet, Path: path, Query: query})
	if err := got.Refused(); err != nil {
		return err
	}
	return got.Fill(into)
}

// Change sends a value as JSON, and returns the answer. What the API refuses is a *Refusal.
func (a API) Change(method, path string, value any) (Answer, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return Answer{}, err
	}
	got := a.Send(Call{Method: method, Path: path, Body: body})
	return got, got.Refused()
}

// Send sends a call, and returns its answer. What the API refuses is an answer as well.
func (a API) Send(c Call) Answer {
	w := &memory{header: http.Header{}}
	a.Handler.ServeHTTP(w, a.Request(c))
	return Answer{max(w.status, http.StatusOK), w.header, w.body.Bytes()}
}

// Request returns a call as a request that the server could have read.
func (a API) Request(c Call) *http.Request {
	r := &http.Request{
		Method: c.Method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody,
		Host: a.From.Host, RemoteAddr: a.From.RemoteAddr, TLS: a.From.TLS,
		URL: &url.URL{Path: c.Path, RawQuery: c.Query.Encode()},
	}
	if plain, err := url.PathUnescape(c.Path); err == nil && plain != c.Path {
		r.URL.Path, r.URL.RawPath = plain, c.Path
	}
	r.RequestURI = r.URL.RequestURI()
	if len(c.Body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.Body)), int64(len(c.Body))
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json, application/problem+json")
	for name, values := range c.Header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", "Bearer "+a.Token)
	r.Header.Set("X-Request-Id", a.ID)
	return r.WithContext(a.From.Context())
}

// Receipt returns where the log has what was done, as the header Audit-Receipt says it; "" where it is not on record.
func (a Answer) Receipt() string { return a.Header.Get("Audit-Receipt") }

// Fill decodes an answer.
func (a Answer) Fill(into any) error {
	if err := json.Unmarshal(a.Body, into); err != nil {
		return fault.New(fault.Internal, "internal", "an answer of the API was not understood").Because(err)
	}
	return nil
}

// Refused returns the refusal that an answer is, or nil.
func (a Answer) Refused() error {
	if a.Status < http.StatusBadRequest {
		return nil
	}
	refusal := &Refusal{Body: a.Body, Receipt: a.Receipt()}
	if err := json.Unmarshal(a.Body, &refusal.Problem); err != nil {
		refusal.Problem = problem.Problem{
			Detail: "the service answered with no problem",
			Title:  http.StatusText(a.Status),
		}
	}
	refusal.Status = a.Status
	return refusal
}

// Refuse returns a refusal of the pages themselves, which looks as one of the API does.
func Refuse(err error) *Refusal {
	p := problem.Of(err, "")
	body, _ := json.Marshal(p) // of texts alone
	return &Refusal{Problem: p, Body: body}
}

// Refusal is a problem that the API answered.
type Refusal struct {
	problem.Problem
	Body    []byte // as the API sent it
	Receipt string // where it stands in the log; "" where it is not on record
}

func (r *Refusal) Error() string { return r.Detail }

// Unknown reports whether nobody knows if the change was applied.
func (r *Refusal) Unknown() bool { return r.Status >= http.StatusInternalServerError }

// memory keeps an answer.
type memory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (m *memory) Header() http.Header { return m.header }

func (m *memory) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
	}
}

func (m *memory) Write(b []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	return m.body.Write(b)
}
