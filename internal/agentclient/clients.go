package agentclient

import (
	"slices"

	"orchestrator/internal/rules/boundary"
)

// client is one row of the table: the names that a client gives to what an Event holds, and how it is answered.
type client struct {
	name    string
	event   string     // the member that names the event; "" where only the other members tell it
	whens   rows[When] // what its events are; every other one is Other
	tool    string
	input   string
	session []string // the first that is there
	toolUse string
	cwd     []string
	version string // "" where the client does not say
	failure string // the member that holds the error of a failed tool

	alsoCursor bool // Cursor runs the hooks of this client's settings too, and shows itself by its version
	looseInput bool // the input may be text: JSON in a string, or a patch as it is
	tools      rows[tool]

	moment func(object) (When, error)           // where event is not enough
	actor  func(object) (boundary.Actor, error) // who uses the tool
	// what is different from event to event; returns the tool's name
	adjust func(*Event, object, *object) (string, error)

	answers answers
}

// claudeWhens are the events of Claude Code and of those that took its names over.
var claudeWhens = rows[When]{{"PreToolUse", Before}, {"PostToolUse", After}, {"PostToolUseFailure", Failed}}

var clients = []client{
	{
		name: "claude", event: "hook_event_name", whens: claudeWhens,
		tool: "tool_name", input: "tool_input", session: []string{"session_id"},
		toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		alsoCursor: true, tools: claudeTools, actor: claudeActor, answers: answers{block: onStderr,
			warn: claudeWarning, ask: claudeQuestion},
	},
	{
		name: "codex", event: "hook_event_name", whens: claudeWhens,
		tool: "tool_name", input: "tool_input", session: []string{"session_id"},
		toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		looseInput: true, tools: codexTools, actor: agentID, answers: answers{block: onStderr, warn: claudeWarning},
	},
	{
		name: "qwen", event: "hook_event_name", whens: claudeWhens,
		tool: "tool_name", input: "tool_input", session: []string{"session_id"},
		toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		tools: qwenTools, actor: agentID, answers: answers{block: onStderr, warn: claudeWarning, ask: claudeQuestion},
	},
	{
		name: "gemini", event: "hook_event_name", whens: rows[When]{{"BeforeTool", Before}, {"AfterTool", After}},
		tool: "tool_name", input: "tool_input", session: []string{"session_id"}, cwd: []string{"cwd"},
		tools: geminiTools, actor: untold, moment: geminiMoment, adjust: geminiAdjust, answers: answers{
			block: onStderr, warn: systemMessage},
	},
	{
		name: "cursor", event: "hook_event_name", whens: cursorWhens,
		tool: "tool_name", input: "tool_input", session: []string{"conversation_id", "session_id"},
		toolUse: "tool_use_id", cwd: []string{"cwd"},
		version: "cursor_version", failure: "error_message",
		looseInput: true, tools: cursorTools, actor: untold, adjust: cursorAdjust, answers: answers{
			allow: cursorAllow, block: cursorDeny, warn: cursorWarning, later: cursorLater},
	},
	{
		name: "copilot", tool: "toolName", input: "toolArgs", session: []string{"sessionId"}, cwd: []string{"cwd"},
		failure:    "error",
		looseInput: true, tools: copilotTools, actor: untold, moment: copilotMoment, answers: answers{
			block: copilotDeny, warn: copilotWarning, ask: copilotQuestion},
	},
	{
		name: "opencode", event: "hook_event_name", whens: rows[When]{{"tool.execute.before", Before},
			{"tool.execute.after", After}},
		tool: "tool", input: "args", session: []string{"session_id"}, toolUse: "call_id", cwd: []string{"cwd"},
		tools: opencodeTools, actor: shimActor, answers: answers{block: onStderr, warn: warnOnStderr},
	},
}

// agentID tells main from agent by the one member that does: a string with something in it is an agent. agent_type
// alone tells nothing, as a main session can have one too.
func agentID(call object) (boundary.Actor, error) {
	id, err := call.text("agent_id")
	if err != nil || id == "" {
		return boundary.Actor{Kind: boundary.Main}, err
	}
	kind, err := call.text("agent_type")
	return boundary.Actor{Kind: boundary.Agent, ID: id, Type: kind}, err
}

// claudeActor is agentID, except that Copilot runs the hooks in Claude Code's settings too, and says nothing about
// agents there. It is told by what it sends and Claude Code does not.
func claudeActor(call object) (boundary.Actor, error) {
	actor, err := agentID(call)
	if err == nil && actor.Kind == boundary.Main && call.has("timestamp") && !call.has("transcript_path") {
		return boundary.Actor{Kind: boundary.Unknown}, nil
	}
	return actor, err
}

// untold is a client that does not say who uses the tool.
func untold(object) (boundary.Actor, error) { return boundary.Actor{Kind: boundary.Unknown}, nil }

// shimActor reads what the shim found out about the session: one with a parent is an agent's.
func shimActor(call object) (boundary.Actor, error) {
	actor, err := call.inner("actor")
	if err != nil {
		return boundary.Actor{}, err
	}
	var found boundary.Actor
	for name, into := range map[string]*string{"kind": (*string)(&found.Kind), "id": &found.ID, "type": &found.Type} {
		if *into, err = actor.text(name); err != nil {
			return boundary.Actor{}, err
		}
	}
	if !slices.Contains([]boundary.ActorKind{boundary.Main, boundary.Agent}, found.Kind) ||
		found.Kind == boundary.Agent && found.ID == "" {
		return boundary.Actor{Kind: boundary.Unknown}, nil
	}
	return found, nil
}

// geminiMoment sees a failed tool in the result, as there is no event of its own for it.
func geminiMoment(call object) (When, error) {
	name, err := call.required("hook_event_name")
	if err != nil {
		return Other, err
	}
	switch name {
	case "BeforeTool":
		return Before, nil
	case "AfterTool":
		response, err := call.inner("tool_response")
		if err == nil && response.has("error") {
			return Failed, nil
		}
		return After, nil
	}
	return Other, nil
}

// geminiAdjust gives a tool of an MCP server the name that it has everywhere.
func geminiAdjust(event *Event, call object, _ *object) (string, error) {
	if event.When == Failed {
		if response, err := call.inner("tool_response"); err == nil {
			event.Error = response.loose("error")
		}
	}
	name, err := call.required("tool_name")
	if err != nil || !call.has("mcp_context") {
		return name, err
	}
	server, err := call.inner("mcp_context")
	if err != nil {
		return "", err
	}
	of, err := server.text("server_name")
	if err != nil {
		return "", err
	}
	its, err := server.text("tool_name")
	if of != "" && its != "" {
		event.Tool = "mcp__" + of + "__" + its
	}
	return name, err
}

var cursorWhens = rows[When]{
	{"preToolUse", Before}, {"beforeShellExecution", Before}, {"beforeMCPExecution", Before}, {"beforeReadFile", Before},
	{"postToolUse", After}, {"afterShellExecution", After}, {"afterMCPExecution", After}, {"afterFileEdit", After},
	{"postToolUseFailure", Failed},
	// As it calls what is registered for Claude Code.
	{"PreToolUse", Before}, {"PostToolUse", After}, {"PostToolUseFailure", Failed},
}

// cursorImplied are the events that name no tool: the call itself is the tool's input.
var cursorImplied = rows[string]{
	{"beforeShellExecution", "Shell"}, {"afterShellExecution", "Shell"}, {"beforeReadFile", "Read"}, {"afterFileEdit", "Edit"},
}

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

// copilotMoment tells the events apart by what they carry, as Copilot does not name them.
func copilotMoment(call object) (When, error) {
	switch {
	case call.has("error") && call.has("toolName"):
		return Failed, nil
	case call.has("toolResult"):
		result, err := call.inner("toolResult")
		if err != nil {
			return After, err
		}
		if kind := result.loose("resultType"); kind != "" && kind != "success" {
			return Failed, nil
		}
		return After, nil
	}
	if _, names := call["toolName"]; names {
		return Before, nil
	}
	if _, args := call["toolArgs"]; args {
		return Before, nil
	}
	for _, other := range []string{"source", "reason", "prompt", "stopReason", "errorContext", "trigger", "agentName",
		"notification_type"} {
		if call.has(other) {
			return Other, nil
		}
	}
	return Before, nil // which then says that toolName is missing
}
