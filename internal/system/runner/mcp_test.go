package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// serveMCP is a server with a tool for each way in which one may behave. Its first argument, if there is one, says how it behaves itself.
func serveMCP(args []string) int {
	fmt.Fprintln(os.Stderr, "server up")
	if len(args) == 1 {
		return misbehave(args[0])
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, handler := range tools {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
	}
	return btoi(server.Run(context.Background(), &mcp.StdioTransport{}) != nil)
}

func misbehave(how string) int {
	switch how {
	case "deaf":
		time.Sleep(longest)
	case "noise":
		fmt.Println("hello, I am not JSON")
		time.Sleep(longest)
	case "flood":
		for {
			if _, err := fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1000) + `"}}`); err != nil {
				return 1
			}
		}
	case "long line":
		for fmt.Print(`"`); ; {
			if _, err := fmt.Print(strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
	case "depth":
		for {
			if _, err := fmt.Print(strings.Repeat("[", 1000)); err != nil {
				return 1
			}
		}
	case "full":
		return greetAndStop()
	case "crash":
		fmt.Fprintln(os.Stderr, "no license")
		return 9
	case "quit":
		return 0
	}
	return 1
}

// greetAndStop is a server that reads no more once it has been greeted.
func greetAndStop() int {
	for in := json.NewDecoder(os.Stdin); ; {
		var m struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
		}
		if err := in.Decode(&m); err != nil {
			return 1
		}
		id, _ := json.Marshal(m.ID)
		switch m.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`+"\n", id)
		case "notifications/initialized":
			time.Sleep(longest)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", id)
		}
	}
}

func said(text ...string) *mcp.CallToolResult {
	r := &mcp.CallToolResult{}
	for _, part := range text {
		r.Content = append(r.Content, &mcp.TextContent{Text: part})
	}
	return r
}

var tools = map[string]mcp.ToolHandler{
	"echo": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(string(r.Params.Arguments)), nil
	},
	"structured": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := said("not this")
		r.StructuredContent = json.RawMessage(`{"n":9007199254740993,"d":1.10}`)
		return r, nil
	},
	"text": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("two <lines>", "of text"), nil
	},
	"empty": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return said(), nil },
	"env": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(fmt.Sprint(len(os.Environ()))), nil
	},
	"error": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := said("no\x07 such bird")
		r.IsError = true
		return r, nil
	},
	"huge": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(strings.Repeat("x", 2<<20)), nil
	},
	"hang": func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(longest)
		return said("late"), nil
	},
	"die": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of birds")
		syscall.Exit(3)
		return nil, nil
	},
	"leave": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var to struct {
			File string `json:"file"`
			Stay bool   `json:"stay"`
		}
		if err := json.Unmarshal(r.Params.Arguments, &to); err != nil {
			return nil, err
		}
		for _, how := range []string{"s", "sp", "t"} {
			if err := startChild(how, []string{"nest", "t", to.File}); err != nil {
				return nil, err
			}
		}
		for range 60_000 {
			if text, _ := os.ReadFile(to.File); strings.Count(string(text), "\n") == 3 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if to.Stay {
			time.Sleep(longest)
		}
		return said("1"), nil
	},
}

func tool(t *testing.T, name string, server ...string) MCP {
	t.Helper()
	return MCP{Exec: as(t, "mcp", server...), Tool: name}
}

func TestResultsOfTools(t *testing.T) {
	for name, want := range map[string]string{
		"echo":       `{"a":[1,"x"]}`,
		"structured": `{"n":9007199254740993,"d":1.10}`,
		"text":       `"two <lines>\nof text"`,
		"empty":      `""`,
		"env":        "5",
	} {
		r, err := tool(t, name).Run(t.Context(), []byte(`{"a":[1,"x"]}`))
		require.NoError(t, err, name)
		require.Equal(t, want, string(r.Stdout), name)
		require.Zero(t, r.Exit)
		require.Equal(t, "server up\n", r.Stderr)
	}
	r, err := tool(t, "echo").Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, `{}`, string(r.Stdout))
}

func TestToolsAndServersThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		m      MCP
		code   string
		detail string
	}{
		"isError":       {tool(t, "error"), "tool_error", "no such bird"},
		"no such tool":  {tool(t, "nothing"), "tool_protocol", "nothing"},
		"too large":     {tool(t, "huge"), "tool_output_too_large", "1048576"},
		"dies":          {tool(t, "die"), "tool_failed", "exit status 3; the end of its standard error: server up out of birds"},
		"hangs":         {tool(t, "hang"), "tool_timeout", ""},
		"never answers": {tool(t, "echo", "deaf"), "tool_timeout", ""},
		"talks":         {tool(t, "echo", "noise"), "tool_protocol", "does not speak MCP"},
		"floods":        {tool(t, "echo", "flood"), "tool_output_too_large", ""},
		"one long line": {tool(t, "echo", "long line"), "tool_output_too_large", ""},
		"depth":         {tool(t, "echo", "depth"), "tool_protocol", "does not speak MCP"},
		"crashes":       {tool(t, "echo", "crash"), "tool_failed", "no license"},
		"quits":         {tool(t, "echo", "quit"), "tool_protocol", ""},
		"is not there":  {MCP{Exec: Exec{Argv: []string{"/no/such/server"}}}, "tool_missing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.code == "tool_timeout" {
				c.m.Timeout = 400 * time.Millisecond
			}
			r, err := c.m.Run(t.Context(), nil)
			require.Contains(t, refusal(t, err, c.code).Detail, c.detail)
			require.Empty(t, r.Stdout)
			if c.code == "tool_timeout" {
				require.Less(t, r.Took, longest)
			}
		})
	}
}

func TestAServerThatDoesNotReadItsInput(t *testing.T) {
	for _, how := range []string{"deaf", "full"} {
		m := tool(t, "echo", how)
		m.Timeout = 500 * time.Millisecond
		r, err := m.Run(t.Context(), []byte(`{"x":"`+strings.Repeat("x", 5<<20)+`"}`))
		refusal(t, err, "tool_timeout")
		require.Less(t, r.Took, longest)
	}
}

func TestLargeArguments(t *testing.T) {
	m := tool(t, "echo")
	m.MaxOutput = 8 << 20
	r, err := m.Run(t.Context(), []byte(`{"x":"`+strings.Repeat("x", 2<<20)+`"}`))
	require.NoError(t, err)
	require.Len(t, r.Stdout, 2<<20+len(`{"x":""}`))
}

func TestACancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := tool(t, "hang").Run(ctx, nil)
	refusal(t, err, "tool_cancelled")
}

func TestAServerIsPinnedToo(t *testing.T) {
	m := tool(t, "echo")
	m.SHA256 = strings.Repeat("0", 64)
	_, err := m.Run(t.Context(), nil)
	refusal(t, err, "tool_pin_mismatch")
	m.SHA256 = sumOf(t, m.Argv[0])
	_, err = m.Run(t.Context(), nil)
	require.NoError(t, err)
}

func leaving(t *testing.T, stay bool) ([]byte, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ids")
	return fmt.Appendf(nil, `{"file":%q,"stay":%t}`, file, stay), file
}
