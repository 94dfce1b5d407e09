package mcp

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/rules/lifecycle"
)

// Door serves MCP over HTTP. It is safe for concurrent use.
type Door struct {
	options Options
	handler http.Handler
}

// NewDoor returns the door of a program of a version. defect is told of panics.
func NewDoor(version string, defect func(panicked any, stack []byte)) *Door {
	return &Door{Options{Version: version, Defect: defect}, mcp.NewStreamableHTTPHandler(serverOf,
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // the API checks Host, for all its paths
			MaxRequestBodyBytes:        -1,   // the body was read, within the limits of the API
		})}
}

// forServer is the key of a request's server in its context.
type forServer struct{}

func serverOf(r *http.Request) *mcp.Server {
	s, _ := r.Context().Value(forServer{}).(*mcp.Server)
	return s
}

// ServeMCP answers one message, whose body was read: its calls go to the API, with the token that it came with, whose
// role is known.
func (d *Door) ServeMCP(w http.ResponseWriter, r *http.Request, body []byte, api http.Handler, role lifecycle.Role) {
	o := d.options
	o.Role, o.Notices = role, r.Header.Get("Mcp-Protocol-Version") >= rest.FirstStateless
	s := newServer(r.Context(), rest.Inside{API: api, From: r, ID: w.Header().Get("X-Request-Id")}, o)
	r = r.WithContext(context.WithValue(r.Context(), forServer{}, s))
	r.Body, r.ContentLength = nopCloser{bytes.NewReader(body)}, int64(len(body))
	d.handler.ServeHTTP(&patient{w, http.NewResponseController(w)}, r)
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

// writeTime is how long a client may take to read a piece of an answer.
const writeTime = 10 * time.Second

// patient gives each piece of an answer a deadline of its own: the answer as a whole may take as long as it takes.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) WriteHeader(status int) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTime))
	p.ResponseWriter.WriteHeader(status)
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTime))
	return p.ResponseWriter.Write(b)
}

// Flush sends what was written. The SDK asks for it with a type assertion.
func (p *patient) Flush() { _ = p.control.Flush() }

// Unwrap serves http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
