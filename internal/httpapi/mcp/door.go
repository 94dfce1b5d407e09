package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
)

// Door serves MCP over HTTP. It is safe for concurrent use.
//
// One server answers for all tokens of a role, since making one costs more than answering with it; the context of a
// message has the token. A client that listens for changes has a server of its own, which tells it alone.
type Door struct {
	options Options
	handler http.Handler

	mu      sync.Mutex
	servers map[served]*mcp.Server
}

// served is the key of a server that is shared: whom it answers.
type served struct {
	role    lifecycle.Role
	notices bool
}

// NewDoor returns the door of a program of a version. defect is told of panics.
func NewDoor(version string, defect func(panicked any, stack []byte)) *Door {
	handler := mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the API checks Host, for all its paths
		MaxRequestBodyBytes:        -1,   // the body was read, within the limits of the API
	})
	return &Door{options: Options{Version: version, Defect: defect}, handler: handler,
		servers: map[served]*mcp.Server{}}
}

// forServer is the key of a request's server in its context.
type forServer struct{}

func serverOf(r *http.Request) *mcp.Server {
	s, _ := r.Context().Value(forServer{}).(*mcp.Server)
	return s
}

// Check refuses a body that is not JSON within the limits of all bodies, and a list of messages. It parses the body, and
// takes memory for that.
func Check(body []byte) error {
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return fault.New(fault.Malformed, "mcp_batch", "this is a list of messages").
			WithFix("send one JSON-RPC message a request, as the Model Context Protocol has it since 2025-06-18")
	}
	_, err := strictjson.Parse(body)
	return err
}

// ServeMCP answers one message, whose body was read: its calls go to the API, with the token that it came with, whose
// role is known.
func (d *Door) ServeMCP(w http.ResponseWriter, r *http.Request, body []byte, api http.Handler, role lifecycle.Role) {
	ctx := rest.Inside{API: api, From: r, ID: w.Header().Get("X-Request-Id")}.With(r.Context())
	to := served{role, r.Header.Get("Mcp-Protocol-Version") >= rest.FirstStateless}
	r = r.WithContext(context.WithValue(ctx, forServer{}, d.server(ctx, to, body)))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if accept := r.Header.Get("Accept"); accept == "" || accept == "*/*" {
		r.Header.Set("Accept", "application/json, text/event-stream") // as a client of the protocol says it
	}
	d.handler.ServeHTTP(&patient{ResponseWriter: w, control: http.NewResponseController(w)}, r)
}

// server returns the one that answers a message.
func (d *Door) server(ctx context.Context, to served, body []byte) *mcp.Server {
	o := d.options
	o.Role, o.Notices = to.role, to.notices
	if listens(body) {
		return newServer(ctx, rest.InContext{}, o)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.servers[to] == nil {
		d.servers[to] = newServer(context.Background(), rest.InContext{}, o)
	}
	return d.servers[to]
}

// listens reports whether a message begins to follow resources. What cannot be read is refused by the protocol.
func listens(body []byte) bool {
	var message struct {
		Method string `json:"method"`
	}
	return jsonv2.Unmarshal(body, &message) == nil &&
		(message.Method == "subscriptions/listen" || message.Method == "resources/subscribe")
}

// writeTime is how long a client may take to read a piece of an answer.
const writeTime = 10 * time.Second

// patient gives each piece of an answer a deadline of its own: the answer as a whole may take as long as it takes. As
// with all that changes or streams, nobody keeps a copy of it, and no proxy holds it back.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func (p *patient) WriteHeader(status int) {
	p.begin()
	p.ResponseWriter.WriteHeader(status)
}

func (p *patient) Write(b []byte) (int, error) {
	p.begin()
	return p.ResponseWriter.Write(b)
}

func (p *patient) begin() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTime))
	if p.begun {
		return
	}
	p.begun = true
	h := p.Header()
	h["Cache-Control"] = []string{"no-store"}
	if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		h["X-Accel-Buffering"] = []string{"no"}
	}
}

// Flush sends what was written. The SDK asks for it with a type assertion.
func (p *patient) Flush() { _ = p.control.Flush() }

// Unwrap serves http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
