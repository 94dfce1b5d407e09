// Package mcp is the door for clients of the Model Context Protocol: tools, resources and prompts, each a form of a few
// requests to the REST API. It decides nothing: rights, rules and the log are those of the API, and so are refusals.
//
// The protocol is that of the official SDK. Over HTTP there are no sessions: each message comes with its bearer token,
// and what one server says goes to that token alone. On standard input and output a server lasts as long as its client.
package mcp

import (
	"context"
	"net/http"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/rules/lifecycle"
)

// Service answers requests to the REST API, each in the name of one token. A request has a path, and no host; the
// answer is whatever the API answers, and its body may take as long as it takes. An error means that there is none.
type Service interface {
	Do(r *http.Request) (*http.Response, error)
}

// Options say for whom a server is.
type Options struct {
	Role    lifecycle.Role
	Version string // of the program

	// Report reads a test report that a path names; nil where the client's files are out of reach.
	Report func(ctx context.Context, path string) ([]byte, error)

	Notices bool // the client can be told of changes
	Stays   bool // it has one connection for as long as it runs

	Defect func(panicked any, stack []byte) // is told of a panic, after which the server goes on
}

const instructions = `The orchestrator keeps the status of every requirement of this project and decides which changes are
allowed. Begin with next; it says what is your turn. Claim a field before you work on it, propose with change, and read
what a refusal says: it names what to do instead. Commit files before you cite them as evidence.`

// maxAge is how long a client may keep a list of tools, prompts or resources, in milliseconds: a token keeps its role.
const maxAge = 60_000

// server is one MCP server: what one token may use.
type server struct {
	Options
	api     api
	mcp     *mcp.Server
	notices *notices
}

// newServer returns a server that lives as long as life.
func newServer(life context.Context, to Service, o Options) *server {
	s := &server{Options: o, api: api{to}}
	options := &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}, SetCacheable: private,
	}
	if o.Notices {
		s.notices = &notices{server: s, life: life, followed: map[string]int{}, due: map[string]bool{}}
		options.SubscribeHandler, options.UnsubscribeHandler = s.notices.subscribe, s.notices.unsubscribe
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "orchestrator", Title: "Orchestrator", Version: o.Version}, options)
	s.mcp.AddReceivingMiddleware(s.recovering)
	s.addTools()
	s.addResources()
	s.addPrompts()
	return s
}

// recovering answers a panic with an error: the SDK calls handlers in goroutines of its own, where a panic would end
// the program.
func (s *server) recovering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Defect(p, debug.Stack())
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the service met a defect"}
			}
		}()
		return next(ctx, method, req)
	}
}

// private keeps answers from caches that others share: what is listed depends on the token.
func private(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.CacheScope = "private"
	if _, reads := req.(*mcp.ReadResourceRequest); !reads {
		c.TTLMs = maxAge
	}
}

// Serve serves one client on a transport, until it goes or ctx ends.
func Serve(ctx context.Context, to Service, o Options, transport mcp.Transport) error {
	o.Notices, o.Stays = true, true
	ctx, end := context.WithCancel(ctx)
	defer end()
	return newServer(ctx, to, o).mcp.Run(ctx, transport)
}
