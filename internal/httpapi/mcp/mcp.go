// Package mcp is the door for clients of the Model Context Protocol: tools, resources and prompts, each a form of a few
// requests to the REST API. It decides nothing: rights, rules and the log are those of the API, and so are refusals.
//
// The protocol is that of the official SDK. Over HTTP there are no sessions: each message comes with its bearer token,
// and what one server says goes to that token alone. On standard input and output a server lasts as long as its client.
package mcp

import (
	"context"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/httpapi/mcp/tools"
	"orchestrator/internal/rules/lifecycle"
)

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

// maxAge is how long a client may keep a list of tools, prompts or resources, in milliseconds: a token keeps its role.
const maxAge = 60_000

// newServer returns a server of what one token may use. It lives as long as life.
func newServer(life context.Context, to rest.Service, o Options) *mcp.Server {
	api := rest.API{Service: to}
	options := &mcp.ServerOptions{Instructions: say("instructions"), Capabilities: capabilities(),
		SetCacheable: private}
	told := &notices{resources: resources{api}, stays: o.Stays, life: life,
		followed: map[string]bool{}, due: map[string]bool{}}
	if o.Notices {
		options.SubscribeHandler, options.UnsubscribeHandler = told.subscribe, told.unsubscribe
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "orchestrator", Title: "Orchestrator", Version: o.Version}, options)
	told.to = s
	s.AddReceivingMiddleware(recovering(o.Defect))
	for _, t := range tools.Of(&tools.Caller{API: api, Role: o.Role, Report: o.Report}) {
		s.AddTool(t.Listed, t.Call)
	}
	told.add(s)
	addPrompts(s, o.Role, api)
	return s
}

// capabilities says that lists stay as they are: a token keeps its role.
func capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
	}
}

// recovering answers a panic with an error: the SDK calls handlers in goroutines of its own, where a panic would end
// the program.
func recovering(tell func(panicked any, stack []byte)) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
			defer func() {
				if p := recover(); p != nil {
					tell(p, debug.Stack())
					result = nil
					err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the service met a defect"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}

// private keeps answers from caches that others share: what is listed depends on the token.
func private(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.CacheScope = "private"
	if _, reads := req.(*mcp.ReadResourceRequest); !reads {
		c.TTLMs = maxAge
	}
}

// roleOf returns the role of the token that requests carry, as the service sees it.
func roleOf(ctx context.Context, a rest.API) (lifecycle.Role, error) {
	got, err := a.Get(ctx, nil, "/", nil)
	if err != nil {
		return "", err
	}
	var front struct {
		Caller *struct{ Role string }
		Token  string
	}
	switch err := got.Fill(&front); {
	case err != nil:
		return "", err
	case front.Caller == nil:
		return "", fault.New(fault.Unauthenticated, "token_unknown", "%s", strings.TrimSuffix(front.Token, ".")).
			WithFix("name the file of a token with --token-file; orchestrator token add ROLE NAME --out FILE makes one")
	}
	return lifecycle.Role(front.Caller.Role), nil
}

// Serve serves one client on a transport, until it goes or ctx ends, in the role of the token that the service sees.
func Serve(ctx context.Context, to rest.Service, o Options, transport mcp.Transport) error {
	role, err := roleOf(ctx, rest.API{Service: to})
	if err != nil {
		return err
	}
	o.Role, o.Notices, o.Stays = role, true, true
	ctx, end := context.WithCancel(ctx)
	defer end()
	return newServer(ctx, to, o).Run(ctx, transport)
}
