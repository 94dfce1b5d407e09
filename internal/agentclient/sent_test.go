package agentclient_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// sent is what a call that a client really made must be read as. What a client sent lies in
// testdata/CLIENT/VERSION/NAME.stdin, and is kept by make check-clients UPDATE=1.
type sent struct {
	when    agentclient.When
	tool    string
	path    string // the end of one of its paths
	command string // how it begins
	agent   bool
	only    []string // the clients that have such a call; none is all
}

var sends = map[string]sent{
	"read":             {when: agentclient.Before, tool: "Read", path: "edit.txt", command: "cat "},
	"edit":             {when: agentclient.Before, tool: "Edit", path: "edit.txt"},
	"after_edit":       {when: agentclient.After, tool: "Edit", path: "edit.txt"},
	"shell":            {when: agentclient.Before, tool: "Bash", command: "echo changed > redirect.txt"},
	"after_shell":      {when: agentclient.After, tool: "Bash", command: "echo changed > redirect.txt"},
	"here":             {when: agentclient.Before, tool: "Bash", command: "cat > here.txt <<'END'\nchanged\nEND"},
	"delegate":         {when: agentclient.Before, tool: "Task"},
	"after_delegate":   {when: agentclient.After, tool: "Task"},
	"agent_edit":       {when: agentclient.Before, tool: "Edit", path: "agent.txt", agent: true},
	"after_agent_edit": {when: agentclient.After, tool: "Edit", path: "agent.txt", agent: true},

	"terminal": {when: agentclient.Before, tool: "Bash", command: "less edit.txt", only: []string{"codex"}},
	"note": {when: agentclient.Before, tool: "Write", path: "memory/MEMORY.md",
		only: []string{"claude", "qwen", "gemini"}},
}

// The calls of real clients are read as what they are.
//
// Verifies: ORC-228
func TestWhatClientsSent(t *testing.T) {
	folders, err := filepath.Glob("testdata/*/*/tools.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(folders), 8)
	seen := map[string]bool{}
	for _, file := range folders {
		folder := filepath.Dir(file)
		client := filepath.Base(filepath.Dir(folder))
		seen[client] = true
		for name, want := range sends {
			if len(want.only) > 0 && !slices.Contains(want.only, client) {
				require.NoFileExists(t, filepath.Join(folder, name+".stdin"))
				continue
			}
			t.Run(strings.TrimPrefix(folder, "testdata/")+"/"+name, func(t *testing.T) {
				stdin, err := os.ReadFile(filepath.Join(folder, name+".stdin"))
				require.NoError(t, err)
				event, err := protocol(t, client).Parse(stdin)
				require.NoError(t, err)
				want.check(t, client, event)
			})
		}
	}
	for _, name := range agentclient.Names() {
		require.Equal(t, name != "cursor", seen[name], "%s: Cursor alone is not run by make check-clients", name)
	}
}

// A command with a terminal comes as any other one does, so that each command of Codex counts as typed into.
//
// Verifies: ORC-202
func TestATerminalIsNotToldApart(t *testing.T) {
	for _, folder := range []string{"testdata/codex/code-0.169.0", "testdata/codex/plain-0.169.0"} {
		members := func(name string) map[string]any {
			input, is := callOf(t, filepath.Join(folder, name+".stdin"))["tool_input"].(map[string]any)
			require.True(t, is)
			return input
		}
		require.Equal(t, map[string]any{"command": "less edit.txt"}, members("terminal"), "no tty is sent")
		stdin, err := os.ReadFile(filepath.Join(folder, "terminal.stdin"))
		require.NoError(t, err)
		event, err := protocol(t, "codex").Parse(stdin)
		require.NoError(t, err)
		require.True(t, event.Interactive)
	}
}

// Codex 0.169.0 runs no hook for what is typed into a command, and sends exec_command as Bash. A version that sends
// either as the model calls it is read as well.
//
// Verifies: ORC-202
func TestToolsOfCodexThatNoHookIsSentYet(t *testing.T) {
	for _, call := range []struct {
		tool, command string
		input         map[string]any
		as            string
	}{
		{"write_stdin", "rm a\n", map[string]any{"session_id": 3, "chars": "rm a\n"}, "Bash"},
		{"write_stdin", "", map[string]any{"session_id": 3}, "write_stdin"},
		{"exec_command", "git apply x.patch", map[string]any{"cmd": "git apply x.patch", "workdir": "."}, "Bash"},
	} {
		sent := callOf(t, "testdata/codex/plain-0.169.0/shell.stdin")
		event, err := protocol(t, "codex").Parse(sent.withInput(t, offeredTool{Name: call.tool}, call.input))
		require.NoError(t, err)
		want := []any{call.as, call.command, call.as == "Bash"}
		require.Equal(t, want, []any{event.Tool, event.Command, event.Interactive})
	}
}

// Verifies: ORC-224
func TestEndsThatClientsSent(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*/end.stdin")
	require.NoError(t, err)
	require.Len(t, files, 7, "opencode alone sends none")
	for _, file := range files {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		e, err := protocol(t, strings.Split(file, "/")[1]).Ending(stdin)
		require.NoError(t, err, file)
		require.NotEmpty(t, e.Session, file)
		require.Equal(t, []any{"/home/pm/shop", "", false, false}, []any{e.Cwd, e.Task, e.Again, e.OfTask()}, file)
	}
}

func (want sent) check(t *testing.T, client string, event agentclient.Event) {
	t.Helper()
	require.Equal(t, client, event.Client)
	require.Equal(t, want.when, event.When)
	require.NotEmpty(t, event.Session)
	require.Equal(t, "/home/pm/shop", event.Cwd)
	if want.path != "" && event.Tool != "Bash" {
		require.Equal(t, want.tool, event.Tool)
		ends := func(path string) bool { return strings.HasSuffix(path, want.path) }
		require.True(t, slices.ContainsFunc(event.Paths, ends), "%v", event.Paths)
	} else if want.command != "" {
		require.Equal(t, "Bash", event.Tool) // Codex reads files with the shell
		require.True(t, strings.HasPrefix(event.Command, want.command), event.Command)
	} else {
		require.Equal(t, want.tool, event.Tool)
	}
	switch {
	case client == "gemini": // which does not say who calls
		require.Equal(t, boundary.Unknown, event.Actor.Kind)
	case want.agent:
		require.Equal(t, boundary.Agent, event.Actor.Kind)
		require.NotEmpty(t, event.Actor.ID)
		require.NotEmpty(t, event.Actor.Type)
	default:
		require.Equal(t, boundary.Main, event.Actor.Kind)
	}
}

// unhooked are tools that the client runs no hook for: what a program of Codex's code mode calls is hooked, and the
// provider's search is none of the client's calls.
var unhooked = map[string][]string{"codex": {"functionsexec", "functionswait"}, "claude": {"DeferredToolPlaceholder"}}

// doubtful are tools that stay ambiguous: what they do cannot be told from their call.
var doubtful = []string{"claude EnterWorktree", "claude ExitWorktree", "qwen tool_call"}

// Each tool that a pinned version offers has a canonical name that the policy knows.
//
// Verifies: ORC-229
func TestOfferedToolsAreKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*/tools.json")
	require.NoError(t, err)
	p := boundary.DefaultPolicy()
	known := slices.Concat(p.BlockedTools, p.AllowedTools, p.DelegateTools, []string{"Bash", "PowerShell"})
	met := map[string]bool{}
	for _, file := range files {
		client := filepath.Base(filepath.Dir(filepath.Dir(file)))
		call := callOf(t, filepath.Join(filepath.Dir(file), "edit.stdin"))
		for _, tool := range offered(t, file) {
			if slices.Contains(unhooked[client], tool.Space+tool.Name) {
				continue
			}
			event, err := protocol(t, client).Parse(call.with(t, tool))
			require.NoError(t, err, tool)
			if !slices.Contains(known, event.Tool) {
				name := client + " " + tool.Space + tool.Name
				assert.Contains(t, doubtful, name, "%s: give it a row, or say why there is none", file)
				met[name] = true
			}
		}
	}
	require.Len(t, met, len(doubtful), "each doubtful tool is offered")
}

type offeredTool struct {
	Name   string   `json:"name"`
	Space  string   `json:"namespace"`
	Fields []string `json:"fields"`
}

func offered(t *testing.T, file string) []offeredTool {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var both struct{ Main, Agent []offeredTool }
	require.NoError(t, json.Unmarshal(text, &both))
	require.NotEmpty(t, both.Main)
	require.NotEmpty(t, both.Agent)
	return slices.Concat(both.Main, both.Agent)
}

// anyCall is a call whose tool and input can be exchanged.
type anyCall map[string]any

func callOf(t *testing.T, file string) (call anyCall) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &call))
	return call
}

func (c anyCall) with(t *testing.T, tool offeredTool) []byte {
	t.Helper()
	input := map[string]any{}
	for _, field := range tool.Fields {
		input[field] = "x"
	}
	return c.withInput(t, tool, input)
}

func (c anyCall) withInput(t *testing.T, tool offeredTool, input map[string]any) []byte {
	t.Helper()
	for _, member := range []string{"tool_name", "toolName", "tool"} {
		if c[member] != nil {
			c[member] = tool.Space + tool.Name
		}
	}
	for _, member := range []string{"tool_input", "toolArgs", "args"} {
		if c[member] != nil {
			c[member] = input
		}
	}
	text, err := json.Marshal(c)
	require.NoError(t, err)
	return text
}

// naming is what a field is called that names a file, a folder or a command.
var naming = regexp.MustCompile(`(?i)path|file|dir$|cwd|^cmd$|command|^script|^uri$`)

// unread are fields with such a name that name none, or that belong to what an agent does, whose own calls are judged.
var unread = []string{
	"claude Workflow script", "claude Workflow scriptPath", "codex list_agents path_prefix",
	"copilot create file_text", "copilot view forceReadLargeFiles", "gemini grep_search max_matches_per_file",
	"gemini list_directory file_filtering_options", "opencode task command", "qwen agent fork_profile",
	"qwen agent working_dir",
}

// What names a file or a command in the input of a tool is read.
//
// Verifies: ORC-229
func TestOfferedFieldsAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*/tools.json")
	require.NoError(t, err)
	met := map[string]bool{}
	for _, file := range files {
		client := filepath.Base(filepath.Dir(filepath.Dir(file)))
		call := callOf(t, filepath.Join(filepath.Dir(file), "edit.stdin"))
		for _, tool := range offered(t, file) {
			for _, field := range tool.Fields {
				name := client + " " + tool.Name + " " + field
				if naming.MatchString(field) && !reads(t, client, call, tool, field) {
					assert.Contains(t, unread, name, "%s: it is not read", file)
					met[name] = true
				}
			}
		}
	}
	require.Len(t, met, len(unread), "each of these fields is offered, and not read")
}

// reads reports whether a field arrives in what is made of a call: as a text, or as one of a list.
func reads(t *testing.T, client string, call anyCall, tool offeredTool, field string) bool {
	t.Helper()
	const probe = "shop/probe.txt"
	for _, value := range []any{probe, []string{probe}} {
		input := map[string]any{}
		for _, other := range tool.Fields {
			input[other] = "x"
		}
		input[field] = value
		event, err := protocol(t, client).Parse(call.withInput(t, tool, input))
		if err == nil && strings.Contains(strings.Join(event.Paths, "\n")+"\n"+event.Command+"\n"+event.Cwd, probe) {
			return true
		}
	}
	return false
}
