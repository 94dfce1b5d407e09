package agentclient

import (
	"time"

	"orchestrator/internal/rules/boundary"
)

// gemini is Gemini CLI.
var gemini = Client{
	Name: "gemini",
	form: form{
		event: "hook_event_name", whens: geminiEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, cwd: []string{"cwd"},
		tools: geminiTools, actor: untold, moment: geminiMoment, adjust: geminiAdjust,
	},
	answers: answers{block: onStderr, warn: systemMessage},
	ending:  ending{again: stopHookActive, hold: holdByDeny},
	Wiring: Wiring{
		File: ".gemini/settings.json", Events: []string{"BeforeTool", "AfterTool"},
		Ends:   []string{"AfterAgent"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Named: true,
		Timeout: "timeout", Unit: time.Millisecond,
		Notes: []string{"Gemini CLI does not say which calls are an agent's: unknown_actor of the policy decides, and " +
			"by default its agents cannot edit in enforce either"},
		Toggles: []Toggle{
			{File: ".gemini/settings.json", Path: []string{"hooksConfig", "enabled"}},
			{File: ".gemini/settings.json", Path: []string{"hooks", "enabled"}},
			{File: ".gemini/settings.json", Path: []string{"tools", "enableHooks"}},
			{File: ".gemini/settings.json", Path: []string{"hooksConfig", "enabled"}, Home: true},
		},
		Disabled: [][]string{{"hooksConfig", "disabled"}, {"hooks", "disabled"}},
		Project:  "GEMINI_PROJECT_DIR", User: ".gemini/settings.json", Reach: Here,
		OtherFiles: []OtherFile{{File: ".gemini/settings.json", Home: true}, {File: ".gemini/hooks.json", Unread: true}},
	},
	Servers: Servers{
		File: ".gemini/settings.json", User: ".gemini/settings.json", Table: "mcpServers",
		Trust: "Gemini CLI starts no server in a folder that the person does not trust",
	},
	Guarded: Guarded{
		Mentions: []string{".gemini/settings"},
	},
	Delegates: Delegates{
		Tool: "invoke_agent", Type: "agent_name", Prompt: "prompt",
		BuiltIn: []boundary.AgentType{{Name: "generalist", BuiltIn: true}},
		Folders: []AgentFolder{
			{Path: ".gemini/agents", Ending: ".md"},
			{Path: ".gemini/agents", Home: true, Ending: ".md"},
		},
	},
	Notes: []string{".gemini/tmp/*/plans/*.md", ".gemini/tmp/*/*/plans/*.md", ".gemini/tmp/*/memory/**/*.md"},
	Calls: Calls{
		Head: `"session_id":"doctor","transcript_path":"","cwd":CWD,"hook_event_name":"BeforeTool"`,
		Edit: `"tool_name":"write_file","tool_input":{"file_path":FILE,"content":"a"}`,
		Read: `"tool_name":"read_file","tool_input":{"absolute_path":FILE}`,
	},
}

var geminiEvents = rows[When]{{"BeforeTool", Before}, {"AfterTool", After}}

// geminiTools are the tools of Gemini CLI 0.61.0, and of versions before it. Agents end with complete_task.
var geminiTools = rows[tool]{
	{"replace", named(edit)}, {"write_file", named(write)}, {"run_shell_command", named(bash)},
	{"read_file", named(read)}, {"read_many_files", named(read)}, {"grep_search", named(grep)},
	{"search_file_content", named(grep)}, {"glob", named(glob)}, {"list_directory", named(list)},
	{"get_internal_docs", named(todoRead)}, {"web_fetch", named(webFetch)}, {"google_web_search", named(webSearch)},
	{"invoke_agent", named(task)}, {"complete_task", named(taskOutput)}, {"activate_skill", named(skill)},
	{"ask_user", named(askUser)}, {"enter_plan_mode", named(enterPlan)}, {"exit_plan_mode", named(exitPlan)},
	{"write_todos", named(todoWrite)}, {"update_topic", named(todoWrite)},
	{"tracker_create_task", named(todoWrite)}, {"tracker_update_task", named(todoWrite)},
	{"tracker_add_dependency", named(todoWrite)}, {"tracker_get_task", named(todoRead)},
	{"tracker_list_tasks", named(todoRead)}, {"tracker_visualize", named(todoRead)},
	{"list_mcp_resources", named(listMCP)}, {"read_mcp_resource", named(readMCP)},
	{"list_background_processes", named(taskList)}, {"read_background_output", named(taskOutput)},
	{"save_memory", tool{}}, {"take_snapshot", named(todoRead)},
}

func systemMessage(message string) Answer { return say(pair{"systemMessage", message}) }

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
