package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
)

// goodbye is how long a server whose input was closed may take to end by itself.
const goodbye = 200 * time.Millisecond

// MCP calls one tool of an MCP server over standard input and output. The server is a program like any other: it is
// started for the run, held to everything that Exec says, and gone after it. MaxOutput bounds all that it writes,
// notifications and handshake included.
type MCP struct {
	Exec
	Tool string
}

// Run calls the tool with its arguments, a JSON object, or with none if they are nil. Stdout of the result is one JSON
// value: the structured content byte for byte as the server wrote it; without that the text content, as it is if it is
// JSON, otherwise as a JSON string. Exit is 0, whatever the server ends with after its answer. Errors: those of
// Exec.Run, and tool_error (the tool says that it failed), tool_protocol (the server does not speak MCP, or knows no
// such tool), tool_needs_input.
func (m MCP) Run(ctx context.Context, arguments []byte) (Result, error) {
	return m.converse(ctx, func(ctx context.Context, session *mcp.ClientSession, w *wire) (json.RawMessage, error) {
		return m.callTool(ctx, session, w, arguments)
	})
}

// talk is what is said to a server that has been greeted. Its answer is Stdout of the result.
type talk func(context.Context, *mcp.ClientSession, *wire) (json.RawMessage, error)

// converse starts the server, talks to it, and ends it.
func (m MCP) converse(ctx context.Context, talk talk) (Result, error) {
	began := time.Now()
	ctx, cancel := within(ctx, m.Timeout)
	defer cancel()
	p, err := m.start(ctx)
	if err != nil {
		return Result{Exit: -1, Took: time.Since(began)}, err
	}
	defer p.clear()
	wire := &wire{from: p.stdout, left: atMost(m.MaxOutput), to: p.stdin}
	var stopped sync.Once
	stop := func() { stopped.Do(p.stop) }
	// a server that neither reads nor writes holds the client no longer than that
	unhook := context.AfterFunc(ctx, stop)
	answer, err := greet(ctx, wire, talk)
	intime := ctx.Err() == nil
	p.bidFarewell(ctx)
	unhook()
	stop() // waits for the other, if that was first
	wire.close()
	result := Result{Stdout: answer, Stderr: p.lastWords(), Exit: p.exit(), Took: time.Since(began)}
	if err == nil && intime {
		result.Exit = 0
		if err = p.checkEnd(result); err == nil {
			return result, nil
		}
	}
	result.Stdout = nil
	if wire.over.Load() {
		return result, tooLarge(p.name, atMost(m.MaxOutput))
	}
	return result, m.why(ctx, p, err, result, began)
}

// greet connects to a server, and talks to it.
func greet(ctx context.Context, w *wire, talk talk) (json.RawMessage, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "orchestrator", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, w, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }() // how the server ends is looked at elsewhere
	return talk(ctx, session, w)
}

// callTool makes the one call.
func (m MCP) callTool(ctx context.Context, session *mcp.ClientSession, w *wire,
	arguments []byte) (json.RawMessage, error) {
	if arguments == nil {
		arguments = []byte("{}") // the protocol knows no null here
	}
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: m.Tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return nil, err
	}
	if answer.NeedsInput() {
		return nil, fault.New(fault.Unavailable, "tool_needs_input",
			"the tool %s asks for more input, and there is nobody to ask", m.Tool).
			WithFix("give it all that it needs in its arguments")
	}
	text := textOf(answer)
	if answer.IsError {
		return nil, fault.New(fault.Unavailable, "tool_error", "the tool %s failed: %s", m.Tool, head(text)).
			WithFix("see to what the tool says")
	}
	return m.value(w.answer(), text)
}

// value returns what the tool answered, as JSON. The client of the library reads numbers as floating point, so that the
// structured content is taken from the message itself.
func (m MCP) value(message json.RawMessage, text string) (json.RawMessage, error) {
	var raw struct {
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(message, &raw); err == nil && len(raw.Structured) > 0 &&
		!bytes.Equal(raw.Structured, []byte("null")) {
		return raw.Structured, nil
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(strings.TrimSpace(text)), nil
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(text)
	return bytes.TrimSuffix(quoted.Bytes(), []byte("\n")), err
}

// textOf returns the text content, one part to a line.
func textOf(answer *mcp.CallToolResult) string {
	var parts []string
	for _, content := range answer.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, text.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// why turns what the library says into an error that helps.
func (m MCP) why(ctx context.Context, p *process, err error, r Result, began time.Time) error {
	ours := fault.As(err)
	var theirs *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return ended(ctx, p.name, began)
	case ours != nil:
		return ours
	case errors.As(err, &theirs) && !errors.Is(err, mcp.ErrConnectionClosed):
		return fault.New(fault.Unavailable, "tool_protocol", "%s refused the call of %s: %s", p.name, m.Tool,
			head(theirs.Message)).
			WithFix("look with an MCP client which tools the server has, and what they take")
	case p.byItself && r.Exit != 0:
		return p.failed(r.Stderr)
	}
	return fault.New(fault.Unavailable, "tool_protocol", "%s does not speak MCP on its standard output: %s", p.name,
		head(err.Error())).
		WithFix("let it write messages alone there, and everything else to standard error")
}
