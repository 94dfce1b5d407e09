package conductor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// serverWord as the first argument makes the test binary an MCP server, which notes its process in the file that the second names.
const serverWord = "conductor-mcp-server"

func init() {
	if len(os.Args) != 3 || os.Args[1] != serverWord {
		return
	}
	if os.WriteFile(os.Args[2], []byte(strconv.Itoa(os.Getpid())), 0o600) != nil {
		syscall.Exit(1)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, handler := range serverTools {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
	}
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
	syscall.Exit(0) // at once: os.Exit waits a second where races are looked for
}

func structured(text string) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(text)}, nil
	}
}

func saying(text string, failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: failed}
}

var serverTools = map[string]mcp.ToolHandler{
	"right": structured(`{"value":"right","digits":12345678901234567890}`),
	"wrong": structured(`{"value":"wrong"}`),
	"other": structured(`{"value":7}`),
	"echo": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return saying(fmt.Sprintf(`{"value":"right","got":%s}`, r.Params.Arguments), false), nil
	},
	"words": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return saying("right", false), nil
	},
	"fails": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return saying("no bird for "+os.Getenv("LEAKED"), true), nil
	},
	"hangs": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(5 * time.Minute)
		return saying("late", false), nil
	},
}

// calling is a tool of the server, and the file with the server's process.
func calling(t *testing.T, tool string) (i planning.Implementation, file string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "process")
	return planning.Implementation{Means: planning.MCP, Name: tool, Argv: []string{self, serverWord, file}, Env: []string{"LEAKED"}}, file
}

// requireGone holds that the server has run, and runs no more.
func requireGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	id, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	require.ErrorIs(t, syscall.Kill(id, 0), syscall.ESRCH)
}

// Verifies: ORC-281
func TestAToolOfAnMCPServer(t *testing.T) {
	for tool, want := range map[string]string{"right": "k.x: digits 12345678901234567890; value right (not verified)", "echo": `k.x: got {"n":7}; value right (not verified)`} {
		i, file := calling(t, tool)
		trace := conductorOf(t, store.NewMemory(), promising(i), another()).conduct(ob(planning.Report, "k.x", "n", 7))
		require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
		require.Equal(t, want, trace.Answers[0].Text, "it is given the inputs alone")
		require.Len(t, trace.Obligations[0].Runs, 1)
		require.Equal(t, byNothing, trace.Obligations[0].Verified.By)
		requireGone(t, file)
	}
}

// Verifies: ORC-281
func TestToolsOfAnMCPServerThatDoNotDo(t *testing.T) {
	t.Setenv("LEAKED", "not-for-traces")
	for tool, c := range map[string]struct{ status, code, says string }{
		"wrong":  {state.RunRefused, "", `result.value == "right" does not hold`},
		"other":  {state.RunRefused, "", "result does not match the contract's schema"},
		"words":  {state.RunFailed, "tool_answer", "one JSON object"},
		"fails":  {state.RunFailed, "tool_error", "no bird for <LEAKED>"},
		"hangs":  {state.RunFailed, "tool_timeout", "it failed"},
		"unsaid": {state.RunFailed, "tool_protocol", "unsaid"},
	} {
		t.Run(tool, func(t *testing.T) {
			i, file := calling(t, tool)
			limit := 5000
			if tool == "hangs" {
				limit = 500
			}
			escalated(t, promising(i, within(limit)), c.status, c.code, c.says)
			requireGone(t, file)
		})
	}
	for name, i := range map[string]planning.Implementation{
		"tool_missing":  {Means: planning.MCP, Name: "x", Argv: []string{"./no-such-server"}},
		"tool_protocol": {Means: planning.MCP, Name: "x", Argv: []string{"echo", "hello, I am not JSON"}},
	} {
		escalated(t, promising(i), state.RunFailed, name, "it failed")
	}
	pinned, _ := calling(t, "right")
	pinned.SHA256 = "0000000000000000000000000000000000000000000000000000000000000000"
	escalated(t, promising(pinned), state.RunFailed, "tool_pin_mismatch", "it failed")
}
