package agentclient

import (
	"strings"
	"time"

	"orchestrator/internal/rules/boundary"
)

// cursor is Cursor.
var cursor = Client{
	Name: "cursor",
	form: form{
		event: "hook_event_name", whens: cursorEvents, tool: "tool_name", input: "tool_input",
		session: []string{"conversation_id", "session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"},
		version: "cursor_version", failure: "error_message",
		looseInput: true, tools: cursorTools, actor: untold, adjust: cursorAdjust,
		guest: guest{sends: cursorSends, ownForm: true},
	},
	NoSilence: true,
	ending:    ending{again: []string{"loop_count"}, status: "status", hold: cursorFollowUp, let: cursorLater},
	answers:   answers{allow: cursorAllow, block: cursorDeny, warn: cursorWarning, later: cursorLater},
	Wiring: Wiring{
		File: ".cursor/hooks.json", Events: []string{"preToolUse", "postToolUse", "postToolUseFailure"},
		Ends:    []string{"stop"},
		Version: 1, Command: "command", Timeout: "timeout", Unit: time.Second,
		FailClosed: &Option{Name: "failClosed", Value: true},
		Notes: []string{"Cursor does not say which calls are an agent's: unknown_actor of the policy decides, and by " +
			"default its agents cannot edit in enforce either"},
		User: ".cursor/hooks.json", Reach: Here, AnyShell: true,
		OtherFiles: []OtherFile{{File: ".cursor/hooks.json", Home: true}, {File: ".cursor/settings.json", Unread: true}},
	},
	Servers: Servers{
		File: ".cursor/mcp.json", User: ".cursor/mcp.json", Table: "mcpServers", Type: "stdio",
		Trust: "Cursor starts the server once it is switched on in its settings",
	},
	Guarded: Guarded{
		Mentions: []string{".cursor/hooks", ".cursor/mcp"},
	},
	Delegates: Delegates{
		Tool: "Task", Type: "subagent_type", Prompt: "prompt",
		Also:    []boundary.Member{{Name: "description", Text: "Change the file"}},
		BuiltIn: []boundary.AgentType{{Name: "generalPurpose", BuiltIn: true}},
		Folders: []AgentFolder{
			{Path: ".cursor/agents", Ending: ".md"},
			{Path: ".cursor/agents", Home: true, Ending: ".md"},
		},
	},
	Calls: Calls{
		Head: `"conversation_id":"doctor","generation_id":"doctor","cwd":CWD,"hook_event_name":"preToolUse",` +
			`"cursor_version":"0","tool_use_id":"doctor"`,
		Edit: `"tool_name":"Write","tool_input":{"file_path":FILE,"content":"a"}`,
		Read: `"tool_name":"Read","tool_input":{"file_path":FILE}`,
	},
}

var cursorEvents = rows[When]{
	{"preToolUse", Before}, {"beforeShellExecution", Before}, {"beforeMCPExecution", Before}, {"beforeReadFile", Before},
	{"postToolUse", After}, {"afterShellExecution", After}, {"afterMCPExecution", After}, {"afterFileEdit", After},
	{"postToolUseFailure", Failed},
	// As it calls what is registered for Claude Code.
	{"PreToolUse", Before}, {"PostToolUse", After}, {"PostToolUseFailure", Failed},
}

// cursorImplied are the events that name no tool: the call itself is the tool's input.
var cursorImplied = rows[string]{
	{"beforeShellExecution", "Shell"}, {"afterShellExecution", "Shell"}, {"beforeReadFile", "Read"},
	{"afterFileEdit", "Edit"},
}

// cursorTools are the tools of Cursor, by its documentation: none of its versions was looked into.
var cursorTools = rows[tool]{
	{"Shell", named(bash)}, {"Write", named(write)}, {"Edit", named(edit)}, {"StrReplace", named(edit)},
	{"MultiEdit", named(multiEdit)}, {"ApplyPatch", named(patch)}, {"EditNotebook", named(notebook)},
	{"Delete", named(remove)}, {"Read", named(read)}, {"Grep", named(grep)}, {"Glob", named(glob)},
	{"SemanticSearch", named(grep)}, {"ReadLints", named(read)}, {"WebSearch", named(webSearch)},
	{"WebFetch", named(webFetch)}, {"Task", named(task)}, {"TodoWrite", named(todoWrite)},
	{"AskQuestion", named(askUser)}, {"Await", named(taskOutput)}, {"ListMcpResources", named(listMCP)},
	{"FetchMcpResource", named(readMCP)}, {"GenerateImage", tool{}}, {"SwitchMode", tool{}},
}

// cursorSends reports whether Cursor made a call of another client's hook: it shows itself by its version.
func cursorSends(call object) bool { return call.has("cursor_version") }

func cursorAdjust(event *Event, call object, input *object) (string, error) {
	of := call.loose("hook_event_name")
	if name, implied := cursorImplied.find(of); implied {
		*input = call
		return name, nil
	}
	name, err := call.required("tool_name")
	if err != nil {
		return "", err
	}
	its, server := cutMCP(name)
	if server || of == "beforeMCPExecution" || of == "afterMCPExecution" {
		event.Tool = "mcp__" + its
	}
	return name, nil
}

// cutMCP takes the mark of Cursor from the name of a tool of an MCP server.
func cutMCP(name string) (its string, found bool) { return strings.CutPrefix(name, "MCP:") }

func cursorAllow() Answer { return say(pair{"permission", "allow"}) }

// cursorLater returns an object that changes nothing: Cursor wants JSON from every hook.
func cursorLater() Answer { return say() }

// cursorDeny returns JSON with exit 0, since what Cursor does with standard error is not documented.
func cursorDeny(message string) Answer {
	return say(pair{"permission", "deny"}, pair{"user_message", message}, pair{"agent_message", message})
}

func cursorWarning(message string) Answer {
	return say(pair{"permission", "allow"}, pair{"user_message", message}, pair{"agent_message", message})
}
