package agentclient

import (
	"time"

	"orchestrator/internal/rules/boundary"
)

// copilot is GitHub Copilot CLI.
var copilot = Client{
	Name: "copilot",
	form: form{
		tool: "toolName", input: "toolArgs", session: []string{"sessionId"}, cwd: []string{"cwd"}, failure: "error",
		looseInput: true, tools: copilotTools, actor: copilotActor, moment: copilotMoment,
		guest: guest{sends: copilotSends},
	},
	NoExitCode: true,
	ending:     claudeEnding,
	answers:    answers{block: copilotDeny, warn: copilotWarning, ask: copilotQuestion},
	Wiring: Wiring{
		File: ".github/hooks/orchestrator.json", Events: []string{"preToolUse", "postToolUse", "postToolUseFailure"},
		Ends:    []string{"agentStop"},
		Version: 1, Typed: true, Command: "bash", Timeout: "timeoutSec", Unit: time.Second,
		Notes: []string{"a version of Copilot before 1.0.102 may not say which calls are an agent's: they count as " +
			"the main session's"},
		SilentIn: "all sessions",
		User:     ".copilot/hooks/orchestrator.json", Reach: Here,
		Toggles: []Toggle{
			{File: ".github/hooks/orchestrator.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".github/copilot/settings.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".github/copilot/settings.local.json", Path: []string{"disableAllHooks"}, Off: true},
		},
	},
	Servers: Servers{
		File: ".github/mcp.json", User: ".copilot/mcp-config.json", Table: "mcpServers", Type: "local",
		Besides: &Option{Name: "tools", Value: []any{"*"}},
		Trust:   "Copilot starts no server in a folder that the person does not trust",
	},
	Guarded: Guarded{
		Project:  []string{".github/hooks/**"},
		Personal: []string{".copilot/hooks/**", ".copilot/config.json", ".copilot/settings.json"},
		Mentions: []string{".copilot/hooks", ".github/copilot/settings", ".copilot/mcp-config", ".github/mcp.json"},
	},
	Delegates: Delegates{
		Tool: "task", Type: "agent_type", Prompt: "prompt",
		Also: []boundary.Member{
			{Name: "name", Text: "change-the-file"}, {Name: "description", Text: "Change the file"},
		},
		ByFile: true, BuiltIn: []boundary.AgentType{{Name: "general-purpose", BuiltIn: true}},
		Folders: []AgentFolder{
			{Path: ".github/agents", Ending: ".md"},
			{Path: ".copilot/agents", Home: true, Ending: ".md"},
		},
	},
	Notes: []string{".copilot/session-state/*/plan.md"},
	Calls: Calls{
		Head:  `"sessionId":"doctor","timestamp":0,"cwd":CWD`,
		Agent: `"agentId":"doctor","agentType":"general-purpose","parentAgentId":"doctor-main"`,
		Edit:  `"toolName":"create","toolArgs":{"path":FILE,"file_text":"a"}`,
		Read:  `"toolName":"view","toolArgs":{"path":FILE}`,
	},
}

// copilotTools are the tools of Copilot CLI 1.0.102, and of versions before it. Its sql works on a database of the
// session's own, session_store_sql on those of past sessions.
var copilotTools = rows[tool]{
	{"edit", named(edit)}, {"create", named(write)}, {"str_replace_editor", named(edit)}, {"apply_patch", named(patch)},
	{"bash", named(bash)}, {"write_bash", tool{name: bash, command: "input"}},
	{"read_bash", named(taskOutput)}, {"stop_bash", named(taskStop)}, {"list_bash", named(taskList)},
	{"powershell", named(powerShell)}, {"write_powershell", tool{name: powerShell, command: "input"}},
	{"read_powershell", named(taskOutput)}, {"stop_powershell", named(taskStop)}, {"list_powershell", named(taskList)},
	{"view", named(read)}, {"read_file", named(read)}, {"lsp", named(read)}, {"grep", named(grep)}, {"rg", named(grep)},
	{"grep_search", named(grep)}, {"glob", named(glob)}, {"file_search", named(glob)},
	{"lexical_code_search", named(grep)}, {"semantic_code_search", named(grep)}, {"semantic_search", named(grep)},
	{"web_fetch", named(webFetch)}, {"web_search", named(webSearch)},
	{"task", named(task)}, {"write_agent", named(task)}, {"search_code_subagent", named(task)},
	{"execution_subagent", named(task)}, {"run_dynamic_workflow", named(task)}, {"read_agent", named(taskOutput)},
	{"list_agents", named(taskList)}, {"skill", named(skill)}, {"tool_search_tool_regex", named(toolSearch)},
	{"catalog_search", named(toolSearch)}, {"catalog_select", named(toolSearch)},
	{"fetch_copilot_cli_documentation", named(todoRead)}, {"ask_user", named(askUser)},
	{"task_complete", named(askUser)}, {"exit_plan_mode", named(exitPlan)}, {"update_todo", named(todoWrite)},
	{"report_intent", named(todoWrite)}, {"sql", named(todoWrite)}, {"session_store_sql", named(todoRead)},
	{"session_history", named(todoRead)}, {"get_context_remaining", named(todoRead)},
	{"new_context", named(todoWrite)}, {"context_board", named(todoWrite)}, {"manage_schedule", named(todoWrite)},
	{"read_inbox", named(todoRead)}, {"send_inbox", named(task)}, {"read_memories", named(todoRead)},
	{"store_memory", named(todoWrite)}, {"vote_memory", named(todoWrite)},
	{"create_pull_request", tool{}}, {"session_artifacts", tool{}}, {"open_canvas", tool{}},
	{"invoke_canvas_action", tool{}}, {"list_canvas_capabilities", named(todoRead)},
	{"extensions_manage", tool{}}, {"extensions_reload", tool{}}, {"dynamic_workflows_manage", tool{}},
}

// copilotSends reports whether Copilot made a call of another client's hook, in that one's form: it is told by what it
// sends and the other does not.
func copilotSends(call object) bool { return call.has("timestamp") && !call.has("transcript_path") }

// copilotActor reads who calls. An agent has an id and that of its parent; one of the two is that of the session, which
// in 1.0.102 is the agent's own. With anything else it cannot be told who calls.
func copilotActor(call object) (boundary.Actor, error) {
	id, err := call.first([]string{"agentId", "agent_id"})
	if err != nil {
		return boundary.Actor{}, err
	}
	session, err := call.first([]string{"sessionId", "session_id"})
	if err != nil {
		return boundary.Actor{}, err
	}
	parent, err := call.first([]string{"parentAgentId", "parent_agent_id"})
	switch {
	case err != nil, !namesAgent(id), id == session && parent == "":
		return boundary.Actor{Kind: boundary.Main}, err
	case !namesAgent(parent), id == parent, id != session && parent != session:
		return boundary.Actor{Kind: boundary.Unknown}, nil
	}
	kind, err := call.first([]string{"agentType", "agent_type"})
	return boundary.Actor{Kind: boundary.Agent, ID: id, Type: kind}, err
}

// copilotMoment distinguishes the events by what they carry, as Copilot does not name them.
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

// copilotDeny returns JSON with exit 0: Copilot takes any other exit for a broken hook, and the reason is lost.
func copilotDeny(message string) Answer {
	return say(pair{"permissionDecision", "deny"}, pair{"permissionDecisionReason", message})
}

func copilotQuestion(message string) Answer {
	return say(pair{"permissionDecision", "ask"}, pair{"permissionDecisionReason", message})
}

// copilotWarning returns a line of progress: shown to the person, and no part of the answer.
func copilotWarning(message string) Answer {
	return say(pair{"type", "progress"}, pair{"message", message})
}
